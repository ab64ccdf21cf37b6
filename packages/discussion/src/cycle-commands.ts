import { absolutePath } from "@okstra/manifest-io/project-path";
import { formatCommand } from "@okstra/kit/command-line";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import type { Context } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import type { Draft } from "./draft.ts";
import type { RunWork } from "./look.ts";
import { commandIn } from "./next-command.ts";
import { dispatchCommand, researchBatchPath, retryCommand } from "./research-names.ts";
import { type ResearchProgress, researchProgress } from "./research-progress.ts";
import { hasUncollected } from "./uncollected-questions.ts";

/**
 * Names the commands that bring an open cycle on in its run, one after the other: what dispatches the workers that were
 * not dispatched, what waits for those that run, and what puts on record how they ended; once all of it is on record,
 * what the workers ask, the findings, the convergence, which tells its own next step, and at its end the closing.
 */
export function cycleCommands(
  context: Context,
  draft: Draft,
  cycle: CycleRow,
): readonly string[] {
  const work = context.look?.work(cycle.sourceRun) ?? null;
  const progress = work === null ? null : researchProgress(cycle, work);
  if (work === null || progress === null) return recordCommands(context, cycle);
  const ways = [
    ...dispatchCommands(context, work, cycle, progress),
    ...awaitCommands(context, cycle, progress),
  ];
  if (ways.length > 0 || progress.fresh.length > 0) {
    return [...ways, commandIn(context, cycle.sourceRun, "settle")];
  }
  return [
    ...hasUncollected(draft, cycle, work.readResult)
      ? [commandIn(context, cycle.sourceRun, "collect-questions")]
      : [],
    work.hasFinalState
      ? commandIn(context, cycle.sourceRun, "cycle-close")
      : work.hasGroups
      ? convergenceCommand(context, cycle)
      : collectCommand(context, cycle),
  ];
}

/** Names the commands that put on record what came of workers since: while the user has to choose, nothing else goes on. */
export function settleCommands(context: Context, cycle: CycleRow): readonly string[] {
  const work = context.look?.work(cycle.sourceRun) ?? null;
  const progress = work === null ? null : researchProgress(cycle, work);
  if (progress === null || progress.fresh.length === 0) return [];
  return [
    ...awaitCommands(context, cycle, progress),
    commandIn(context, cycle.sourceRun, "settle"),
  ];
}

function dispatchCommands(
  context: Context,
  { run }: RunWork,
  cycle: CycleRow,
  { missing, retries }: ResearchProgress,
): readonly string[] {
  const here = { ...context, run }, path = researchBatchPath(run, cycle.recordId);
  // Without the names, those that have failed would be tried again too, about which the user decides.
  const isAll = missing.length === cycle.openedRoster.length;
  const named = isAll ? [] : missing.flatMap((worker) => ["--worker", worker]);
  return [
    ...retries.map((worker) => retryCommand(here, cycle, worker)),
    ...missing.length > 0 ? [dispatchCommand(here, path, ...named)] : [],
  ];
}

function awaitCommands(
  context: Context,
  cycle: CycleRow,
  { fresh }: ResearchProgress,
): readonly string[] {
  if (!fresh.some(({ isAwaitable }) => isAwaitable)) return [];
  return [runCommand(context, cycle, "okstra-dispatch", "await", "--dispatch-kind", INITIAL_KIND)];
}

/** What the record alone tells: whether something of every worker is on it. */
function recordCommands(context: Context, cycle: CycleRow): readonly string[] {
  const { sourceRun, roster, results, failures, retryPending } = cycle;
  const told = new Set([...results, ...failures].map(({ author }) => author));
  const isSettled = retryPending.length === 0 && roster.every(({ worker }) => told.has(worker));
  return [
    isSettled ? convergenceCommand(context, cycle) : commandIn(context, sourceRun, "settle"),
  ];
}

/** Names what takes up the findings; who was given up has none. */
export function collectCommand(context: Context, cycle: CycleRow): string {
  const absent = cycle.unverified.flatMap((worker) => ["--absent", worker]);
  return runCommand(context, cycle, "okstra-convergence", "collect-findings", ...absent);
}

function convergenceCommand(context: Context, cycle: CycleRow): string {
  return runCommand(context, cycle, "okstra-convergence", "status");
}

function runCommand(context: Context, cycle: CycleRow, ...words: readonly string[]): string {
  const manifest = absolutePath(context.projectRoot, cycle.sourceRun);
  return formatCommand([...words, "--run-manifest", manifest]);
}
