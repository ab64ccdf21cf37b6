// Every kind of document, by damaging what is good.
import * as v from "valibot";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DocumentKind } from "../../../packages/manifest-io/src/document-kind.ts";
import { validateShape } from "../../../packages/manifest-io/src/document-kind.ts";
import { fitsShape } from "../../../packages/manifest-io/src/fits-shape.ts";
import { getPointer, parsePointer } from "../../../packages/manifest-io/src/json-pointer.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import { findKind, KIND_NAMES } from "../../../packages/manifest-io/src/registry.ts";
import { type Target, target } from "../target.ts";
import { mutate } from "../values.ts";

const FOLDER = fileURLToPath(new URL("../../../packages/manifest-io/testdata", import.meta.url));

/** One target for each registered kind of document. */
export const DOCUMENT_TARGETS: readonly Target[] = await Promise.all(
  KIND_NAMES.map(async (name) => makeTarget(name, await findKind(name))),
);

function makeTarget(name: string, kind: DocumentKind<unknown>): Target {
  const good = readdirSync(`${FOLDER}/${name}`)
    .filter((file) => file.startsWith("good-"))
    .flatMap((file) => {
      const text = readFileSync(`${FOLDER}/${name}/${file}`, "utf8");
      return file.endsWith(".jsonl") ? text.trimEnd().split("\n") : [text];
    }).map((text) => JSON.parse(text) as JsonValue);
  return target(
    `document-${name}`,
    `damaged documents of the kind ${name}, to its schema`,
    (chooser) => {
      let document = chooser.pick(good);
      for (let i = chooser.number(4); i > 0; i--) document = mutate(document, chooser);
      return { document };
    },
    ({ document }) => check(kind, document),
  );
}

function check(kind: DocumentKind<unknown>, document: JsonValue): string | null {
  const before = JSON.stringify(document);
  const issues = validateShape(kind, document);
  if (JSON.stringify(document) !== before) return "the document was changed";
  for (const { pointer = "", message } of issues) {
    if (message === "") return `an issue without words at ${pointer}`;
    const path = parsePointer(pointer);
    if (path === null) return `an issue at ${pointer}, which is no pointer`;
    const parent = pointer.slice(0, pointer.lastIndexOf("/"));
    if (pointer !== "" && getPointer(document, parent) === undefined) {
      return `an issue nowhere: ${pointer}`;
    }
    const isMissing = pointer !== "" && getPointer(document, pointer) === undefined;
    if (/^is missing$/.test(message) !== isMissing && /missing/.test(message)) {
      return `${pointer} ${message}`;
    }
  }
  const isGood = v.is(kind.schema, document);
  if (isGood !== (issues.length === 0)) return `good: ${isGood}, ${issues.length} issues`;
  // The quick look may leave it to the schema, but never takes what that refuses.
  return fitsShape(kind.schema, document) && !isGood ? "the quick look takes it" : null;
}
