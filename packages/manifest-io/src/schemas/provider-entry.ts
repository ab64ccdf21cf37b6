import * as v from "valibot";
import { beginsWithProgram } from "../shape-checks.ts";
import { FAILURE_CLASSES } from "../vocabulary.ts";
import { object, record, text } from "./common.ts";

/** Name of an environment variable. */
export const variableName = v.pipe(
  v.string(),
  v.regex(/^[^=\0]+$/, "must be the name of a variable"),
);

/** Word of a command line, or value of an environment variable: NUL would end it. */
export const word = v.pipe(v.string(), v.regex(/^[^\0]*$/, "must not hold NUL"));

/** The fields of a provider. */
export const fields = {
  argv: argvOf(word),
  stdin: v.exactOptional(v.picklist(["prompt", "none"])),
  defaultModel: v.exactOptional(text),
  env: v.exactOptional(object({
    set: v.exactOptional(record(variableName, word)),
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

/** The words of a command line: texts, and groups of texts. */
export function argvOf<const W extends v.GenericSchema<string>>(argument: W) {
  const group = v.pipe(v.array(argument), v.minLength(1));
  return v.pipe(
    v.array(v.union([argument, group])),
    v.minLength(1),
    v.check(beginsWithProgram, "must begin with a program"),
  );
}

/**
 * One provider as a person writes it.
 *
 * `argv` holds words and, as lists, groups of words that are used together: a group is left out if a placeholder in it
 * has no value, and stands once for each value of a placeholder that has several.
 */
export type ProviderInput = v.InferOutput<typeof providerEntry>;
