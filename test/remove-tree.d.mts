export function removeTree(folder: string): void;
