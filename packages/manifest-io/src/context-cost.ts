/** Bytes that one token of English prose or code takes on average; the only figure behind every estimate here. */
export const BYTES_PER_TOKEN = 4;

/** A file that somebody has to read. */
export interface CostFile {
  /** Relative to the project root. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** What reading for one phase costs. */
export interface PhaseCost {
  readonly phase: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly tokenEstimate: number;
  readonly files: readonly CostFile[];
  /** Files that the phase would read and that are not there. */
  readonly missing: readonly string[];
}

/** Adds up a phase. */
export function sumPhase(
  phase: string,
  files: readonly CostFile[],
  missing: readonly string[] = [],
): PhaseCost {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return {
    phase,
    fileCount: files.length,
    sizeBytes,
    tokenEstimate: Math.ceil(sizeBytes / BYTES_PER_TOKEN),
    files,
    missing,
  };
}
