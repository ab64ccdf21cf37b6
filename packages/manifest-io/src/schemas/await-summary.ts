import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text, time } from "./common.ts";

const worker = object({
  workerId: text,
  dispatchKind: text,
  dispatchId: text,
  attempt: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  status: text,
  reason: v.string(),
  late: v.boolean(),
  resultPath: v.string(),
  startedAt: v.nullable(time),
  endedAt: v.nullable(time),
  durationMs: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  evidence: v.array(v.string()),
  rule: text,
});

const schema = object({
  runManifestPath: text,
  timedOut: v.boolean(),
  workers: v.array(worker),
  mutationAudits: v.array(object({})),
});

/**
 * What became of one awaited dispatch.
 *
 * `status` is that of its last row (`running` if it had not ended), `resultPath` is absolute, `late` tells that a
 * valid result arrived after the attempt had been written off, and `rule` names what decided, from `evidence`.
 */
export type AwaitSummaryWorker = v.InferOutput<typeof worker>;

/** What `okstra-dispatch await` prints: one entry per awaited dispatch, those that had ended before included. */
export type AwaitSummary = v.InferOutput<typeof schema>;

/** The document kind `await-summary`. */
export const awaitSummary = defineKind("await-summary", "await summary", schema);
