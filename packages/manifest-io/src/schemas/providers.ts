import { nearest } from "@okstra/kit/nearest";
import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { hasPlaceholder, PLACEHOLDERS, unknownPlaceholders } from "../placeholders.ts";
import { EVENT_STREAMS, FAILURE_CLASSES } from "../vocabulary.ts";
import { object, record, text } from "./common.ts";

/** Environment variables may not hold `=` in their names, nor NUL anywhere. */
const variableName = v.pipe(v.string(), v.regex(/^[^=\0]+$/, "must be the name of a variable"));
const variableValue = v.pipe(v.string(), v.regex(/^[^\0]*$/, "must not hold NUL"));
const word = v.pipe(v.string(), v.regex(/^[^\0]*$/, "must not hold NUL"));

const fields = {
  argv: argvOf(word),
  stdin: v.exactOptional(v.picklist(["prompt", "none"])),
  defaultModel: v.exactOptional(text),
  env: v.exactOptional(object({
    set: v.exactOptional(record(variableName, variableValue)),
    unset: v.exactOptional(v.array(variableName)),
  })),
  eventStream: v.exactOptional(v.nullable(text)),
  sessionDirectories: v.exactOptional(v.array(text)),
  exitCodes: v.exactOptional(
    record(
      v.pipe(v.string(), v.regex(/^\d{1,3}$/, "must be an exit status")),
      v.picklist(FAILURE_CLASSES),
    ),
  ),
  sandbox: v.exactOptional(v.boolean()),
  wrapper: v.exactOptional(text),
};

/**
 * Shape of one provider, as a run keeps it: only `argv` is required.
 *
 * `completeProvider` of `providers.ts` fills in the rest.
 */
export const providerEntry = object(fields);

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
  variableValue,
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

function argvOf<const W extends v.GenericSchema<string>>(argument: W) {
  const group = v.pipe(v.array(argument), v.minLength(1));
  return v.pipe(
    v.array(v.union([argument, group])),
    v.minLength(1),
    v.check((argv) => typeof argv[0] === "string" && argv[0] !== "", "must begin with a program"),
  );
}

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

/**
 * One provider as a person writes it.
 *
 * `argv` holds words and, as lists, groups of words that are used together: a group is left out if a placeholder in it
 * has no value, and stands once for each value of a placeholder that has several.
 */
export type ProviderInput = v.InferOutput<typeof providerEntry>;

/** The document `providers.json`: command lines of agents by provider name. */
export type Providers = v.InferOutput<typeof schema>;

/** The document kind `providers`. */
export const providers = defineKind("providers", "providers file", schema);
