import { OkstraError } from "@okstra/manifest-io/errors";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { compareText } from "@okstra/manifest-io/json-text";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { resolveWorker } from "./names.ts";
import type { NamedOutcome } from "./outcome-options.ts";

/** What became of a worker according to an await summary; `resultPath` is null if there is none. */
export interface AwaitedOutcome extends NamedOutcome {
  readonly resultPath: string | null;
}

/**
 * Reads from an await summary what became of every planned worker.
 *
 * Entries of other dispatch kinds are ignored.
 *
 * @param dispatchKind kind of the round's dispatches
 * @throws {OkstraError} `bad-outcome` if a worker is missing, unknown or named twice; `still-running`
 */
export function readAwaited(
  summary: AwaitSummary,
  planned: ReadonlySet<string>,
  dispatchKind: string,
): ReadonlyMap<string, AwaitedOutcome> {
  const whole =
    `give the summary of this round: okstra-dispatch await --dispatch-kind ${dispatchKind}`;
  const refuse = (state: string, hint = whole) => refuseSummary(state, hint);
  const rows = summary.workers.filter((row) => row.dispatchKind === dispatchKind);
  const outcomes = new Map<string, AwaitedOutcome>(), running: string[] = [];
  for (const row of rows) {
    const worker = resolveWorker(planned, row.workerId);
    if (worker === null) refuse(`it names ${row.workerId}, which the plan did not ask`);
    if (outcomes.has(worker!)) refuse(`it names ${row.workerId} twice for ${dispatchKind}`);
    if (isLiveStatus(row.status)) running.push(`${row.workerId} (${row.dispatchId})`);
    outcomes.set(worker!, {
      status: row.status,
      durationMs: row.durationMs ?? 0,
      resultPath: row.resultPath === "" ? null : row.resultPath,
    });
  }
  const missing = [...planned].filter((worker) => !outcomes.has(worker)).sort(compareText);
  if (missing.length > 0) {
    const who = missing.join(", ");
    // Who is in no summary of the round was left out of this one, or never dispatched.
    if (rows.length > 0) {
      refuse(
        `it says nothing about ${who} for ${dispatchKind}; it holds ${
          [...outcomes.keys()].join(", ")
        }`,
        "okstra-convergence status tells which step is next",
      );
    }
    const kinds = [...new Set(summary.workers.map((row) => row.dispatchKind))];
    const held = kinds.length === 0 ? "nothing" : kinds.join(", ");
    refuse(`it says nothing about ${who} for ${dispatchKind}; it holds ${held}`);
  }
  if (running.length === 0) return outcomes;
  const is = running.length === 1 ? "is" : "are";
  throw new OkstraError(
    "still-running",
    `Cannot collect results: ${running.join(", ")} ${is} still running`,
    {
      hint:
        `wait with okstra-dispatch await --dispatch-kind ${dispatchKind}, or end it with okstra-dispatch teardown`,
    },
  );
}

function refuseSummary(state: string, hint: string): never {
  throw new OkstraError("bad-outcome", `Cannot use the await summary: ${state}`, { hint });
}
