import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { FAILURE_CLASSES } from "../vocabulary.ts";
import { count, object, positive, text, time } from "./common.ts";

const schema = object({
  schemaVersion: v.literal("1.0"),
  revision: positive,
  provider: text,
  notBefore: time,
  failures: count,
  cause: object({
    dispatchId: text,
    failureClass: v.picklist(FAILURE_CLASSES),
    retryAfterMs: v.exactOptional(v.nullable(count)),
  }),
});

/**
 * Until when no worker of a run is started with a provider, and why.
 *
 * `notBefore` is a time of the real clock, rounded up to the second. `failures` counts the refusals since the provider
 * last let a worker of the run complete; where it names no time (`retryAfterMs` is `null`) the wait grows with it.
 */
export type ProviderHold = v.InferOutput<typeof schema>;

/** The document kind `provider-hold`. */
export const providerHold = defineKind("provider-hold", "provider hold", schema);
