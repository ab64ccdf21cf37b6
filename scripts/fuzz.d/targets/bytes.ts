// Bytes of files and of standard input, to everything that takes them for text, JSON or a document.
import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { decodeUtf8 } from "../../../packages/discussion/src/text-lines.ts";
import { parseNamedFile } from "../../../packages/dispatch/src/io/plan-batch.ts";
import { parseAgentEvent, valueAt } from "../../../packages/manifest-io/src/agent-event.ts";
import {
  type DocumentKind,
  validateShape,
} from "../../../packages/manifest-io/src/document-kind.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { parseDocument } from "../../../packages/manifest-io/src/io/document.ts";
import {
  JsonSyntaxError,
  type JsonValue,
  parseJsonText,
} from "../../../packages/manifest-io/src/json-text.ts";
import {
  decodeText,
  parseBytes,
  parseObject,
  parseObjectText,
  parseText,
} from "../../../packages/manifest-io/src/parse-bytes.ts";
import { findKind } from "../../../packages/manifest-io/src/registry.ts";
import { validateBytes } from "../../../packages/manifest-io/src/validate-bytes.ts";
import { parseSidecar } from "../../../packages/wrapper-status/src/io/sidecar.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { damage, makeText, makeValue, mutate } from "../values.ts";

const TESTDATA = new URL("../../../packages/manifest-io/testdata/", import.meta.url);
const NAMES = ["status-sidecar", "invocation-batch", "team-state", "lead-event"];

const KINDS: readonly { kind: DocumentKind<unknown>; good: readonly string[] }[] = await Promise
  .all(NAMES.map(async (name) => ({
    kind: await findKind(name),
    good: readdirSync(new URL(name, TESTDATA)).filter((file) => file.startsWith("good-"))
      .map((file) => readFileSync(new URL(`${name}/${file}`, TESTDATA), "utf8"))
      .flatMap((text) => name === "lead-event" ? text.trimEnd().split("\n") : [text]),
  })));

/** What takes bytes. */
export const BYTE_TARGETS: readonly Target[] = [
  target("bytes", "bytes, to all that takes them for text or JSON", (chooser) => ({
    bytes: spoil(chooser.once(2) ? makeText(chooser) : makeJson(chooser), chooser),
  }), checkBytes),
  target("document-bytes", "bytes, to all that takes them for a document", makeFile, checkFile),
  target("agent-event", "lines that are events of an agent or nearly", (chooser) => {
    const text = makeJson(chooser);
    return { line: chooser.once(2) ? damage(text, chooser) : text };
  }, checkEvent),
];

function makeJson(chooser: Chooser): string {
  const space = chooser.pick(["", "", " ", "\t", "\r\n", "\ufeff", "\u00a0"]);
  const text = JSON.stringify(makeValue(chooser));
  return chooser.once(3) ? "" : space + text + space;
}

/** Returns a text as UTF-8, each byte as one character, most of the time with a few bytes lost, added or changed. */
function spoil(text: string, { number, once, pick }: Chooser): string {
  let bytes = Buffer.from(text).toString("latin1");
  if (once(3)) return bytes;
  for (let i = 1 + number(3); i > 0; i--) {
    const at = number(bytes.length + 1), size = number(3);
    const piece = pick([
      ...["", "\xef\xbb\xbf", "\xef\xbf\xbd", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"],
      ...["\xff", "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98\x80", "\0", "\n", "\r\n"],
      String.fromCharCode(number(256)),
    ]);
    bytes = bytes.slice(0, at) + piece + bytes.slice(at + size);
  }
  return bytes;
}

/** Returns the code of the refusal, or the value, of what may refuse. */
function outcome<T>(parse: () => T): { readonly code: string } | { readonly value: T } {
  const answer = attempt(parse, (error) => error instanceof OkstraError);
  return "value" in answer ? answer : { code: (answer.refusal as OkstraError).code };
}

/** Returns the text of bytes; `null` if they are not UTF-8, since only then others come back. */
function textOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}

function checkBytes(input: { bytes: string }): string | null {
  const bytes = new Uint8Array(Buffer.from(input.bytes, "latin1")), right = textOf(bytes);
  const utf8 = decodeUtf8(bytes), decoded = outcome(() => decodeText("x", "f", bytes));
  if (utf8 !== right) return `read as ${JSON.stringify(utf8)}`;
  const parsed = outcome(() => parseBytes("x", "f", bytes));
  const whole = outcome(() => parseObject("x", "f", bytes));
  if (Buffer.from(bytes).toString("latin1") !== input.bytes) return "the bytes were changed";
  if (right === null) {
    const told = [decoded, parsed, whole].every((each) =>
      "code" in each && each.code === "not-utf8"
    );
    return told ? null : "what is not UTF-8 was taken, or refused otherwise";
  }
  if (!("value" in decoded) || decoded.value !== right) return "another text";
  if (!isSameJson(parsed, outcome(() => parseText("x", "f", right)))) {
    return "the text is another value than its bytes";
  }
  const json = attempt(() => parseJsonText(right), (error) => error instanceof JsonSyntaxError);
  const expected = "value" in json ? json : { code: right === "" ? "empty" : "not-json" };
  if (!isSameJson(parsed, expected)) return `it is ${JSON.stringify(parsed)}`;
  const isObject = "value" in json && typeof json.value === "object" && json.value !== null &&
    !Array.isArray(json.value);
  const object = isObject || "code" in expected ? expected : { code: "not-object" };
  if (!isSameJson(whole, object)) return `as an object it is ${JSON.stringify(whole)}`;
  const text = outcome(() => parseObjectText("x", "f", right));
  return isSameJson(text, object) ? null : "the text is another object than its bytes";
}

interface FileCase {
  readonly kind: number;
  readonly bytes: string;
}

function makeFile(chooser: Chooser): FileCase {
  const { number, pick, once, list } = chooser, kind = number(KINDS.length);
  const document = () => {
    const good = pick(KINDS[kind]!.good);
    return once(2) ? JSON.stringify(mutate(JSON.parse(good) as JsonValue, chooser)) : good;
  };
  const line = () => JSON.stringify(JSON.parse(document()));
  const text = once(2) ? document() : list(3, line).join(pick(["\n", "\n\n", "\r\n"])) +
    pick(["", "\n"]);
  return { kind, bytes: once(2) ? spoil(text, chooser) : Buffer.from(text).toString("latin1") };
}

function checkFile(input: FileCase): string | null {
  const { kind } = KINDS[input.kind]!, bytes = new Uint8Array(Buffer.from(input.bytes, "latin1"));
  const object = outcome(() => parseObject(kind.label, "a.json", bytes));
  const isGood = "value" in object && validateShape(kind, object.value).length === 0;
  const right = "value" in object && !isGood ? { code: "wrong-shape" } : object;
  for (
    const taken of [
      outcome(() => parseDocument(kind, "a.json", bytes)),
      outcome(() => parseNamedFile(kind, { path: "a.json", bytes })),
      ...kind.kind === "status-sidecar" ? [outcome(() => parseSidecar(bytes))] : [],
    ]
  ) {
    if (!isSameJson(taken, right)) return `taken as ${JSON.stringify(taken)}`;
  }
  const issues = validateBytes(kind, "a.json", bytes), text = textOf(bytes);
  if (isGood !== (issues.length === 0)) return `good: ${isGood}, ${issues.length} issues`;
  const byLine = validateBytes(kind, "a.jsonl", bytes);
  if (Buffer.from(bytes).toString("latin1") !== input.bytes) return "the bytes were changed";
  const lines = text?.split("\n") ?? [""];
  const isEveryGood = text !== null && lines.at(-1) === "" && lines.slice(0, -1).every((each) => {
    const value = outcome(() => parseObjectText(kind.label, "a.jsonl", each));
    return "value" in value && validateShape(kind, value.value).length === 0;
  });
  if (isEveryGood !== (byLine.length === 0)) {
    return `lines: ${isEveryGood}, ${byLine.length} issues`;
  }
  for (const { file, message, line = 1 } of [...issues, ...byLine]) {
    if (file !== undefined || message === "" || message.startsWith("Cannot read")) {
      return `an issue ${JSON.stringify(message)} of ${file}`;
    }
    if (line < 1 || line > lines.length) return `an issue in line ${line} of ${lines.length}`;
  }
  return null;
}

function checkEvent({ line }: { line: string }): string | null {
  let right: unknown = null;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && !Array.isArray(value)) right = value;
  } catch { /* no event */ }
  const event = parseAgentEvent(line);
  if (!isSameJson(event, right)) return `read as ${JSON.stringify(event)}`;
  for (const [name, value] of Object.entries(event ?? {})) {
    if (valueAt(event, name) !== value) return `another value at ${name}`;
  }
  const absent = ["constructor", "toString", "length", "__proto__"]
    .filter((name) => !Object.hasOwn(event ?? {}, name));
  return absent.every((name) => valueAt(event, name) === undefined)
    ? null
    : "it has what every object has";
}
