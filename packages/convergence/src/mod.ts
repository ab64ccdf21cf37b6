/**
 * Takes the findings of several workers through rounds of verification to a final state.
 *
 * Everything here is pure: documents go in, documents come out. The commands read and write them.
 *
 * @example
 * ```ts
 * import { applyRound, finalizeWork, planRound, seedWorkState } from "@okstra/convergence";
 *
 * declare const groups: unknown, results: unknown;
 *
 * let work = seedWorkState(groups);
 * const plan = planRound(work);
 * if (plan.skippedReason === null) work = applyRound(work, plan, results).work;
 * const state = finalizeWork(work);
 * console.log(state.finalState);
 * ```
 *
 * @module
 */
export { applyGaps, type ApplyGapsResult } from "./apply-gaps.ts";
export { type ApplyResult, applyRound } from "./apply-round.ts";
export { buildGroups, type GroupInput, type WorkerFindings } from "./build-groups.ts";
export { finalizeWork, skipSecondRound } from "./finalize.ts";
export { type ParsedFinding, type ParsedFindings, parseFindingText } from "./finding-text.ts";
export type { TextProblem } from "./markdown-lines.ts";
export { findNearPlaces, type NearPlace } from "./near-places.ts";
export { planRound } from "./plan.ts";
export { formatInstruction, type InstructionInput } from "./prompt-text.ts";
export { buildReport, type Report } from "./report.ts";
export { formatReportHtml } from "./report-html.ts";
export { formatReportMarkdown } from "./report-markdown.ts";
export { formatReportText } from "./report-text.ts";
export { replayConvergence, type Replayed } from "./replay.ts";
export { seedWorkState } from "./seed.ts";
export { nextRound, type Stage, stageOf } from "./stage.ts";
export { checkFinalState, validateState } from "./validate.ts";
export { type ParsedVerdicts, type ParsedVote, parseVerdictText } from "./verdict-text.ts";
