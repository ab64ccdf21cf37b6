import { OkstraError } from "./errors.ts";
import { parseBytes } from "./parse-bytes.ts";
import type { JsonValue } from "./json-text.ts";
import { getPointer, parsePointer } from "./json-pointer.ts";

/**
 * Formats the values at JSON pointers, one a line.
 *
 * @param raw whether texts are printed without quotes
 * @throws {OkstraError} `no-value` (exit 1) if a pointer names nothing, `bad-pointer` if it is none
 */
export function getValues(
  file: string,
  bytes: Uint8Array,
  pointers: readonly string[],
  raw: boolean,
): string {
  const document = parseBytes("JSON", file, bytes);
  return pointers.map((pointer) => {
    if (parsePointer(pointer) === null) {
      throw new OkstraError(
        "bad-pointer",
        `Cannot use ${JSON.stringify(pointer)} as JSON pointer: it does not begin with /`,
        { hint: "write /field/0/name; ~1 stands for / and ~0 for ~" },
      );
    }
    const value = getPointer(document, pointer);
    if (value === undefined) {
      throw new OkstraError(
        "no-value",
        `Cannot get ${pointer} of ${JSON.stringify(file)}: there is no such value`,
        {
          exitCode: 1,
          hint: `okstra-manifest-io get FILE '${nearest(document, pointer)}' prints what is there`,
        },
      );
    }
    return `${raw && typeof value === "string" ? value : JSON.stringify(value)}\n`;
  }).join("");
}

/** The longest part of a pointer that names something. */
function nearest(document: JsonValue, pointer: string): string {
  const parent = pointer.slice(0, pointer.lastIndexOf("/"));
  return getPointer(document, parent) === undefined ? nearest(document, parent) : parent;
}
