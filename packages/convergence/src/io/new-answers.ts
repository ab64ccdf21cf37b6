import { tryWorkerText } from "./answers.ts";
import { type RawDocument, readRaw } from "./documents.ts";
import type { Place } from "./place.ts";
import { isObject } from "../checks.ts";
import { type Assignments, readVotes } from "../collect-results.ts";
import { resolveWorker } from "../names.ts";
import type { AskedProgress } from "../next-step.ts";
import type { Mode } from "../vocabulary.ts";

/** Lists those whose votes are absent in what was collected. */
export function listAbsent(label: string, path: string): ReadonlySet<string> {
  const { dispatches }: RawDocument = readRaw(label, { path, bytes: null }, null);
  const absent = Array.isArray(dispatches)
    ? dispatches.filter((row) => isObject(row) && row["status"] !== "completed")
    : [];
  return new Set(absent.map(({ worker }) => String(worker)));
}

/** Tells whether one of those whose votes are absent has given an answer since that can be read as votes. */
export function hasNewAnswer(
  place: Place,
  { entries }: AskedProgress,
  absent: ReadonlySet<string>,
  assignments: Assignments,
  mode: Mode,
): boolean {
  return entries.some(({ worker: entry, progress }) => {
    const worker = resolveWorker(absent, entry);
    const asked = worker === null ? undefined : assignments.get(worker);
    if (worker === null || asked === undefined || progress.state !== "ended") return false;
    const { status, durationMs, resultPath: path } = progress;
    if (status !== "completed" || path === null) return false;
    const answer = { path, ...tryWorkerText(place, path, "verification result") };
    const outcome = { status, durationMs, answer, isRequired: true };
    const { dispatches: [read] } = readVotes(
      new Map([[worker, asked]]),
      new Map([[worker, outcome]]),
      { mode, onInvalid: "absent", tellHelp: () => "" },
    );
    return read?.status === "completed";
  });
}
