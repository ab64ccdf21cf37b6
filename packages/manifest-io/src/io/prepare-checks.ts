import { join } from "@std/path";
import { OkstraError } from "../errors.ts";
import { isInside } from "../project-path.ts";
import { findLostHeaders, type PromptHeaders } from "../prompt-headers.ts";
import { type TaskType, WORKTREE_TASK_TYPES } from "../vocabulary.ts";
import { resolveExisting } from "./run.ts";

/** Refuses a worktree that nobody would be given, and an implementation that has none to work in. */
export function checkWorktree(taskType: TaskType, worktree: string | undefined): void {
  const refuse = (state: string, hint: string) =>
    new OkstraError("bad-worktree", `Cannot prepare a run of ${taskType}: ${state}`, { hint });
  if (worktree === undefined && taskType === "implementation") {
    const hint = "name the directory that its workers change with --worktree DIR";
    throw refuse("it has no worktree", hint);
  }
  if (worktree === undefined || WORKTREE_TASK_TYPES.includes(taskType)) return;
  const types = WORKTREE_TASK_TYPES.join(" and ");
  throw refuse("its workers are given no worktree", `--worktree is for ${types}; leave it out`);
}

/** Refuses directories that no prompt could name: a header is one line. */
export function checkPaths(projectRoot: string, worktree: string | undefined): void {
  const paths: PromptHeaders = {
    "Project Root": projectRoot,
    ...(worktree && { "Worktree": worktree }),
  };
  const [label] = findLostHeaders(paths);
  if (label === undefined) return;
  throw new OkstraError(
    "bad-directory",
    `Cannot use ${JSON.stringify(paths[label])} as ${label.toLowerCase()}: ` +
      "a prompt names it in one line, without blanks around it",
    { hint: "move it to a path without line breaks that does not begin or end with a blank" },
  );
}

/** Refuses places that a link leads out of the project: what is written there would be somebody else's. */
export function checkLinks(projectRoot: string, paths: readonly string[]): void {
  const lost = paths.find((path) =>
    !isInside(projectRoot, resolveExisting(join(projectRoot, path)))
  );
  if (lost === undefined) return;
  throw new OkstraError(
    "outside",
    `Cannot prepare a run with ${JSON.stringify(lost)}: a link leads out of the project`,
    { hint: "remove the link" },
  );
}
