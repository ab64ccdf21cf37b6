import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { PlannedInvocation } from "@okstra/manifest-io/invocation";
import type { Run } from "@okstra/manifest-io/io/run";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { discussionRecords } from "@okstra/manifest-io/task-key";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { invocationKey } from "../awaited.ts";
import { findBatchOf, type PlanVerb, startCommand } from "../start-hint.ts";
import { listReadyBatches } from "./ready-batches.ts";

type Invocations = readonly PlannedInvocation[];

/**
 * Refuses to give workers the bare brief where a batch of the run says what they are to do, or a discussion that has
 * begun is about to: batch and roster have one prompt for a worker.
 *
 * @param isNamed whether the caller named the workers
 * @param verb what the caller is about to do
 * @throws {OkstraError} `batch-ready` or `no-cycle`
 */
export function refuseAsked(
  run: Run,
  state: TeamState,
  invocations: Invocations,
  isNamed: boolean,
  verb: PlanVerb | undefined,
): void {
  const known = new Set((state.workerDispatches ?? []).map(invocationKey));
  const fresh = invocations.filter(({ invocationId }) => !known.has(invocationId))
    .map(({ workerId }) => workerId);
  const batch = findBatchOf(listReadyBatches(run), fresh, INITIAL_KIND);
  const refuse = (code: string, who: readonly string[], state: string, hint: string) => {
    const message = `Cannot plan a dispatch for ${who.join(", ")} without a batch: ${state}`;
    return new OkstraError(code, message, { hint });
  };
  if (batch !== null) {
    const state = `${JSON.stringify(batch.path)} says what they are to do`;
    const who = fresh.filter((id) => batch.invocations.some((each) => each["worker-id"] === id));
    throw refuse("batch-ready", who, state, startCommand(isNamed ? who : [], batch.path, verb));
  }
  const participants = fresh.filter((id) => isParticipant(run, id));
  if (participants.length === 0 || !isDiscussed(run)) return;
  const cycleless = "the discussion says what they are to do, and has opened no cycle in this run";
  throw refuse("no-cycle", participants, cycleless, "okstra-discussion cycle-open");
}

/**
 * Refuses a batch of which a prompt went to its worker already under another invocation.
 *
 * @throws {OkstraError} `prompt-taken`; the hint leads to what came of that, and to the other workers
 */
export function refuseTaken(
  run: Run,
  state: TeamState,
  invocations: Invocations,
  batchPath: string,
  verb: PlanVerb | undefined,
): void {
  const rows = (state.workerDispatches ?? []).filter((row) => (row.promptPath ?? "") !== "");
  const taker = ({ invocationId, promptPath }: PlannedInvocation) =>
    rows.find((row) =>
      invocationKey(row) !== invocationId && run.at(row.promptPath!) === run.at(promptPath)
    );
  const taken = invocations.filter((each) => taker(each) !== undefined);
  if (taken.length === 0) return;
  const isResearch = run.taskType === "discussion" &&
    taken.every(({ dispatchKind }) => dispatchKind === INITIAL_KIND);
  const others = invocations.filter((each) => !taken.includes(each));
  const lead = isResearch
    ? "put what came of it on record: okstra-discussion settle"
    : "prepare a new invocation with names of its own";
  const rest = others.map(({ workerId }) => workerId);
  throw new OkstraError(
    "prompt-taken",
    `Cannot plan a dispatch for ${taken.map(({ workerId }) => workerId).join(", ")}: ${
      [...new Set(taken.map((each) => invocationKey(taker(each)!)))].join(", ")
    } went out with the same prompt before`,
    {
      hint: rest.length === 0
        ? lead
        : `dispatch the others: ${startCommand(rest, batchPath, verb)}; ${lead}`,
    },
  );
}

/** Says whether a worker takes part in the cycles of a discussion, which its analysers do. */
function isParticipant({ manifest, taskType }: Run, id: string): boolean {
  return taskType === "discussion" &&
    manifest.workerAssignments.some(({ workerId, role }) => workerId === id && role === "analyser");
}

function isDiscussed(run: Run): boolean {
  return stat(run.at(discussionRecords(run.taskKey, run.manifest.discussionStore))) !== null;
}
