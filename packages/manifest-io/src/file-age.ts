/** Where and when a file was written, as its file system tells it. */
export interface WrittenFile {
  readonly dev: number;
  readonly mtimeMs: number;
}

/** By how much a time can be too early that was rounded, or that another file system gave. */
const ROUNDING_MS = 2_000;

/**
 * Tells whether a file was written before another one, beyond doubt.
 *
 * Both times are the file system's: no clock of ours, which may be fixed or that of another machine, plays a part. A time
 * without a fraction of a second was rounded, and two file systems need not agree; there two seconds are left in doubt.
 */
export function isOlderThan(file: WrittenFile, other: WrittenFile): boolean {
  const isRough = file.dev !== other.dev || file.mtimeMs % 1000 === 0;
  return file.mtimeMs + (isRough ? ROUNDING_MS : 0) < other.mtimeMs;
}
