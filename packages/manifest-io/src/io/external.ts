import {
  isNamedWrongly,
  type OpenedFile,
  readRegularFile,
  realPath,
  stat,
  SystemError,
} from "@okstra/kit/host";
import { OkstraError } from "../errors.ts";
import type { JsonValue } from "../json-text.ts";
import { decodeText, parseText } from "../parse-bytes.ts";
import { isInside } from "../project-path.ts";

/** How much of a worker's or person's file is read at most. */
export const MAX_EXTERNAL_BYTES = 16 * 1024 * 1024;

/** Where an external file may lie and how large it may be. */
export interface ExternalOptions {
  /** Directory that the file must lie in after links are resolved. */
  readonly root: string;
  /** What the file is, for messages. */
  readonly label?: string;
  readonly maxBytes?: number;
}

// Tab, line feed and carriage return are text; every other control character can only deceive a reader.
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

const HINTS = {
  "not-found": "name a file that exists",
  "outside": "put the file itself there, not a link to it",
  "not-a-file": "put what it gives into a file",
  "too-large": "leave out what nobody needs",
  "control-character": "save it as plain text",
} as const;
type ExternalCode = keyof typeof HINTS;

/**
 * Reads text that a worker or a person wrote.
 *
 * @throws {OkstraError} `not-found`, `unreadable`, `outside`, `not-a-file`, `too-large`, `not-utf8` or
 * `control-character`
 */
export function readExternalText(path: string, options: ExternalOptions): string {
  const label = options.label ?? "text", maxBytes = options.maxBytes ?? MAX_EXTERNAL_BYTES;
  const describe = (state: string) => `Cannot read ${JSON.stringify(path)} as ${label}: ${state}`;
  const refuse = (code: ExternalCode, state: string, cause?: unknown) =>
    new OkstraError(code, describe(state), { cause, hint: HINTS[code] });
  const explain = (cause: unknown) => {
    if (!(cause instanceof SystemError)) return cause;
    const { code, reason, hint = "see that it can be read" } = cause;
    if (code === "ENOENT" || code === "ENOTDIR") {
      return refuse("not-found", "there is no such file", cause);
    }
    const exitCode = isNamedWrongly(code) ? 2 : 4;
    return new OkstraError("unreadable", describe(reason), { cause, exitCode, hint });
  };
  const resolve = () => {
    try {
      const real = realPath(path);
      if (isInside(realPath(options.root), real)) return real;
    } catch (cause) {
      throw explain(cause);
    }
    throw refuse("outside", `it lies outside ${JSON.stringify(options.root)}`);
  };
  const { info, bytes } = readOpened(resolve(), maxBytes, refuse, explain);
  if (info.kind !== "file") throw refuse("not-a-file", "it is not a regular file");
  if (bytes === null) throw refuse("too-large", `it has more than ${maxBytes} bytes`);
  // A directory on the way may have been swapped for a link between the look and the opening: only if the name still leads
  // to the very file that was read, and lies inside, was it the right one.
  const now = stat(resolve());
  if (now?.dev !== info.dev || now.ino !== info.ino) {
    throw refuse("outside", "it was replaced while it was read");
  }
  const text = decodeText(label, path, bytes);
  const at = text.search(CONTROL);
  if (at >= 0) {
    const line = text.slice(0, at).split("\n").length;
    const code = text.charCodeAt(at).toString(16).padStart(4, "0");
    throw refuse("control-character", `it holds the control character U+${code} at line ${line}`);
  }
  return text;
}

function readOpened(
  real: string,
  maxBytes: number,
  refuse: (code: ExternalCode, state: string, cause?: unknown) => OkstraError,
  explain: (cause: unknown) => unknown,
): OpenedFile {
  try {
    return readRegularFile(real, maxBytes);
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === "ENOENT" || code === "ELOOP") {
      throw refuse("outside", "it was replaced while it was read", cause);
    }
    // Node opens no socket, and says so in its own way.
    if (code === "ENXIO") throw refuse("not-a-file", "it is not a regular file", cause);
    throw explain(cause);
  }
}

/**
 * Reads JSON that a worker or a person wrote, of at most 512 levels and without a key that stands twice.
 *
 * @throws {OkstraError} `not-json`, or as {@linkcode readExternalText}
 */
export function readExternalJson(path: string, options: ExternalOptions): JsonValue {
  const text = readExternalText(path, options);
  return parseText(options.label ?? "JSON", path, text);
}
