import { formatCommand } from "@okstra/kit/command-line";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { Context } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import { cycleOfRun, type Draft } from "./draft.ts";
import { commandIn, nextCommand, prepareCommand } from "./next-command.ts";
import { recoverCommands } from "./views.ts";

/** Names the commands that can be given where a discussion stands; capitals in them are to be filled in. */
export function suggestCommands(draft: Draft, context: Context): readonly string[] {
  const command = (...words: string[]) => nextCommand(context, ...words);
  switch (draft.phase) {
    case "no-subject":
      return [command("confirm-subject", "--subject", "TEXT", "--question", "TEXT")];
    case "awaiting-recovery":
      return recoverCommands(context, draft, draft.unrecoveredFailures);
    case "researching":
      return draft.cycles.filter(({ status }) => status === "open")
        .flatMap((cycle) => closeCommands(context, cycle));
    case "awaiting-user":
      return [command("answer", "--question", draft.nextForUser ?? "", "--text", "TEXT")];
    case "awaiting-participant":
      return draft.pendingForParticipants.flatMap((id) => questionCommands(context, draft, id));
    case "options":
      return [
        command("decide", "--text", "TEXT"),
        command("add-material", "--kind", "evidence", "--text", "TEXT"),
        command("complete", "--draft-version", draft.recordsDigest),
      ];
    case "ready":
      return [isFree(draft, context) ? command("cycle-open") : prepareCommand(context)];
    case "completed":
      return [command("reopen", "--reason", "TEXT")];
  }
}

/**
 * Names the commands that bring an open cycle on in its run: settle, which tells what each worker still lacks, as long as
 * any lacks something; then the convergence, which tells its own next step, and the closing behind it.
 */
export function closeCommands(context: Context, cycle: CycleRow): readonly string[] {
  const { sourceRun, roster, results, failures, retryPending } = cycle;
  const told = new Set([...results, ...failures].map(({ author }) => author));
  const isSettled = retryPending.length === 0 && roster.every(({ worker }) => told.has(worker));
  if (!isSettled) return [commandIn(context, sourceRun, "settle")];
  const run = ["--run-manifest", absolutePath(context.projectRoot, sourceRun)];
  return [
    formatCommand(["okstra-convergence", "status", ...run]),
    commandIn(context, sourceRun, "cycle-close"),
  ];
}

/**
 * Names the commands that bring the answer of a participant: in this run if it takes part, else in its last run; and if
 * it never took part in one, the command that does without.
 */
export function questionCommands(context: Context, draft: Draft, id: string): readonly string[] {
  const worker = draft.question(id)?.to ?? "", { run } = context;
  const isHere = run?.participants.some((participant) => participant.worker === worker) ?? false;
  const last = draft.cycles.findLast(({ openedRoster }) =>
    openedRoster.some((participant) => participant.worker === worker)
  );
  const place = isHere ? run?.manifest : last?.sourceRun;
  if (place === undefined) {
    return [nextCommand(context, "drop", "--question", id, "--reason", "TEXT")];
  }
  return ["question-prompt", "collect-answer"].map((name) =>
    commandIn(context, place, name, "--question", id)
  );
}

/** Tells whether the run of a context may still have its one cycle. */
function isFree(draft: Draft, { run }: Context): boolean {
  return run !== null && cycleOfRun(draft, run.manifest) === null;
}
