import { stat } from "@okstra/kit/host";
import { type ActiveRunContext, activeRunContext } from "../schemas/active-run-context.ts";
import { WORKTREE_TASK_TYPES } from "../vocabulary.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";

/**
 * Reads the active run context; null if the run manifest names none or the file is absent.
 *
 * @throws {OkstraError} if the file is there and is no active run context
 */
export function readActiveContext(run: Run): ActiveRunContext | null {
  const path = run.manifest.activeRunContextPath;
  if (path === "" || stat(run.at(path)) === null) return null;
  return readDocument(activeRunContext, run.at(path));
}

/** Returns the absolute worktree of a run's workers; blank for task types that have none. */
export function worktreePath(run: Run, context: ActiveRunContext | null): string {
  if (!WORKTREE_TASK_TYPES.includes(run.taskType)) return "";
  const path = context?.executorWorktree.path.trim() ?? "";
  return path === "" ? "" : run.at(path);
}
