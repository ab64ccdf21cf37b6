import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { FAILURE_CLASSES } from "../vocabulary.ts";
import { object, record, text } from "./common.ts";

/** Environment variables may not hold `=` in their names, nor NUL anywhere. */
const variableName = v.pipe(v.string(), v.regex(/^[^=\0]+$/, "must be the name of a variable"));
const variableValue = v.pipe(v.string(), v.regex(/^[^\0]*$/, "must not hold NUL"));
const word = v.pipe(v.string(), v.regex(/^[^\0]*$/, "must not hold NUL"));
const group = v.pipe(v.array(word), v.minLength(1));

/**
 * Shape of one provider, as a person may write it: only `argv` is required.
 *
 * `completeProvider` of `providers.ts` fills in the rest.
 */
export const providerEntry = object({
  argv: v.pipe(
    v.array(v.union([word, group])),
    v.minLength(1),
    v.check((argv) => typeof argv[0] === "string" && argv[0] !== "", "must begin with a program"),
  ),
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
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  providers: record(text, providerEntry),
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
