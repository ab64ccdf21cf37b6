import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text, time } from "./common.ts";

const schema = object({
  schemaVersion: v.optional(text),
  eventType: text,
  leadRuntime: text,
  taskKey: text,
  taskType: text,
  runSequence: text,
  timestamp: time,
  details: object({}),
});

/** One line of a run's lead events: what happened, when, and the facts of that event. */
export const leadEvent = defineKind("lead-event", "lead event", schema);
export type LeadEvent = v.InferOutput<typeof schema>;
