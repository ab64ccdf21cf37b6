import { formatCommand } from "@okstra/kit/command-line";
import type { InvocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND, REPORT_WRITER } from "@okstra/manifest-io/vocabulary";
import { invocationKey } from "./awaited.ts";

/** A batch that lies ready in a run. */
export interface ReadyBatch {
  /** Absolute. */
  readonly path: string;
  readonly invocations: InvocationBatch["invocations"];
}

/** What decides by which command workers of a run are started. */
export interface StartFacts {
  /** All dispatch rows of the run. */
  readonly rows: readonly DispatchRow[];
  /** The batches that lie ready. */
  readonly batches: readonly ReadyBatch[];
  /** Whether what the workers are to do is for a discussion to say. */
  readonly isDiscussion: boolean;
}

/**
 * Names the command that starts workers which have no dispatch: with the batch that waits for it, else of the roster. In a
 * discussion nobody is asked without a cycle, so without a batch the command is the one that opens it, or tells what
 * comes first.
 *
 * @param workers whom; empty: any
 * @param kind only for this kind of dispatch
 */
export function startHint(
  { rows, batches, isDiscussion }: StartFacts,
  workers: readonly string[],
  kind: string | undefined,
): string {
  const started = new Set(rows.map(invocationKey));
  for (const { path, invocations } of batches) {
    const open = invocations.filter((each) => !started.has(each["invocation-id"]));
    const wanted = open.filter((each) =>
      (kind === undefined || each["dispatch-kind"] === kind) &&
      (workers.length === 0 || workers.includes(each["worker-id"]))
    );
    if (wanted.length === 0) continue;
    // A worker that failed would be tried again with the whole batch.
    const isAll = wanted.length === invocations.length;
    return startCommand(isAll ? [] : wanted.map((each) => each["worker-id"]), path);
  }
  const kinds = [...new Set(rows.map((row) => row.kind ?? ""))];
  if (rows.length > 0 && kind !== undefined && !kinds.includes(kind)) {
    return `the kinds that the run has: ${kinds.join(", ")}`;
  }
  // The author of the report takes part in no cycle.
  const isReport = workers.length > 0 && workers.every((worker) => worker === REPORT_WRITER);
  return isDiscussion && !isReport ? "okstra-discussion cycle-open" : startCommand(workers, null);
}

/** Workers that a call did not come to, and the command that starts them. */
export interface CutShort {
  readonly workers: readonly string[];
  readonly command: string;
}

/**
 * Lists what was begun and never came to all of its workers: batches, and the roster.
 *
 * @param idle workers of the roster that nobody has asked for or passed over
 */
export function listCutShort(
  { rows, batches }: Pick<StartFacts, "rows" | "batches">,
  idle: readonly string[],
): readonly CutShort[] {
  const started = new Set(rows.map(invocationKey));
  const asked = batches.flatMap(({ invocations }) => invocations);
  const cut = batches.flatMap(({ path, invocations }): readonly CutShort[] => {
    const workers = invocations.filter((each) => !started.has(each["invocation-id"]))
      .map((each) => each["worker-id"]);
    if (workers.length === 0 || workers.length === invocations.length) return [];
    return [{ workers, command: startCommand(workers, path) }];
  });
  const isRosterBegun = rows.some((row) =>
    row.kind === INITIAL_KIND && !asked.some((each) => each["invocation-id"] === invocationKey(row))
  );
  const left = idle.filter((id) => !asked.some((each) => each["worker-id"] === id));
  if (!isRosterBegun || left.length === 0) return cut;
  return [...cut, { workers: left, command: startCommand(left, null) }];
}

/** Finds the batch that says what one of these workers is to do; `null` if none does. */
export function findBatchOf(
  batches: readonly ReadyBatch[],
  workers: readonly string[],
  kind: string,
): ReadyBatch | null {
  return batches.find(({ invocations }) =>
    invocations.some((each) =>
      each["dispatch-kind"] === kind && workers.includes(each["worker-id"])
    )
  ) ?? null;
}

/** What a caller does with a plan. */
export type PlanVerb = "start" | "run" | "plan" | "jobs";

/** Formats the command that starts workers, or does something else with the plan of them; all if none is named. */
export function startCommand(
  workers: readonly string[],
  batchPath: string | null,
  verb: PlanVerb = "start",
): string {
  return formatCommand([
    ...["okstra-dispatch", verb],
    ...workers.flatMap((worker) => ["--worker", worker]),
    ...batchPath === null ? [] : ["--batch", batchPath],
  ]);
}
