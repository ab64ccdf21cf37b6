import { readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { OkstraError } from "../errors.ts";
import { discussionStoreDirectory, parseTaskKey, taskRoot } from "../task-key.ts";

/**
 * Refuses a task key that differs only in case from one whose task or discussion exists: both name one task, and on a
 * file system that ignores case one directory.
 *
 * @throws {OkstraError} `bad-task-key`
 */
export function refuseOtherCase(projectRoot: string, taskKey: string): void {
  for (const path of [taskRoot(taskKey), discussionStoreDirectory(taskKey)]) {
    const segments = parseTaskKey(taskKey);
    let directory = join(projectRoot, ...path.split("/").slice(0, -segments.length));
    for (const segment of segments) {
      if (stat(directory)?.kind !== "directory") break;
      const names = readDir(directory).map(({ name }) => name);
      const twin = names.find((name) => name.toLowerCase() === segment.toLowerCase());
      if (twin !== undefined && !names.includes(segment)) throw otherCase(taskKey, segment, twin);
      directory = join(directory, segment);
    }
  }
}

function otherCase(taskKey: string, segment: string, twin: string): OkstraError {
  return new OkstraError(
    "bad-task-key",
    `Cannot use ${
      JSON.stringify(taskKey)
    } as task key: "${twin}" exists, which differs only in case`,
    { hint: `write "${twin}" for "${segment}"` },
  );
}
