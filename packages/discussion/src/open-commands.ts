import { formatCommand } from "@okstra/kit/command-line";
import type { Context } from "./context.ts";
import { cycleOfRun, type Draft } from "./draft.ts";
import { commandIn, nextCommand } from "./next-command.ts";

/**
 * Names the command that opens the next cycle: in this run if it has had none, else in the run that was prepared last
 * and has had none, else what prepares one.
 */
export function openCommands(context: Context, draft: Draft): readonly string[] {
  const { run } = context;
  if (run !== null && cycleOfRun(draft, run.manifest) === null) {
    return [nextCommand(context, "cycle-open")];
  }
  const free = findFreeRun(draft, context.look?.runs() ?? []);
  if (free !== null) return [commandIn(context, free, "cycle-open")];
  const last = draft.cycles.at(-1);
  const replaced = last?.status !== "superseded" ? [] : last.failures
    .filter(({ recovery }) => recovery?.choice === "replace").map(({ author }) => author);
  return [prepareCommand(context, replaced)];
}

/**
 * Formats the command that prepares a further run of the discussion, with the lead and the workers of its last run.
 *
 * @param replaced workers in whose place another one is to be named
 */
export function prepareCommand(context: Context, replaced: readonly string[] = []): string {
  const { projectRoot, taskKey, look, store } = context;
  const last = look?.runs().at(-1), team = last === undefined ? null : look?.team(last) ?? null;
  const kept = team?.workers.filter(({ workerId }) => !replaced.includes(workerId)) ?? [];
  const specs = kept.map(({ spec }) => spec);
  if (kept.length === 0 || replaced.length > 0) specs.push("ID");
  // Of a record that is kept elsewhere nobody knows before a run says where.
  const isKnown = store === null || last !== undefined;
  const start = isKnown
    ? ["--discussion-start", taskKey]
    : ["--task-key", taskKey, "--task-type", "discussion"];
  return formatCommand([
    ...["okstra-manifest-io", "prepare", ...start],
    ...["--project-root", projectRoot],
    // A first run has no earlier brief to take.
    ...look !== undefined && last === undefined ? ["--brief", "FILE"] : [],
    ...team === null ? [] : ["--lead", team.lead],
    ...specs.flatMap((spec) => ["--worker", spec]),
  ]);
}

/** Finds the last run that is prepared for a cycle: behind the last one that had a cycle, and without any. */
function findFreeRun(draft: Draft, runs: readonly string[]): string | null {
  const last = runs.at(-1);
  return last === undefined || cycleOfRun(draft, last) !== null ? null : last;
}
