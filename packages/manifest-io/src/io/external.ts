import { readFile, realPath, stat } from "@okstra/kit/host";
import { OkstraError } from "../errors.ts";
import { type JsonValue, parseForeignJson } from "../json-text.ts";
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

/**
 * Reads text that a worker or a person wrote.
 *
 * @throws {OkstraError} `not-found`, `outside`, `not-a-file`, `too-large`, `not-utf8` or `control-character`
 */
export function readExternalText(path: string, options: ExternalOptions): string {
  const label = options.label ?? "text", maxBytes = options.maxBytes ?? MAX_EXTERNAL_BYTES;
  const refuse = (code: string, state: string, cause?: unknown) =>
    new OkstraError(code, `Cannot read ${JSON.stringify(path)} as ${label}: ${state}`, { cause });
  let real: string;
  try {
    real = realPath(path);
  } catch (cause) {
    throw refuse("not-found", "there is no such file", cause);
  }
  if (!isInside(realPath(options.root), real)) {
    throw refuse("outside", `it lies outside ${JSON.stringify(options.root)}`);
  }
  const info = stat(real);
  if (info?.kind !== "file") throw refuse("not-a-file", "it is not a regular file");
  if (info.sizeBytes > maxBytes) throw refuse("too-large", `it has more than ${maxBytes} bytes`);
  const text = decodeText(label, path, readFile(real));
  const at = text.search(CONTROL);
  if (at >= 0) {
    const line = text.slice(0, at).split("\n").length;
    const code = text.charCodeAt(at).toString(16).padStart(4, "0");
    throw refuse("control-character", `it holds the control character U+${code} at line ${line}`);
  }
  return text;
}

/**
 * Reads JSON that a worker or a person wrote, of at most 512 levels and without a key that stands twice.
 *
 * @throws {OkstraError} `not-json`, or as {@linkcode readExternalText}
 */
export function readExternalJson(path: string, options: ExternalOptions): JsonValue {
  const text = readExternalText(path, options);
  return parseText(options.label ?? "JSON", path, text, parseForeignJson);
}
