/**
 * Runs one worker's command line, watches it, and says truthfully what became of it.
 *
 * @example
 * ```ts
 * import { explainWorker, runWrapper } from "@okstra/wrapper-status";
 *
 * const { exitStatus, sidecar } = await runWrapper(
 *   { positionals: [], command: ["./agent"], options: { prompt: "task.md", result: ["out.md"] } },
 *   {
 *     env: () => undefined,
 *     environment: () => ({ PATH: "/usr/bin:/bin" }),
 *     absolute: (path) => `/srv/${path}`,
 *     cwd: "/srv",
 *     now: () => new Date(),
 *     show() {},
 *   },
 * );
 * explainWorker(sidecar.promptPath).state; // "exited"
 * ```
 *
 * @module
 */
export { type Presentation, PRESENTATIONS, wrapperArgv, type WrapperJob } from "./argv.ts";
export {
  judge,
  judgeRecorded,
  type Liveness,
  type LivenessFacts,
  type LivenessRule,
  type LivenessState,
  type ProcessFact,
  type RecordedWorker,
} from "./liveness.ts";
export { EVENT_FOLDS, findEventFold } from "./events/streams.ts";
export {
  type AgentEvent,
  type EventFold,
  type Findings,
  foldLine,
  NO_FINDINGS,
  type Trouble,
} from "./events/findings.ts";
export { derivePaths, explainWorker, type Explanation, type PromptPaths } from "./io/explain.ts";
export { type FollowEnd, followLog } from "./io/follow.ts";
export {
  endOrphans,
  type EndOrphansOptions,
  findOrphans,
  type Orphan,
  type OrphanProof,
  type OrphanReport,
  type OrphanSearch,
} from "./io/orphans.ts";
export { readLiveness, readLivenessFacts } from "./io/process-facts.ts";
export { readRunLiveness, type RunLiveness, type WorkerLiveness } from "./io/run-liveness.ts";
export { runWrapper, type WrapperContext, type WrapperResult } from "./io/run-wrapper.ts";
export { readSidecar, sidecarPathFor } from "./io/sidecar.ts";
export { RefusedRunError, type RunWords, WORKER_VARIABLES } from "./run-request.ts";
