import { complete, type CompletePayload } from "../complete.ts";
import { recordPath } from "@okstra/manifest-io/io/run";
import { join } from "@std/path";
import { type Answer, type ChangeOptions, changeTask } from "./change.ts";
import type { Task } from "./task.ts";

/** Completes a discussion on the draft version that the user saw. */
export function completeTask(
  task: Task,
  options: ChangeOptions & { readonly draftVersion: string },
): Answer<CompletePayload> {
  const contentPath = (revisionId: string) =>
    recordPath(task.projectRoot, join(task.storeDirectory, "revisions", `${revisionId}.md`));
  const input = { draftVersion: options.draftVersion, contentPath };
  return changeTask(task, options, (ledger) => complete(ledger, task.context, input));
}
