import type { TeamState } from "@okstra/manifest-io/schemas/team-state";

/** Tells a call which of its workers were torn down before it has started them. */
export type IsTornDown = (state: TeamState, workerId: string) => boolean;

/**
 * Puts a teardown on record in a team state. A worker that waits for its turn has no row that could say so.
 *
 * @param workerIds empty: all
 * @param at time of the teardown
 */
export function recordTeardown(
  state: TeamState,
  workerIds: readonly string[],
  at: string,
): TeamState {
  return { ...state, teardowns: [...state.teardowns ?? [], { at, workerIds: [...workerIds] }] };
}

/** Returns what tells of a worker whether a teardown meant it that came after this state. */
export function tornDownSince(seen: TeamState): IsTornDown {
  const count = seen.teardowns?.length ?? 0;
  return ({ teardowns = [] }, workerId) =>
    teardowns.slice(count).some(({ workerIds }) =>
      workerIds.length === 0 || workerIds.includes(workerId)
    );
}
