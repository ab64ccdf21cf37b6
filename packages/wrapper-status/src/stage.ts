import type { WrapperStage } from "@okstra/manifest-io/schemas/status-sidecar";

/** What can happen to a run. */
export const RUN_EVENTS = [
  "refuse",
  "spawn",
  "fail-to-spawn",
  "stop",
  "child-exit",
  "finish",
] as const;
export type RunEvent = typeof RUN_EVENTS[number];

/** What is true on disk in each stage, and what may follow. */
const TABLE: Readonly<Record<WrapperStage, Partial<Record<RunEvent, WrapperStage>>>> = {
  // Nothing was started; the end.
  refused: {},
  // The sidecar stands, no child exists yet.
  starting: { "refuse": "refused", "spawn": "running", "fail-to-spawn": "exited" },
  // The child's identity is recorded.
  running: { "stop": "ending", "child-exit": "ending" },
  // The child is being ended, or has ended and what it left is being cleared.
  ending: { "child-exit": "ending", "finish": "exited" },
  // Exit status, completion paths and the emptiness of the group are recorded; the end.
  exited: {},
};

/**
 * Returns the stage that follows.
 *
 * @throws {Error} if the event cannot happen in this stage, which is a defect of the caller
 */
export function nextStage(stage: WrapperStage, event: RunEvent): WrapperStage {
  const next = TABLE[stage][event];
  if (next === undefined) {
    const possible = Object.keys(TABLE[stage]).join(", ") || "nothing";
    throw new Error(`Cannot ${event} in stage ${stage}: expected ${possible}`);
  }
  return next;
}

/** Tells whether nothing will follow. */
export function isTerminalStage(stage: WrapperStage): boolean {
  return Object.keys(TABLE[stage]).length === 0;
}
