import type { JsonValue } from "../../packages/manifest-io/src/json-text.ts";
import type { Chooser } from "./chooser.ts";

/** Pieces of text that mean something to some parser, to JavaScript, to a shell or to a terminal. */
export const PIECES: readonly string[] = [
  ...[
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u001b[31m",
    "\u2028",
    "\ufeff",
    "\ud800",
    "😀",
    "é",
  ],
  ...["a", "x y", "0", "-1", "1e9", "007", "__proto__", "constructor", "prototype", "toString"],
  ...["/", "~", "~0", "~1", "~2", "..", ".", "../", "//", "\\", "C:\\", ":", "=", ",", ";", "#"],
  ...['"', "'", "`", "$(x)", "${x}", "{", "}", "[", "]", "{model}", "{addDirs}", "%s", "*", "-"],
  ...[
    "--",
    "--x",
    "null",
    "true",
    "F-001",
    "2026-01-01T00:00:00Z",
    "sha256:",
    "alpha",
    "alpha-worker",
  ],
];

/** Makes a text of pieces. */
export function makeText({ list, pick, once }: Chooser, most = 5): string {
  const text = list(most, () => pick(PIECES)).join("");
  return once(40) ? text.repeat(300) : text;
}

const NUMBERS = [0, -0, 1, -1, 1.5, 1e21, 2 ** 53 - 1, -(2 ** 53 - 1), 1e-7, 123456789012];

/** Makes a JSON value with keys and texts that are odd. */
export function makeValue(chooser: Chooser, depth = 4): JsonValue {
  const { pick, number, list, once } = chooser;
  if (depth === 0 || once(3)) {
    return pick<() => JsonValue>([
      () => null,
      () => pick([true, false]),
      () => pick(NUMBERS),
      () => number(1000),
      () => makeText(chooser),
    ])();
  }
  if (once(2)) return list(4, () => makeValue(chooser, depth - 1));
  return makeObject(list(4, () => [makeText(chooser, 2), makeValue(chooser, depth - 1)] as const));
}

/** Makes an object of entries, whatever their names mean to JavaScript. */
export function makeObject(
  entries: readonly (readonly [string, JsonValue])[],
): { [key: string]: JsonValue } {
  return Object.fromEntries(entries);
}

/** Damages a text: pieces that are lost, doubled, moved or put in, an end that is missing. */
export function damage(text: string, { number, pick, once }: Chooser): string {
  let damaged = text;
  for (let i = 1 + number(3); i > 0; i--) {
    const at = number(damaged.length + 1), size = 1 + number(6);
    const [before, piece, after] = [
      damaged.slice(0, at),
      damaged.slice(at, at + size),
      damaged.slice(at + size),
    ];
    damaged = pick<() => string>([
      () => before + after,
      () => before + piece + piece + after,
      () => before + pick(PIECES) + piece + after,
      () => before + pick(PIECES) + after,
      () => once(3) ? before : after + before,
    ])();
  }
  return damaged;
}

/** Puts another value somewhere into a JSON value, takes a part away or adds one. */
export function mutate(value: JsonValue, chooser: Chooser): JsonValue {
  const { pick, number, once } = chooser;
  if (typeof value !== "object" || value === null || once(8)) {
    return typeof value === "string" && once(2) ? damage(value, chooser) : makeValue(chooser, 2);
  }
  if (Array.isArray(value)) {
    const items = [...value], at = number(items.length + 1);
    pick([
      () => items.splice(at, 0, items.length > 0 && once(2) ? pick(items) : makeValue(chooser, 2)),
      () => items.splice(at, 1),
      () => at < items.length && (items[at] = mutate(items[at]!, chooser)),
    ])();
    return items;
  }
  const entries = Object.entries(value) as [string, JsonValue][], at = number(entries.length + 1);
  pick([
    () => entries.splice(at, 1),
    () => entries.push([makeText(chooser, 2), makeValue(chooser, 2)]),
    () => at < entries.length && (entries[at]![1] = mutate(entries[at]![1], chooser)),
    () => at < entries.length && (entries[at]![1] = mutate(entries[at]![1], chooser)),
  ])();
  return makeObject(entries);
}
