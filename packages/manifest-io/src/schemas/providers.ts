import { nearest } from "@okstra/kit/nearest";
import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { hasPlaceholder, PLACEHOLDERS, unknownPlaceholders } from "../placeholders.ts";
import { EVENT_STREAMS } from "../vocabulary.ts";
import { object, record, text } from "./common.ts";
import { argvOf, fields, variableName, word } from "./provider-entry.ts";

const template = v.pipe(
  word,
  v.check(
    (argument) => unknownPlaceholders(argument).length === 0,
    ({ input }) =>
      `holds ${inBraces(unknownPlaceholders(input))}, which is none of ${
        inBraces(PLACEHOLDERS)
      }; ` +
      "braces that are meant for the program stand in a script, or with blanks in them",
  ),
);
const plainValue = v.pipe(
  word,
  v.check((value) => !hasPlaceholder(value), "holds a placeholder, which only argv fills in"),
);

/** The same as a person may write it: what would mean nothing is refused where something else was meant. */
const ownEntry = refuseMisspelt(object({
  ...fields,
  argv: argvOf(template),
  eventStream: v.exactOptional(v.nullable(v.pipe(
    text,
    v.check(
      (name) => nearEventStream(name) === undefined,
      ({ input }) => `is no format that is known; was "${nearEventStream(input)}" meant?`,
    ),
  ))),
  env: v.exactOptional(refuseMisspelt(object({
    set: v.exactOptional(record(variableName, plainValue)),
    unset: v.exactOptional(v.array(variableName)),
  }))),
}));

function nearEventStream(name: string): string | undefined {
  const known: readonly string[] = EVENT_STREAMS;
  return known.includes(name) ? undefined : nearest(name, known);
}

/** Refuses a field that is nearly one of an object's own; any other one is its writer's, and is kept. */
function refuseMisspelt<const E extends v.ObjectEntries>(
  schema: v.LooseObjectSchema<E, undefined>,
) {
  const known = Object.keys(schema.entries);
  const find = (value: object) =>
    Object.keys(value).filter((name) =>
      !known.includes(name) && nearest(name, known) !== undefined
    );
  const sentence = (name: string) =>
    `${JSON.stringify(name)} (was "${nearest(name, known)}" meant?)`;
  return v.pipe(
    schema,
    v.check(
      (value) => find(value).length === 0,
      ({ input }) => `has no field ${find(input).map(sentence).join(", ")}`,
    ),
  );
}

function inBraces(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(", ");
}

const schema = object({
  schemaVersion: v.literal("1.0"),
  providers: record(text, ownEntry),
});

/** The document `providers.json`: command lines of agents by provider name. */
export type Providers = v.InferOutput<typeof schema>;

/** The document kind `providers`. */
export const providers = defineKind("providers", "providers file", schema);
