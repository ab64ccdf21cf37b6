import type { RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { projectDraft } from "../draft.ts";
import { replayStore } from "../replay.ts";
import { renderDraft } from "../render.ts";
import { showStatus } from "../status.ts";
import { absolutePath } from "@okstra/manifest-io/project-path";
import { withRun } from "./change.ts";
import { digestFile } from "./digest-file.ts";
import { readStore } from "./store.ts";
import type { Task } from "./task.ts";

/** Tells where a discussion stands. */
export function readStatus(task: Task) {
  return withRun(task, showStatus(projectDraft(readStore(task.storeDirectory)), task.context));
}

/** Renders a discussion as Markdown. */
export function readDraftText(task: Task): string {
  return renderDraft(projectDraft(readStore(task.storeDirectory)), task.taskKey);
}

/** Lists the records of a discussion, of one kind or all. */
export function readLog(task: Task, kind: RecordKind | undefined) {
  const all = readStore(task.storeDirectory);
  const records = all.filter((record) => kind === undefined || record.kind === kind);
  return withRun(task, { revision: all.length, records });
}

/** Compares the files that a record names with what the record alone gives. */
export function replayTask(task: Task) {
  const records = readStore(task.storeDirectory);
  const digest = (path: string) => digestFile(absolutePath(task.projectRoot, path));
  return withRun(task, replayStore(records, task.taskKey, digest));
}
