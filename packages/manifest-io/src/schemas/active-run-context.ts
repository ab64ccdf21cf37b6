import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { positive, text } from "./common.ts";

const schema = v.looseObject({
  schemaVersion: v.literal("1.0"),
  revision: positive,
  taskKey: text,
  taskType: text,
  briefPath: text,
  analysisProfilePath: v.nullable(text),
  analysisPacketPath: v.nullable(text),
  executorWorktree: v.looseObject({ path: v.string() }),
  workflow: v.looseObject({ forbiddenActions: text }),
  errorLogs: v.looseObject({ sidecarsByWorkerId: v.record(v.string(), text) }),
});

/** What the workers of a run may and may not do, and where their inputs lie. */
export const activeRunContext = defineKind("active-run-context", "active run context", schema);
export type ActiveRunContext = v.InferOutput<typeof schema>;
