/** Builds every tool below `root` into `root/dist`; returns the folder of those for Node. */
export function buildTools(root: string): Promise<string>;

/** Returns the digest in the name of a part. */
export function digestIn(name: string): string;
