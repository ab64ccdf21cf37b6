/** An error of the operating system in the words of the tools: `Cannot <verb> "<path>": <reason>`. */
export class SystemError extends Error {
  /** The system's name of the condition, such as `ENOENT`. */
  readonly code: string;
  /** The file concerned. */
  readonly path: string;
  /** The condition in words. */
  readonly reason: string;
  /** A change that helps, where one is known. */
  readonly hint?: string;

  /** Creates the error of `Cannot <verb> "<path>"`; `reason` is `code` in words unless it is given. */
  constructor(
    code: string,
    verb: string,
    path: string,
    options: { reason?: string; hint?: string; cause?: unknown } = {},
  ) {
    const reason = options.reason ?? reasonText(code);
    super(
      `Cannot ${verb} "${path}": ${reason}`,
      "cause" in options ? { cause: options.cause } : undefined,
    );
    this.name = "SystemError";
    this.code = code;
    this.path = path;
    this.reason = reason;
    const hint = options.hint ?? HINTS[code];
    if (hint !== undefined) this.hint = hint;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: "the argument list is too long",
  EACCES: "permission denied",
  EBADF: "the file is not open",
  EBUSY: "the resource is busy",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it exists already",
  EFBIG: "the file is too large",
  EILSEQ: "it is not UTF-8",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files in the system",
  ENOENT: "no such file or directory",
  ENOEXEC: "the system cannot execute it",
  ENOMEM: "out of memory",
  ENOSPC: "no space left on the device",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  EPERM: "operation not permitted",
  EPIPE: "the reader is gone",
  EROFS: "the file system is read-only",
  ETXTBSY: "the program is in use",
  EXDEV: "the files are on different file systems",
};

const HINTS: Readonly<Record<string, string>> = {
  EACCES: "See who may read and write it, and its directory",
  EDQUOT: "Free some space there, and try again",
  EILSEQ: "Write it in UTF-8",
  EISDIR: "Name a file",
  ELOOP: "Remove the link that leads back to itself",
  EMFILE: "Raise the limit of open files with ulimit -n",
  ENAMETOOLONG: "Choose a shorter name",
  ENOENT: "See that every part of the path is right",
  ENOSPC: "Free some space there, and try again",
  ENOTDIR: "See that every part of the path is right",
  EPERM: "See who may read and write it, and its directory",
  EROFS: "Choose a place that can be written",
};

const DENO_CODES: Readonly<Record<string, string>> = {
  AlreadyExists: "EEXIST",
  BrokenPipe: "EPIPE",
  NotCapable: "EACCES",
  NotFound: "ENOENT",
  PermissionDenied: "EACCES",
  WouldBlock: "EAGAIN",
};

const UNUSABLE_NAMES = ["EILSEQ", "ELOOP", "ENAMETOOLONG"];
// Conditions of a path that its owner can mend; any other is a failure of the system.
const NAMED_WRONGLY = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", ...UNUSABLE_NAMES];

/** Tells whether a condition says that a path can name nothing here, whoever asks and however well the system works. */
export function isUnusableName(code: string): boolean {
  return UNUSABLE_NAMES.includes(code);
}

/** Tells whether a condition says that a file was named wrongly, so that its caller must change something. */
export function isNamedWrongly(code: string | undefined): boolean {
  return code !== undefined && NAMED_WRONGLY.includes(code);
}

/** Returns a system condition in words, or the code itself if it is not a common one. */
export function reasonText(code: string): string {
  return REASONS[code] ?? code;
}

/** Returns the system's code of a thrown value (`ENOENT`, …) on both runtimes, or `undefined` if it has none. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : DENO_CODES[error.name];
}

/** Runs a file operation and rethrows a failure of the system with path and reason in words. */
export function inWords<T>(verb: string, path: string, operation: () => T): T {
  try {
    return operation();
  } catch (cause) {
    if (cause instanceof SystemError) throw cause;
    if (cause instanceof Error && cause.name === "NotCapable") {
      const reason = "Deno was not given the permission";
      const hint = "Start the tool with deno run --allow-all";
      throw new SystemError("EACCES", verb, path, { reason, hint, cause });
    }
    if (path.includes("\0")) {
      throw new SystemError("ENOENT", verb, path, { reason: "no path can hold NUL", cause });
    }
    const code = systemCode(cause);
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw cause;
    throw new SystemError(code, verb, path, { cause });
  }
}
