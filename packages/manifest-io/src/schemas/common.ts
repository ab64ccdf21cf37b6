import * as v from "valibot";
import { DIGEST_PATTERN } from "../digest.ts";
import { TIME_PATTERN } from "../time.ts";

/** Text with something in it besides blanks. */
export const text = v.pipe(v.string(), v.regex(/\S/, "must not be blank"));

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
