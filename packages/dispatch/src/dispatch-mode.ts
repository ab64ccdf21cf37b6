import { OkstraError } from "@okstra/manifest-io/errors";
import type { Backend } from "@okstra/manifest-io/vocabulary";

/**
 * Returns the mode that a set of backends makes: the one they share, else `mixed`.
 *
 * @throws {OkstraError} `empty-plan` for no backend at all
 */
export function dispatchMode(backends: readonly Backend[]): Backend | "mixed" {
  const [first, ...rest] = new Set(backends);
  if (first === undefined) {
    throw new OkstraError("empty-plan", "Cannot dispatch: the plan has no job");
  }
  return rest.length === 0 ? first : "mixed";
}
