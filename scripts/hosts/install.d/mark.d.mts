export function markFile(path: string, text: string, host: string, folders: number): string;
export function readMark(text: string): { host: string; folders: number } | null;
