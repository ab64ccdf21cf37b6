import { absolutePath } from "@okstra/manifest-io/project-path";
import { openDraft } from "../draft.ts";
import { formatLog, type LogFilter } from "../log.ts";
import { listRecords } from "../record-book.ts";
import { replayStore } from "../replay.ts";
import type { renderShow } from "../render-show.ts";
import { showStatus } from "../status.ts";
import { allCommands } from "../suggest-commands.ts";
import { readBook, withRun } from "./change.ts";
import { digestFile } from "./digest-file.ts";
import { revisionPath } from "./store-files.ts";
import type { Task } from "./task.ts";

/** Tells where a discussion stands. */
export function readStatus(task: Task) {
  return withRun(task, readBook(task, (book) => showStatus(openDraft(book), task.context)));
}

/** Renders a discussion for a reader. */
export function readReadable(task: Task, render: typeof renderShow): string {
  return readBook(task, (book) => {
    const commands = allCommands(showStatus(openDraft(book), task.context));
    return render(book, task.taskKey, commands);
  });
}

/** Lists records of a discussion, one JSON object a line. */
export function readLog(task: Task, filter: LogFilter): string {
  return readBook(task, (book) => formatLog(book, filter, task.context));
}

/** Compares the files that a record names with what the record alone gives. */
export function replayTask(task: Task) {
  const { storeDirectory, projectRoot } = task;
  const findFile = (record: Parameters<Parameters<typeof replayStore>[2]>[0]) =>
    digestFile(
      record.kind === "revision"
        ? revisionPath(storeDirectory, record.recordId)
        : absolutePath(projectRoot, record.instructionPath),
    );
  const answer = readBook(
    task,
    (book) => replayStore(listRecords(book), task.taskKey, findFile),
    { skipRevisions: true },
  );
  return withRun(task, answer);
}
