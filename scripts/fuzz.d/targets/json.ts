// JSON text, pointers, patches and the canonical form.
import { canonicalJson } from "../../../packages/manifest-io/src/canonical-json.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { jsonPatch } from "../../../packages/manifest-io/src/json-patch.ts";
import {
  formatPointer,
  getPointer,
  parsePointer,
} from "../../../packages/manifest-io/src/json-pointer.ts";
import {
  compareText,
  formatJson,
  JsonSyntaxError,
  type JsonValue,
  parseJsonText,
} from "../../../packages/manifest-io/src/json-text.ts";
import { mergePatch } from "../../../packages/manifest-io/src/merge-patch.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { damage, makeText, makeValue, mutate } from "../values.ts";

const isOurs = (error: Error) => error instanceof OkstraError;

export const JSON_TARGETS: readonly Target[] = [
  target(
    "json-text",
    "texts that are JSON or nearly, to the parser of documents",
    makeJson,
    checkJson,
  ),
  target("json-pointer", "pointers to the places of a value, and texts like them", (chooser) => ({
    value: makeValue(chooser),
    text: makeText(chooser),
  }), checkPointer),
  target(
    "canonical-json",
    "values, to the form that digests are taken over",
    (chooser) => ({ value: makeValue(chooser), order: chooser.list(8, () => chooser.number(8)) }),
    checkCanonical,
  ),
  target("merge-patch", "values and patches, to RFC 7396", (chooser) => {
    const value = makeValue(chooser);
    return { value, patch: chooser.once(2) ? mutate(value, chooser) : makeValue(chooser) };
  }, checkMerge),
  target("json-patch", "lists of operations, to RFC 6902", makePatch, checkPatch),
  target("compare-text", "texts, to the order of code points", (chooser) => ({
    texts: [makeText(chooser), makeText(chooser), makeText(chooser)],
  }), checkOrder),
];

function makeJson(chooser: Chooser): { text: string } {
  const { once, pick } = chooser, value = makeValue(chooser);
  const text = once(3) ? formatJson(value) : JSON.stringify(value);
  if (once(3)) return { text };
  if (once(6)) {
    return { text: pick(["[", '{"a":', "[[{", '"', "-"]).repeat(1 + chooser.number(700)) + text };
  }
  return { text: damage(text, chooser) };
}

function checkJson({ text }: { text: string }): string | null {
  let right: { readonly value: JsonValue } | null;
  try {
    right = { value: JSON.parse(text) };
  } catch {
    right = null;
  }
  const answer = attempt(() => parseJsonText(text), (error) => error instanceof JsonSyntaxError);
  if ("refusal" in answer) {
    const { line, column, message } = answer.refusal as JsonSyntaxError;
    const lines = text.split("\n");
    if (line < 1 || line > lines.length) return `a fault in line ${line} of ${lines.length}`;
    if (column < 1 || column > [...lines[line - 1]!].length + 1) {
      return `a fault at ${line}:${column}`;
    }
    // What JSON.parse takes is refused only where a value would be another one.
    const isLoss = /deep|twice|number|level|key/i.test(message);
    return right === null || isLoss ? null : `it is JSON, and was refused: ${message}`;
  }
  if (right === null) return "it is no JSON, and was taken";
  if (!isSameJson(answer.value, right.value)) return "another value";
  return isSameJson(parseJsonText(formatJson(answer.value)), right.value)
    ? null
    : "written as another value";
}

function checkPointer({ value, text }: { value: JsonValue; text: string }): string | null {
  const parts = parsePointer(text);
  if (parts !== null && formatPointer(parts) !== text) return `${text} is read as ${parts}`;
  if (parts === null && getPointer(value, text) !== undefined) return "a value at no pointer";
  const walk = (part: unknown, path: readonly (string | number)[]): string | null => {
    const pointer = formatPointer(path);
    if (getPointer(value, pointer) !== part) return `another value at ${pointer}`;
    if (typeof part !== "object" || part === null) return null;
    for (const [key, inner] of Object.entries(part)) {
      const fault = walk(inner, [...path, Array.isArray(part) ? Number(key) : key]);
      if (fault !== null) return fault;
    }
    return null;
  };
  return walk(value, []);
}

function checkCanonical({ value, order }: { value: JsonValue; order: number[] }): string | null {
  const answer = attempt(() => canonicalJson(value), isOurs);
  const isWhole = (part: unknown): boolean =>
    typeof part === "number"
      ? Number.isSafeInteger(part)
      : typeof part !== "object" || part === null || Object.values(part).every(isWhole);
  if ("refusal" in answer) return isWhole(value) ? "whole numbers, and refused" : null;
  if (!isWhole(value)) return "a number with more than one spelling was taken";
  if (!isSameJson(JSON.parse(answer.value), value)) return "another value";
  const other = canonicalJson(shuffle(value, order));
  return other === answer.value ? null : "the order of keys decides";
}

function shuffle(value: JsonValue, order: readonly number[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => shuffle(item, order));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) =>
    [key, shuffle(field, order)] as const
  );
  order.forEach((at, i) => {
    if (at < entries.length && i < entries.length) entries.splice(i, 0, ...entries.splice(at, 1));
  });
  return Object.fromEntries(entries);
}

function checkMerge({ value, patch }: { value: JsonValue; patch: JsonValue }): string | null {
  const before = JSON.stringify([value, patch]);
  const merged = mergePatch(value, patch);
  if (JSON.stringify([value, patch]) !== before) return "an argument was changed";
  const right = (target: JsonValue | undefined, change: JsonValue): JsonValue => {
    if (typeof change !== "object" || change === null || Array.isArray(change)) return change;
    const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
    const result: Record<string, JsonValue> = Object.create(null);
    if (isObject) { for (const [key, field] of Object.entries(target)) result[key] = field; }
    for (const [key, field] of Object.entries(change)) {
      if (field === null) delete result[key];
      else result[key] = right(Object.hasOwn(result, key) ? result[key] : undefined, field);
    }
    return result;
  };
  if (!isSameJson(merged, right(value, patch))) return `merged to ${JSON.stringify(merged)}`;
  return isSameJson(mergePatch(merged, patch), merged) ? null : "the second time changes something";
}

type Patch = { value: JsonValue; patch: JsonValue };

function makePatch(chooser: Chooser): Patch {
  const { pick, once, list } = chooser, value = makeValue(chooser);
  const places: string[] = [""];
  const walk = (part: unknown, path: readonly string[]): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, inner] of Object.entries(part)) {
      places.push(formatPointer([...path, key]));
      walk(inner, [...path, key]);
    }
    if (Array.isArray(part)) places.push(`${formatPointer(path)}/-`);
  };
  walk(value, []);
  const place = () => once(5) ? makeText(chooser, 3) : pick(places) + (once(5) ? "/new" : "");
  const patch = list(4, () => {
    const op = pick(["add", "remove", "replace", "move", "copy", "test"]);
    const operation = { op, path: place(), from: place(), value: makeValue(chooser, 2) };
    return once(10) ? mutate(operation, chooser) : operation;
  });
  return { value, patch: once(20) ? makeValue(chooser) : patch };
}

function checkPatch({ value, patch }: Patch): string | null {
  const before = JSON.stringify([value, patch]);
  const answer = attempt(() => jsonPatch(value, patch), isOurs);
  if (JSON.stringify([value, patch]) !== before) return "an argument was changed";
  if (Object.keys(Object.prototype).length > 0) return "every object was changed";
  const right = applyStrictly(value, patch);
  if ("refusal" in answer) {
    if ((answer.refusal as OkstraError).issues.length === 0) return "refused without an issue";
    return right === null
      ? null
      : `refused: ${JSON.stringify((answer.refusal as OkstraError).issues)}`;
  }
  if (right === null) return `taken, with ${JSON.stringify(answer.value)}`;
  return isSameJson(answer.value, right.value) ? null : `it gives ${JSON.stringify(answer.value)}`;
}

/** RFC 6902 by the letter; `null`: the patch fails. */
function applyStrictly(value: JsonValue, patch: JsonValue): { value: JsonValue } | null {
  if (!Array.isArray(patch)) return null;
  const holder: Record<string, unknown> = { root: structuredClone(value) };
  const find = (pointer: unknown, isNew: boolean) => {
    const keys = typeof pointer === "string" ? parsePointer(pointer) : null;
    if (keys === null || keys.includes("__proto__")) throw new Error("no pointer");
    let parent: unknown = holder, key = "root";
    for (const next of keys) {
      parent = get(parent, key);
      key = next;
    }
    if (Array.isArray(parent)) {
      const index = isNew && key === "-"
        ? parent.length
        : /^(0|[1-9]\d*)$/.test(key)
        ? Number(key)
        : -1;
      if (index < 0 || index > parent.length - (isNew ? 0 : 1)) throw new Error("no index");
      return { parent, key: index };
    }
    if (typeof parent !== "object" || parent === null) throw new Error("no place");
    if (!isNew) get(parent, key);
    return { parent: parent as Record<string, unknown>, key };
  };
  const get = (parent: unknown, key: string | number): unknown => {
    if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, key)) {
      throw new Error("nothing");
    }
    if (Array.isArray(parent) && !/^(0|[1-9]\d*)$/.test(String(key))) throw new Error("no index");
    return (parent as Record<string, unknown>)[key];
  };
  const read = (pointer: unknown) => {
    const { parent, key } = find(pointer, false);
    return structuredClone(get(parent, key));
  };
  const add = (pointer: unknown, added: unknown) => {
    const { parent, key } = find(pointer, true);
    if (Array.isArray(parent)) parent.splice(key as number, 0, added);
    else {Object.defineProperty(parent, key, {
        value: added,
        enumerable: true,
        writable: true,
        configurable: true,
      });}
  };
  const remove = (pointer: unknown) => {
    if (pointer === "") throw new Error("all of it");
    const { parent, key } = find(pointer, false);
    if (Array.isArray(parent)) parent.splice(key as number, 1);
    else delete (parent as Record<string, unknown>)[key];
  };
  try {
    for (const operation of patch as unknown as Record<string, unknown>[]) {
      const { op, path, from } = operation, given = operation["value"];
      if (["add", "replace", "test"].includes(op as string) && given === undefined) {
        throw new Error("no value");
      }
      if (op === "add") add(path, structuredClone(given));
      else if (op === "remove") remove(path);
      else if (op === "replace") {
        const { parent, key } = find(path, false);
        (parent as Record<string, unknown>)[key] = structuredClone(given);
      } else if (op === "move" || op === "copy") {
        if (op === "move" && `${path}/`.startsWith(`${from}/`) && path !== from) {
          throw new Error("into itself");
        }
        const moved = read(from);
        if (op === "move" && from === path) continue;
        if (op === "move") remove(from);
        add(path, moved);
      } else if (op === "test") {
        if (!isSameJson(read(path), given)) throw new Error("another value");
      } else throw new Error("no operation");
    }
  } catch {
    return null;
  }
  return holder["root"] === undefined ? null : { value: holder["root"] as JsonValue };
}

function checkOrder({ texts: [a = "", b = "", c = ""] }: { texts: string[] }): string | null {
  const points = (x: string, y: string) => {
    const [left, right] = [[...x], [...y]].map((text) =>
      text.map((point) => point.codePointAt(0)!)
    );
    for (let i = 0; i < left!.length && i < right!.length; i++) {
      if (left![i] !== right![i]) return left![i]! - right![i]!;
    }
    return left!.length - right!.length;
  };
  for (const [x, y] of [[a, b], [b, c], [a, c]] as const) {
    // Half a pair is no code point, and where it stands is left open.
    if (/[\ud800-\udfff]/.test((x + y).replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) continue;
    if (Math.sign(compareText(x, y)) !== Math.sign(points(x, y))) return `${x} and ${y}`;
    if (Math.sign(compareText(y, x)) !== -Math.sign(compareText(x, y))) return "no order";
  }
  return null;
}
