/** The file that asked for a dispatch, and the option of `okstra-dispatch` that takes it. */
export interface DispatchOrigin {
  readonly option: "batch" | "jobs-file";
  /** As it was given; `-` is standard input. */
  readonly path: string;
}

/** Reads which file asked for a row's dispatch; `null`: the roster, or it is not known. */
export function parseOrigin(value: unknown): DispatchOrigin | null {
  const { option, path } = (value ?? {}) as { option?: unknown; path?: unknown };
  if ((option !== "batch" && option !== "jobs-file") || typeof path !== "string") return null;
  return { option, path };
}
