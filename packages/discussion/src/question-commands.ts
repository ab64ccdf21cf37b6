import { formatCommand } from "@okstra/kit/command-line";
import { OkstraError } from "@okstra/manifest-io/errors";
import { absolutePath } from "@okstra/manifest-io/project-path";
import { QUESTION_KIND } from "@okstra/manifest-io/vocabulary";
import type { Context } from "./context.ts";
import type { DispatchOutcome } from "./dispatch-rows.ts";
import type { Draft } from "./draft.ts";
import { commandIn, nextCommand } from "./next-command.ts";
import { listOutcomes } from "./outcomes.ts";
import { questionNames, questionPrefix } from "./question-names.ts";
import { dispatchCommand } from "./research-names.ts";

/**
 * Names the commands that bring the answer of a participant: in this run if it takes part, else in its last run. None if
 * it never took part in one: then the user may do without.
 */
export function questionCommands(context: Context, draft: Draft, id: string): readonly string[] {
  const place = findPlace(context, draft, id);
  if (place === null) return [];
  const collect = commandIn(context, place, "collect-answer", "--question", id);
  const asked = findAsked(context, draft, place, id);
  if (asked === null) return [...handOutCommands(context, draft, place, id), collect];
  if (!asked.isAwaitable) return [collect];
  const manifest = absolutePath(context.projectRoot, place);
  const words = ["--dispatch-kind", QUESTION_KIND, "--run-manifest", manifest];
  return [formatCommand(["okstra-dispatch", "await", ...words]), collect];
}

function handOutCommands(
  context: Context,
  draft: Draft,
  place: string,
  id: string,
): readonly string[] {
  const prompt = commandIn(context, place, "question-prompt", "--question", id);
  const run = context.run?.manifest === place ? context.run : context.look?.work(place)?.run;
  if (run === undefined) return [prompt];
  const failures = draft.failures.filter(({ questionId }) => questionId === id).length;
  const { batchPath } = questionNames(run, id, draft.question(id)?.to ?? "", failures);
  return [prompt, dispatchCommand({ ...context, run }, batchPath)];
}

/** Names what the user may choose about a question that no run can hand out. */
export function questionChoices(context: Context, draft: Draft, id: string): readonly string[] {
  if (findPlace(context, draft, id) !== null) return [];
  return [nextCommand(context, "drop", "--question", id, "--reason", "TEXT")];
}

function findPlace(context: Context, draft: Draft, id: string): string | null {
  const worker = draft.question(id)?.to ?? "", { run } = context;
  const isHere = run?.participants.some((participant) => participant.worker === worker) ?? false;
  if (run !== null && isHere) return run.manifest;
  return draft.cycles.findLast(({ openedRoster }) =>
    openedRoster.some((participant) => participant.worker === worker)
  )?.sourceRun ?? null;
}

/** Finds the dispatch of a question of which nothing is on record yet. */
function findAsked(
  context: Context,
  draft: Draft,
  place: string,
  id: string,
): DispatchOutcome | null {
  const work = context.look?.work(place) ?? null, worker = draft.question(id)?.to ?? "";
  if (work === null) return null;
  try {
    const last = listOutcomes(worker, QUESTION_KIND, work.sources)
      .filter(({ invocationId }) => invocationId.startsWith(questionPrefix(id))).at(-1);
    const isTold = draft.failures.some(({ questionId, dispatch }) =>
      questionId === id && dispatch === last?.dispatch
    );
    return last === undefined || isTold ? null : last;
  } catch (error) {
    if (error instanceof OkstraError) return null;
    throw error;
  }
}
