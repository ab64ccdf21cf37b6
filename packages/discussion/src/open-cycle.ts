import { digestBytes } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { formatJson } from "@okstra/manifest-io/json-text";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { InvocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import type { Outcome, OutputFile, RunContext } from "./context.ts";
import {
  awaitCycle,
  awaitParticipant,
  awaitRecovery,
  awaitUser,
  type OpenCyclePayload,
  prepareRun,
  presentOptions,
  tellCompleted,
} from "./cycle-actions.ts";
import { cycleCommands } from "./cycle-commands.ts";
import { areSameRefs, type CycleRow, lastClosedCycle } from "./cycles.ts";
import { cycleOfRun, type Draft } from "./draft.ts";
import { LEAD } from "./reserved-authors.ts";
import { type Ledger, refuseWithoutSubject } from "./ledger.ts";
import { nextCommand, nextRunCommand } from "./next-command.ts";
import { formatResearchInstruction } from "./research-instruction.ts";
import {
  ANALYSIS_DUTY,
  researchBatchPath,
  researchEntry,
  researchInstructionPath,
} from "./research-names.ts";

/** Facts from disk that opening a cycle depends on. */
export interface OpenCycleFacts {
  /** Returns the digest of a file's bytes; `null` if there is no such file. */
  digestFile(path: string): string | null;
}

/**
 * Decides what research is to be done now, and opens the cycle of this run if it is its turn.
 *
 * The checks stand in their order: the first that applies decides.
 *
 * @throws {OkstraError} `no-subject`, or `instruction-changed` if the text that workers got is no longer there
 */
export function openCycle(
  ledger: Ledger,
  context: RunContext,
  facts: OpenCycleFacts,
): Outcome<OpenCyclePayload> {
  const { draft } = ledger;
  refuseWithoutSubject(draft);
  if (draft.completedRevision !== null) return act(tellCompleted(context, draft.completedRevision));
  if (draft.unrecoveredFailures.length > 0) return act(awaitRecovery(context, draft));
  const own = cycleOfRun(draft, context.run.manifest);
  if (own !== null) return repeatCycle(context, draft, own, facts);
  const [nextForUser] = draft.pendingForUser;
  if (nextForUser !== undefined) {
    return act(awaitUser(context, nextForUser));
  }
  if (draft.pendingForParticipants.length > 0) return act(awaitParticipant(context, draft));
  const elsewhere = draft.cycles.find(({ status }) => status === "open");
  if (elsewhere !== undefined) return act(awaitCycle(context, draft, elsewhere));
  const closed = lastClosedCycle(draft.cycles);
  if (closed !== null && areSameRefs(closed.inputRefs, draft.inputRefs)) {
    return act(presentOptions(context, draft, closed));
  }
  return createCycle(ledger, context);
}

function createCycle(ledger: Ledger, context: RunContext): Outcome<OpenCyclePayload> {
  const { run } = context, { draft } = ledger;
  const id = ledger.nextId("cycle");
  const instruction = {
    path: researchInstructionPath(run),
    content: formatResearchInstruction(id, context.taskKey, draft),
  };
  const { record } = ledger.append({
    kind: "cycle",
    author: LEAD,
    sourceRun: run.manifest,
    fields: {
      inputRefs: [...draft.inputRefs],
      roster: [...run.participants],
      instructionPath: instruction.path,
      instructionDigest: digestBytes(instruction.content),
    },
  });
  if (record.recordId !== id) throw new Error(`cycle ${id} was recorded as ${record.recordId}`);
  const cycle = cycleOfRun(ledger.draft, run.manifest);
  if (cycle === null) throw new Error(`cycle ${id} is not in the draft`);
  return dispatchCycle(context, ledger.draft, cycle, [instruction]);
}

function repeatCycle(
  context: RunContext,
  draft: Draft,
  cycle: CycleRow,
  facts: OpenCycleFacts,
): Outcome<OpenCyclePayload> {
  if (cycle.status === "superseded") {
    const reason = `a participant of ${cycle.recordId} is being replaced, as the user chose, and ` +
      "a run has room for just one cycle";
    return act(prepareRun(context, draft, reason));
  }
  if (cycle.status === "closed") {
    if (areSameRefs(cycle.inputRefs, draft.inputRefs)) {
      return act(presentOptions(context, draft, cycle));
    }
    const reason =
      `input came in since cycle ${cycle.recordId} was closed, and a run has room for ` +
      "just one cycle";
    return act(prepareRun(context, draft, reason));
  }
  const found = facts.digestFile(cycle.instructionPath);
  if (found !== cycle.instructionDigest) {
    const state = found === null ? "is missing" : "was changed";
    throw new OkstraError(
      "instruction-changed",
      `Cannot dispatch ${cycle.recordId}: ${
        JSON.stringify(cycle.instructionPath)
      } ${state}, although ` +
        "the cycle has exactly that text on record as its input",
      {
        hint: `put back the file as it was (${cycle.instructionDigest}), then compare: ` +
          "okstra-discussion replay",
      },
    );
  }
  return dispatchCycle(context, draft, cycle, []);
}

function dispatchCycle(
  context: RunContext,
  draft: Draft,
  cycle: CycleRow,
  written: readonly OutputFile[],
): Outcome<OpenCyclePayload> {
  const { run } = context;
  const workers = run.participants.map(({ worker }) => worker)
    .filter((worker) => !cycle.unverified.includes(worker));
  const batch: InvocationBatch = {
    invocations: workers.map((worker) => researchEntry(run, cycle, worker, 0)),
  };
  const batchPath = absolutePath(context.projectRoot, researchBatchPath(run, cycle.recordId));
  // Workers may have been dispatched before the cycle was opened.
  const known = context.look === undefined ? [] : cycleCommands(context, draft, cycle);
  return {
    payload: {
      action: "dispatch",
      created: written.length > 0,
      cycle: cycle.recordId,
      inputRefs: cycle.inputRefs,
      instructionPath: cycle.instructionPath,
      dispatchKind: INITIAL_KIND,
      audience: ANALYSIS_DUTY,
      workers,
      batchPath,
      nextCommands: known.length > 0 ? known : [
        nextRunCommand(context, "okstra-dispatch", "run", "--batch", batchPath),
        nextCommand(context, "settle"),
      ],
      choices: [],
    },
    files: [...written, { path: batchPath, content: formatJson(batch) }],
  };
}

function act(payload: OpenCyclePayload): Outcome<OpenCyclePayload> {
  return { payload, files: [] };
}
