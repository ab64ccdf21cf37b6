import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, text, time } from "./common.ts";

const schema = object({
  schemaVersion: v.literal("1.0"),
  revision: positive,
  taskKey: text,
  createdAt: time,
  runs: v.array(object({ taskType: text, runSequence: text, runManifestPath: text })),
});

/** The list of a task's runs. */
export const taskManifest = defineKind("task-manifest", "task manifest", schema);
export type TaskManifest = v.InferOutput<typeof schema>;
