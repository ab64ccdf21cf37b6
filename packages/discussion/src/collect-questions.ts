import { OkstraError } from "@okstra/manifest-io/errors";
import type { Outcome, RunContext } from "./context.ts";
import { cycleOfRun } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import { type Ledger, refuseIfCompleted } from "./ledger.ts";
import { nextCommand } from "./next-command.ts";
import type { Phase } from "./phase.ts";
import { suggest, type Suggestion } from "./suggest-commands.ts";
import { listCollected, questionKey } from "./uncollected-questions.ts";
import { parseUserQuestions } from "./user-questions.ts";

/** What `collect-questions` answers. */
export interface CollectQuestionsPayload extends Suggestion {
  readonly cycle: string;
  /** The questions of this cycle's results, in the order of the results. */
  readonly questions: readonly string[];
  /** Those of them that this call recorded. */
  readonly created: readonly string[];
  readonly pendingForUser: readonly string[];
  readonly nextForUser: string | null;
  readonly phase: Phase;
}

/**
 * Records what the workers of this run's cycle ask the user; a question of a cycle is recorded once, whatever became
 * of it.
 *
 * @param readResult reads a worker's result as text
 * @throws {OkstraError} `no-cycle` or `completed`
 */
export function collectQuestions(
  ledger: Ledger,
  context: RunContext,
  readResult: (path: string) => string,
): Outcome<CollectQuestionsPayload> {
  refuseIfCompleted(ledger.draft.completedRevision);
  const { run } = context;
  const cycle = cycleOfRun(ledger.draft, run.manifest);
  if (cycle === null) {
    throw new OkstraError(
      "no-cycle",
      `Cannot collect the questions of ${run.manifest}: it has no cycle`,
      {
        hint: "ask what to do first: okstra-discussion cycle-open",
      },
    );
  }
  const cycleId = cycle.recordId, ids = listCollected(ledger.draft, cycleId);
  const questions = new Set<string>(), created: string[] = [];
  for (const { author, resultPath } of cycle.results) {
    for (const text of parseUserQuestions(readResult(resultPath))) {
      const key = questionKey(author, text);
      let id = ids.get(key);
      if (id === undefined) {
        const fields = { to: USER, text, cycleId }, sourceRun = run.manifest;
        const appended = ledger.append({ kind: "question", author, sourceRun, fields });
        id = appended.record.recordId;
        ids.set(key, id);
        if (appended.created) created.push(id);
      }
      questions.add(id);
    }
  }
  const { pendingForUser, nextForUser, phase } = ledger.draft;
  const told: Suggestion = nextForUser === null ? suggest(ledger.draft, context) : {
    nextCommands: [nextCommand(context, "answer", "--question", nextForUser, "--text", "TEXT")],
    choices: [],
  };
  return {
    payload: {
      cycle: cycleId,
      questions: [...questions],
      created,
      pendingForUser,
      nextForUser,
      phase,
      ...told,
    },
    files: [],
  };
}
