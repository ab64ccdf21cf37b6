import { OkstraError } from "@okstra/manifest-io/errors";
import { formatJson } from "@okstra/manifest-io/json-text";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  type RunContext,
} from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import type { FailureRow } from "./failures.ts";
import { type Ledger, refuseIfCompleted } from "./ledger.ts";
import { commandIn, nextCommand } from "./next-command.ts";
import { openCommands, prepareCommand } from "./open-commands.ts";
import { dispatchCommand, researchBatchPath, researchEntry } from "./research-names.ts";
import { QUESTION_CHOICES, RESEARCH_CHOICES } from "./views.ts";

/** The user's choice about a failure. */
export interface RecoverInput {
  readonly failure: string;
  readonly choice: string;
}

/** What `recover` answers. */
export type RecoverPayload = RecordPayload & {
  /** What follows from the choice, in words. */
  readonly next: string;
  /** The batch of the worker's next try; only for a retry of research. */
  readonly batchPath?: string;
};

type Choice = RecordOf<"recovery">["choice"];

/**
 * Records what the user chose about a failure.
 *
 * @throws {OkstraError} `no-failure`, `bad-choice`, `recovered`, `other-run`, `last-participant` or `completed`
 */
export function recover(
  ledger: Ledger,
  context: RunContext,
  input: RecoverInput,
): Outcome<RecoverPayload> {
  refuseIfCompleted(ledger.draft.completedRevision);
  const { draft, records } = ledger;
  const failure = requireFailure(draft, input.failure);
  const cycle = draft.cycles.find(({ recordId }) => recordId === failure.cycleId) ?? null;
  const choice = requireChoice(failure, input.choice, context);
  if (failure.recovery?.choice !== choice) {
    refuseOtherChoice(failure, choice, records);
    refuseRetry(failure, choice, cycle, context);
    refuseEmptyRoster(failure, choice, cycle);
  }
  const appended = ledger.append({
    kind: "recovery",
    author: USER,
    sourceRun: context.run.manifest,
    fields: {
      failureId: failure.recordId,
      choice,
      worker: failure.author,
      cycleId: failure.cycleId,
      questionId: failure.questionId ?? "",
    },
  });
  const { files, ...fields } =
    choice === "retry" && !appended.created && !isAwaited(ledger, context, failure)
      ? { next: "retry stands; see how to go on: okstra-discussion status", files: [] }
      : cycle === null || failure.questionId !== undefined
      ? followQuestion(context, failure, choice)
      : followResearch(context, ledger.draft, failure, choice, cycle);
  return { ...answerRecord(appended, ledger.draft, context, fields), files };
}

/** Tells whether a retry that stands is still to be dispatched, and from this run. */
function isAwaited({ draft, records }: Ledger, { run }: RunContext, failure: FailureRow): boolean {
  const { author, cycleId, questionId, sourceRun } = failure;
  if (sourceRun !== run.manifest || findOutcome(records, failure) !== undefined) return false;
  if (questionId !== undefined) return draft.pendingForParticipants.includes(questionId);
  const cycle = draft.cycles.find(({ recordId }) => recordId === cycleId);
  return cycle?.status === "open" && cycle.retryPending.includes(author);
}

function requireFailure(draft: Draft, id: string): FailureRow {
  const failure = draft.failures.find(({ recordId }) => recordId === id);
  if (failure !== undefined) return failure;
  throw new OkstraError("no-failure", `Cannot recover ${JSON.stringify(id)}: it is no failure`, {
    hint: "list the failures: okstra-discussion log --kind failure",
  });
}

function requireChoice(failure: FailureRow, choice: string, context: Context): Choice {
  const isQuestion = failure.questionId !== undefined;
  const allowed: readonly string[] = isQuestion ? QUESTION_CHOICES : RESEARCH_CHOICES;
  if (allowed.includes(choice)) return choice as Choice;
  const elsewhere = isQuestion
    ? `; to ask somebody else, prepare a replacement run: ${
      prepareCommand(context, [failure.author])
    }; then address ` +
      "one of its participants: okstra-discussion address --to WORKER --text TEXT --run-manifest PATH"
    : "";
  throw new OkstraError(
    "bad-choice",
    `Cannot recover ${failure.recordId} with ${JSON.stringify(choice)}: it is no choice for it`,
    { hint: `use one of ${allowed.join(", ")}${elsewhere}` },
  );
}

// A retry that cannot be started must not lock the discussion, so it may be changed until something came of it.
function refuseOtherChoice(
  failure: FailureRow,
  choice: Choice,
  records: readonly DiscussionRecord[],
): void {
  const { recovery } = failure;
  if (recovery === null) return;
  const later = findOutcome(records, failure);
  if (recovery.choice === "retry" && later === undefined) return;
  const [help, ...words] = recovery.choice === "later-failure"
    ? ["decide about that", "recover", "--failure", recovery.recordId, "--choice", choice]
    : ["see how to go on", "status"];
  const since = recovery.choice === "retry" ? `, and ${later?.recordId} came of it` : "";
  throw new OkstraError(
    "recovered",
    `Cannot recover ${failure.recordId} with ${choice}: ${recovery.choice} stands ` +
      `(${recovery.recordId})${since}`,
    { hint: `${help}: okstra-discussion ${words.join(" ")}` },
  );
}

/** Finds what came of the same work after it failed. */
function findOutcome(
  records: readonly DiscussionRecord[],
  failure: FailureRow,
): DiscussionRecord | undefined {
  const at = records.findIndex(({ recordId }) => recordId === failure.recordId);
  return records.slice(at + 1).find((record) => isOutcomeOf(record, failure));
}

function isOutcomeOf(record: DiscussionRecord, failure: FailureRow): boolean {
  if (record.author !== failure.author) return false;
  switch (record.kind) {
    case "answer":
      return record.questionId === failure.questionId;
    case "result":
      return failure.questionId === undefined && record.cycleId === failure.cycleId;
    case "failure":
      return record.cycleId === failure.cycleId && record.questionId === failure.questionId;
    default:
      return false;
  }
}

function refuseRetry(
  failure: FailureRow,
  choice: Choice,
  cycle: CycleRow | null,
  context: RunContext,
): void {
  if (choice !== "retry") return;
  if (cycle !== null && cycle.status !== "open") {
    throw new OkstraError(
      "bad-choice",
      `Cannot recover ${failure.recordId} with retry: cycle ${cycle.recordId} is ${cycle.status}, so ` +
        "nothing of it could be settled",
      { hint: "use one of replace, reduce" },
    );
  }
  if (failure.sourceRun === context.run.manifest) return;
  const words = ["recover", "--failure", failure.recordId, "--choice", "retry"];
  throw new OkstraError(
    "other-run",
    `Cannot recover ${failure.recordId} with retry in ${context.run.manifest}: it failed in ` +
      `${failure.sourceRun}, where the attempts are kept`,
    { hint: commandIn(context, failure.sourceRun, ...words) },
  );
}

function refuseEmptyRoster(failure: FailureRow, choice: Choice, cycle: CycleRow | null): void {
  if (choice !== "reduce" || cycle === null) return;
  if (cycle.roster.some(({ worker }) => worker !== failure.author)) return;
  throw new OkstraError(
    "last-participant",
    `Cannot reduce ${cycle.recordId}: ${failure.author} is its last participant`,
    { hint: "use one of retry, replace" },
  );
}

function followResearch(
  context: RunContext,
  draft: Draft,
  failure: FailureRow,
  choice: Choice,
  cycle: CycleRow,
) {
  const { run, taskKey } = context, worker = failure.author;
  if (choice === "replace") {
    return {
      next:
        `prepare a continuation run with --discussion-start ${taskKey} and the new roster; what ` +
        "the others finished stays on record under their names and is input of the next cycle",
      // Other failures may wait for the user still.
      ...draft.phase === "ready" ? { nextCommands: openCommands(context, draft) } : {},
      files: [],
    };
  }
  if (choice === "reduce") {
    return {
      next:
        `go on with cycle ${cycle.recordId} without ${worker}: its part counts as unverified, and ` +
        "the record shows the smaller group",
      files: [],
    };
  }
  const number = cycle.failures.filter(({ author }) => author === worker).length;
  const entry = researchEntry(run, cycle, worker, number);
  const path = absolutePath(
    context.projectRoot,
    researchBatchPath(run, cycle.recordId, { worker, number }),
  );
  return {
    next:
      `dispatch ${entry["invocation-id"]}: ${worker} with assignment ${entry["assignment-ref"]}, ` +
      `kind ${entry["dispatch-kind"]} and the instruction ${cycle.instructionPath}; then settle`,
    batchPath: path,
    nextCommands: [
      dispatchCommand(context, path),
      nextCommand(context, "settle"),
    ],
    files: [{ path, content: formatJson({ invocations: [entry] }) }],
  };
}

function followQuestion(context: RunContext, failure: FailureRow, choice: Choice) {
  const id = failure.questionId ?? "";
  if (choice === "reduce") {
    return {
      next: `no answer to ${id} comes from ${failure.author}; go on without it`,
      files: [],
    };
  }
  return {
    next:
      `prepare the question once more (okstra-discussion question-prompt --question ${id} gives a ` +
      "fresh invocation), dispatch its batch, then collect-answer",
    nextCommands: [nextCommand(context, "question-prompt", "--question", id)],
    files: [],
  };
}
