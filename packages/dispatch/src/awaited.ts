import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";

/** Which dispatches a caller waits for. */
export interface AwaitedFilter {
  /** `null`: the kind of the newest row. */
  readonly dispatchKind: string | null;
  /** Empty: every worker. */
  readonly workerIds: readonly string[];
  /** Invocation ids or prompt paths; `null`: whatever kind and worker select. */
  readonly invocations: readonly string[] | null;
}

/** Returns what all attempts of one piece of work share: the invocation id, else the prompt path. */
export function invocationKey(row: DispatchRow): string {
  return row.invocationId?.trim() || row.promptPath || "";
}

/** Returns the name of a row's attempt: its dispatch id, else prompt path and attempt. */
export function dispatchLabel(row: DispatchRow): string {
  return row.dispatchId?.trim() || `${row.promptPath ?? ""}#${attemptOf(row)}`;
}

/**
 * Returns the last row of each awaited invocation, in the order in which the invocations were first dispatched; rows that
 * have ended are included.
 *
 * @param startHint names what starts workers (none: any) for a kind
 * @throws {OkstraError} `nothing-dispatched` if there is none, or none of a worker that was named: an empty answer would
 * read as success.
 */
export function selectAwaited(
  rows: readonly DispatchRow[],
  filter: AwaitedFilter,
  startHint: (workers: readonly string[], kind: string | undefined) => string,
): readonly DispatchRow[] {
  const kind = filter.dispatchKind ?? (filter.invocations === null ? rows.at(-1)?.kind : undefined);
  const wanted = rows.filter((row) =>
    (kind === undefined || row.kind === kind) &&
    (filter.workerIds.length === 0 || filter.workerIds.includes(workerKey(row))) &&
    (filter.invocations === null || filter.invocations.includes(invocationKey(row)))
  );
  const last = lastOfEach(wanted);
  const absent = filter.workerIds.filter((id) => !wanted.some((row) => workerKey(row) === id));
  if (last.length === 0 || absent.length > 0) {
    const who = absent.length > 0 ? absent.join(", ") : "workers";
    const what = kind === undefined ? "" : ` of kind ${kind}`;
    throw new OkstraError(
      "nothing-dispatched",
      `Cannot await ${who}: the run has no dispatch${what} of ${
        absent.length > 0 ? "that worker" : "any worker"
      }`,
      { hint: startHint(absent, kind) },
    );
  }
  return last;
}

/** Returns the last row of each invocation, in the order in which the invocations were first dispatched. */
export function lastOfEach(rows: readonly DispatchRow[]): readonly DispatchRow[] {
  const last = new Map<string, DispatchRow>();
  for (const row of rows) last.set(invocationKey(row), row);
  return [...last.values()];
}
