import * as v from "valibot";
import { isBlank } from "../blank.ts";
import { DIGEST_PATTERN } from "../digest.ts";
import { TIME_PATTERN } from "../time.ts";

/** Object with fields of its own; others are kept. */
export function object<const E extends v.ObjectEntries>(entries: E) {
  return refuseLists(v.looseObject(entries));
}

/** Object that has no other fields. */
export function strictObject<const E extends v.ObjectEntries>(entries: E) {
  return refuseLists(v.strictObject(entries));
}

/** Object whose keys are names that a document chooses. */
export function record<
  K extends v.BaseSchema<string, string | number | symbol, v.BaseIssue<unknown>>,
  V extends v.GenericSchema,
>(key: K, value: V) {
  return refuseLists(v.record(key, value));
}

/** A list is an object to the language, and so to the library; to a document it is not. */
function refuseLists<S extends v.GenericSchema>(schema: S): S {
  const run = schema["~run"];
  return Object.assign(schema, {
    "~run"(this: S, ...[dataset, config]: Parameters<typeof run>): ReturnType<typeof run> {
      if (!Array.isArray(dataset.value)) return run.call(this, dataset, config);
      v._addIssue(this, "type", dataset, config);
      return dataset as unknown as ReturnType<typeof run>;
    },
  });
}

/** Text with something to be seen in it; a JSON Schema can only tell that there is something besides blanks. */
export const text = v.pipe(
  v.string(),
  v.regex(/\S/, "must not be blank"),
  v.check(
    (value) => !/\S/.test(value) || !isBlank(value),
    "must have something in it that can be seen",
  ),
);

/** Digest `sha256:<hex>`. */
export const digest = v.pipe(
  v.string(),
  v.regex(DIGEST_PATTERN, "must be sha256: and 64 hex digits"),
);

/** UTC time with whole seconds. */
export const time = v.pipe(
  v.string(),
  v.regex(TIME_PATTERN, "must be a UTC time such as 2026-01-31T09:05:00Z"),
);

/** Whole number from 0. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Whole number from 1. */
export const positive = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Number of writes of a mutable document. */
export const revision = positive;
