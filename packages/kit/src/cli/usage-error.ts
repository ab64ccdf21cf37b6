/** A command line that cannot be understood or an input that the caller must change: exit status 2. */
export class UsageError extends Error {
  readonly code: string;
  readonly exitCode = 2;
  /** A command or change that helps. */
  readonly hint?: string;
  /** A word that was not known and the words that would have been; the nearest is suggested. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };

  constructor(
    message: string,
    options: {
      hint?: string;
      unknown?: { word: string; known: readonly string[] };
      code?: string;
      cause?: unknown;
    } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "UsageError";
    this.code = options.code ?? "usage";
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.unknown) this.unknown = options.unknown;
  }
}
