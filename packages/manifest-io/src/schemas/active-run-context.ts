import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, record, text } from "./common.ts";

const schema = object({
  schemaVersion: v.literal("1.0"),
  revision: positive,
  taskKey: text,
  taskType: text,
  briefPath: text,
  analysisProfilePath: v.nullable(text),
  analysisPacketPath: v.nullable(text),
  executorWorktree: object({ path: v.string() }),
  workflow: object({ forbiddenActions: text }),
  errorLogs: object({ sidecarsByWorkerId: record(v.string(), text) }),
});

/** What the workers of a run may and may not do, and where their inputs lie. */
export const activeRunContext = defineKind("active-run-context", "active run context", schema);
export type ActiveRunContext = v.InferOutput<typeof schema>;
