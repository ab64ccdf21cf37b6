/** Returns the absolute path of the pinned Deno binary; throws if `scripts/setup` has not installed it. */
export function denoPath(): string;
