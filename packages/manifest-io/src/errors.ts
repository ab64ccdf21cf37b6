/** One problem of a document: data from which a sentence for people is made. */
export interface Issue {
  /** The file that holds the problem, if it is not the one the error names. */
  readonly file?: string;
  /** JSON pointer (RFC 6901) of the value; the empty text is the whole document. */
  readonly pointer?: string;
  /** Line of the problem, from 1. */
  readonly line?: number;
  /** Column of the problem, from 1, counted in code points. */
  readonly column?: number;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** What the place must hold. */
  readonly expected?: string;
  /** What it holds. */
  readonly received?: string;
}

/** What an {@linkcode OkstraError} tells beside its message. */
export interface OkstraErrorOptions {
  /** 2: the caller must change the input; 3: retrying is sensible; 4: file system or process; 1: the answer is no. */
  readonly exitCode?: 1 | 2 | 3 | 4;
  /** The command or change that helps. */
  readonly hint: string;
  readonly issues?: readonly Issue[];
  readonly cause?: unknown;
}

/**
 * A refusal or failure that a person can act on.
 *
 * The message has the form `Cannot <verb> <object>: <current state>`; `code` is a stable word for programs.
 */
export class OkstraError extends Error {
  override readonly name = "OkstraError";
  readonly code: string;
  readonly exitCode: 1 | 2 | 3 | 4;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[];

  constructor(code: string, message: string, options: OkstraErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? 2;
    this.hint = options.hint;
    this.issues = options.issues ?? [];
  }
}
