import { attemptOf } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";

/** Returns what the pane of a dispatch carries: its dispatch id, else prompt and attempt, on one line. */
export function rowTag(row: DispatchRow): string {
  return formatTag(row.dispatchId ?? "", row.promptPath ?? "", attemptOf(row));
}

/** As {@linkcode rowTag}, from single facts. */
export function formatTag(dispatchId: string, promptPath: string, attempt: number): string {
  const id = dispatchId.trim();
  return id === "" ? `${encodeURIComponent(promptPath)}#${attempt}` : id;
}
