import { OkstraError } from "@okstra/manifest-io/errors";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { type Backend, BACKENDS } from "@okstra/manifest-io/vocabulary";
import { lastOfEach } from "./awaited.ts";
import type { Job } from "./job.ts";

/**
 * Returns the mode that a set of backends makes: the one they share, else `mixed`.
 *
 * @throws {OkstraError} `empty-plan` for no backend at all
 */
export function dispatchMode(backends: readonly Backend[]): Backend | "mixed" {
  const [first, ...rest] = new Set(backends);
  if (first === undefined) {
    throw new OkstraError("empty-plan", "Cannot dispatch: the plan has no job", {
      hint: "okstra-dispatch plan",
    });
  }
  return rest.length === 0 ? first : "mixed";
}

/**
 * Returns the mode of the dispatch that started jobs: the backends that were really used for them and for the other
 * workers of their kinds.
 */
export function modeOf(rows: readonly DispatchRow[], jobs: readonly Job[]): Backend | "mixed" {
  const kinds = new Set(jobs.map((job) => job.dispatchKind));
  const used = lastOfEach(rows).filter((row) => kinds.has(row.kind ?? ""))
    .flatMap((row) => BACKENDS.filter((backend) => backend === row.backendType));
  return dispatchMode([...used, ...jobs.map((job) => job.backend)]);
}
