export function makeScratch(prefix: string, parent?: string, release?: () => void): string;
