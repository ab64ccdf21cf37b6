import * as v from "valibot";
import { type DocumentKind, defineKind } from "../document-kind.ts";

const name = v.pipe(v.string(), v.nonEmpty("a non-empty text"));

const schema = v.looseObject({
  schemaVersion: v.exactOptional(v.string()),
  eventType: name,
  leadRuntime: name,
  taskKey: name,
  taskType: name,
  runSequence: name,
  timestamp: name,
  details: v.looseObject({}),
});

/** One line of a run's lead events: what happened, when, and the facts of that event. */
export type LeadEvent = v.InferOutput<typeof schema>;

/** The document kind `lead-event`. */
export const leadEvent: DocumentKind<LeadEvent> = defineKind("lead-event", "lead event", schema);
