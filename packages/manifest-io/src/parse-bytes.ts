import { OkstraError, type OkstraErrorOptions } from "./errors.ts";
import { JsonSyntaxError, type JsonValue, parseJsonText } from "./json-text.ts";

type JsonObject = { readonly [key: string]: JsonValue };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes bytes as UTF-8.
 *
 * @throws {OkstraError} `not-utf8`
 */
export function decodeText(label: string, path: string, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw refuse("not-utf8", label, path, "it is not UTF-8", { cause, hint: "save it as UTF-8" });
  }
}

/**
 * Parses text as one JSON value.
 *
 * @throws {OkstraError} `empty` or `not-json`, the last with line and column
 */
export function parseText(label: string, path: string, text: string): JsonValue {
  if (text === "") throw refuse("empty", label, path, "it is empty", { hint: "put JSON into it" });
  if (text.startsWith("\ufeff")) {
    throw refuse("not-json", label, path, "it begins with a byte order mark", {
      hint: "save it as UTF-8 without a byte order mark",
    });
  }
  try {
    return parseJsonText(text);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    const { line, column, message } = cause;
    throw refuse("not-json", label, path, `${message} at line ${line}, column ${column}`, {
      cause,
      issues: [{ file: path, line, column, message }],
      hint: "mend the text at that place",
    });
  }
}

/**
 * Parses bytes as one JSON value.
 *
 * @throws {OkstraError} `not-utf8`, or as {@linkcode parseText}
 */
export function parseBytes(label: string, path: string, bytes: Uint8Array): JsonValue {
  return parseText(label, path, decodeText(label, path, bytes));
}

/**
 * Parses bytes as one JSON object, which every document is.
 *
 * @throws {OkstraError} `not-utf8`, or as {@linkcode parseObjectText}
 */
export function parseObject(label: string, path: string, bytes: Uint8Array): JsonObject {
  return parseObjectText(label, path, decodeText(label, path, bytes));
}

/**
 * Parses text as one JSON object.
 *
 * @throws {OkstraError} `not-object`, or as {@linkcode parseText}
 */
export function parseObjectText(label: string, path: string, text: string): JsonObject {
  const value = parseText(label, path, text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw refuse("not-object", label, path, "the top level is not an object", {
    hint: "every document is one object: { … }",
  });
}

function refuse(
  code: string,
  label: string,
  path: string,
  state: string,
  options: OkstraErrorOptions,
): OkstraError {
  return new OkstraError(
    code,
    `Cannot read ${JSON.stringify(path)} as ${label}: ${state}`,
    options,
  );
}
