import type { Context } from "./context.ts";
import { cycleCommands, settleCommands } from "./cycle-commands.ts";
import type { Draft } from "./draft.ts";
import { nextCommand } from "./next-command.ts";
import { openCommands } from "./open-commands.ts";
import { questionChoices, questionCommands } from "./question-commands.ts";
import { recoverCommands } from "./views.ts";

/** What can be done where a discussion stands. */
export interface Suggestion {
  /**
   * Commands that lead on, to be given one after the other; capitals in them are to be filled in. Empty while everything
   * waits for a choice.
   */
  readonly nextCommands: readonly string[];
  /** Commands among which the user chooses; capitals in them are to be filled in. Never to be chosen for the user. */
  readonly choices: readonly string[];
}

/** Names what can be done where a discussion stands: what leads on, and what the user may choose. */
export function suggest(draft: Draft, context: Context): Suggestion {
  const command = (...words: string[]) => nextCommand(context, ...words);
  const go = (...nextCommands: readonly string[]) => ({ nextCommands, choices: [] });
  const open = () => draft.cycles.filter(({ status }) => status === "open");
  switch (draft.phase) {
    case "no-subject":
      return go(command("confirm-subject", "--subject", "TEXT", "--question", "TEXT"));
    case "awaiting-recovery":
      return {
        nextCommands: open().flatMap((cycle) => settleCommands(context, cycle)),
        choices: recoverCommands(context, draft, draft.unrecoveredFailures),
      };
    case "researching":
      return go(...open().flatMap((cycle) => cycleCommands(context, draft, cycle)));
    case "awaiting-user":
      return go(command("answer", "--question", draft.nextForUser ?? "", "--text", "TEXT"));
    case "awaiting-participant":
      return suggestForQuestions(draft, context);
    case "options":
      return {
        nextCommands: [],
        choices: [
          command("decide", "--text", "TEXT"),
          command("add-material", "--kind", "evidence", "--text", "TEXT"),
          command("complete", "--draft-version", draft.recordsDigest),
        ],
      };
    case "ready":
      return go(...openCommands(context, draft));
    case "completed":
      return { nextCommands: [], choices: [command("reopen", "--reason", "TEXT")] };
  }
}

/** Names what brings the answers of participants. */
export function suggestForQuestions(draft: Draft, context: Context): Suggestion {
  const questions = draft.pendingForParticipants;
  return {
    nextCommands: questions.flatMap((id) => questionCommands(context, draft, id)),
    choices: questions.flatMap((id) => questionChoices(context, draft, id)),
  };
}

/** Lists all commands of a suggestion, those that lead on first. */
export function allCommands({ nextCommands, choices }: Suggestion): readonly string[] {
  return [...nextCommands, ...choices];
}
