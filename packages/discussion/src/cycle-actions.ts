import type { RunContext } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import type { Draft } from "./draft.ts";
import { cycleCommands } from "./cycle-commands.ts";
import { nextCommand } from "./next-command.ts";
import { openCommands } from "./open-commands.ts";
import { suggest, suggestForQuestions, type Suggestion } from "./suggest-commands.ts";
import { type ClaimView, viewClaims } from "./views.ts";

/** What `cycle-open` answers: what has to happen now, and the commands that do it. */
export type OpenCyclePayload =
  & Suggestion
  & (
    | {
      readonly action: "dispatch";
      readonly created: boolean;
      readonly cycle: string;
      readonly inputRefs: readonly string[];
      readonly instructionPath: string;
      readonly dispatchKind: string;
      readonly audience: string;
      readonly workers: readonly string[];
      /** Absolute, so that it can be handed on from any directory. */
      readonly batchPath: string;
    }
    | {
      readonly action: "present-options";
      readonly reason: string;
      readonly remainingDisagreements: readonly ClaimView[];
      readonly alternatives: readonly Alternative[];
      readonly userOptions: readonly string[];
    }
    | { readonly action: "prepare-run"; readonly reason: string; readonly discussionStart: string }
    | { readonly action: "await-recovery"; readonly failures: readonly string[] }
    | { readonly action: "await-user"; readonly nextForUser: string }
    | { readonly action: "await-participant"; readonly questions: readonly string[] }
    | { readonly action: "completed"; readonly revisionId: string; readonly reason: string }
    | {
      readonly action: "await-cycle";
      readonly cycle: string;
      readonly run: string;
      readonly reason: string;
    }
  );

interface Alternative {
  readonly recordId: string;
  readonly text: string;
  readonly author: string;
}

/** The user's question comes first. */
export function awaitUser(context: RunContext, nextForUser: string): OpenCyclePayload {
  const command = nextCommand(context, "answer", "--question", nextForUser, "--text", "TEXT");
  return { action: "await-user", nextForUser, nextCommands: [command], choices: [] };
}

/** The same input was researched already: the user chooses how to go on. */
export function presentOptions(
  context: RunContext,
  draft: Draft,
  cycle: CycleRow,
): OpenCyclePayload {
  // A closed cycle of this run comes before what else is waited for.
  const told = suggest(draft, context);
  const choices = [
    nextCommand(context, "decide", "--text", "TEXT"),
    nextCommand(context, "add-material", "--kind", "evidence", "--text", "TEXT"),
    nextCommand(context, "add-material", "--kind", "alternative", "--text", "TEXT"),
    nextCommand(context, "address", "--to", "WORKER", "--text", "TEXT"),
    ...draft.phase === "options"
      ? [nextCommand(context, "complete", "--draft-version", draft.recordsDigest)]
      : told.choices,
  ];
  return {
    action: "present-options",
    reason:
      `cycle ${cycle.recordId} read the same input: no new evidence, no answer of the user and ` +
      "no alternative has come in since, so the same research is not paid for twice",
    remainingDisagreements: viewClaims(draft, draft.remainingDisagreements),
    alternatives: draft.materials.filter(({ materialKind }) => materialKind === "alternative")
      .map(({ recordId, text, author }) => ({ recordId, text, author })),
    userOptions: [
      "choose a direction and put it on record with okstra-discussion decide",
      "bring evidence or an alternative with okstra-discussion add-material and have it researched",
      "ask a single participant with okstra-discussion address",
    ],
    nextCommands: draft.phase === "options" ? [] : told.nextCommands,
    choices,
  };
}

/** The run has had its cycle: the next one needs a run of its own. */
export function prepareRun(context: RunContext, draft: Draft, reason: string): OpenCyclePayload {
  return {
    action: "prepare-run",
    reason,
    discussionStart: context.taskKey,
    nextCommands: openCommands(context, draft),
    choices: [],
  };
}

/** The user completed the discussion. */
export function tellCompleted(context: RunContext, revisionId: string): OpenCyclePayload {
  return {
    action: "completed",
    revisionId,
    reason:
      `the user completed the discussion with ${revisionId}; okstra-discussion reopen makes a ` +
      "new draft",
    nextCommands: [],
    choices: [nextCommand(context, "reopen", "--reason", "TEXT")],
  };
}

/** The user has to decide about failures first. */
export function awaitRecovery(context: RunContext, draft: Draft): OpenCyclePayload {
  const failures = draft.unrecoveredFailures;
  return { action: "await-recovery", failures, ...suggest(draft, context) };
}

/** Questions to participants have to be answered first. */
export function awaitParticipant(context: RunContext, draft: Draft): OpenCyclePayload {
  const questions = draft.pendingForParticipants;
  return { action: "await-participant", questions, ...suggestForQuestions(draft, context) };
}

/** The cycle of another run has to end first. */
export function awaitCycle(context: RunContext, draft: Draft, cycle: CycleRow): OpenCyclePayload {
  return {
    action: "await-cycle",
    cycle: cycle.recordId,
    run: cycle.sourceRun,
    reason:
      `cycle ${cycle.recordId} is still open in ${cycle.sourceRun}: settle and close it there, ` +
      "or recover its failure; a worker that was never dispatched becomes a failure by settle --not-run",
    nextCommands: cycleCommands(context, draft, cycle),
    choices: [],
  };
}
