import { readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { formatSequence, runNames } from "../run-names.ts";
import { runFrame } from "../schemas/run-manifest.ts";
import type { TaskType } from "../vocabulary.ts";
import { readDocument } from "./document.ts";

/** Returns the number of the last run of a type in a task; 0 if there is none. */
export function highestSequence(projectRoot: string, taskKey: string, taskType: TaskType): number {
  const directory = join(projectRoot, runNames(taskKey, taskType, "").manifestsDirectory);
  if (!stat(directory)) return 0;
  const start = `run-manifest-${taskType}-`;
  return Math.max(
    0,
    ...readDir(directory)
      .filter(({ name }) =>
        name.startsWith(start) && /^\d{3,9}\.json$/.test(name.slice(start.length))
      )
      .map(({ name }) => parseInt(name.slice(start.length), 10)),
  );
}

/** Reads what the next run of a task takes from the last one of its type; `null` if there is none. */
export function readLastRun(projectRoot: string, taskKey: string, taskType: TaskType) {
  const last = highestSequence(projectRoot, taskKey, taskType);
  if (last === 0) return null;
  const { runManifest: path } = runNames(taskKey, taskType, formatSequence(last));
  return readDocument(runFrame, join(projectRoot, path));
}
