import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { isOlderThan } from "@okstra/manifest-io/file-age";
import { finishAttempt, readExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { checkRevision, type UpdateOptions } from "@okstra/manifest-io/io/document";
import { compareWithSnapshotFile } from "@okstra/manifest-io/io/mutation-audit";
import { readOutOfPlanEdits } from "@okstra/manifest-io/io/out-of-plan-edits";
import { findResult } from "@okstra/manifest-io/io/result-file";
import type { Run } from "@okstra/manifest-io/io/run";
import {
  type MutationAudit,
  NOT_AUDITED,
  rejectSnapshot,
} from "@okstra/manifest-io/mutation-snapshot";
import {
  type LedgerRow,
  type ResultLink,
  type TeamState,
  teamState,
} from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { checkEnd, findRecordedAttempt, type RecordedAttempt } from "../native-attempt.ts";
import { checkRejection, planLink, type Rejection, rejectResult } from "../result-links.ts";
import { readTeamState, teamStatePath, updateTeamState } from "./team-state.ts";

/** A link, and the document that it stands in. */
export interface LinkResult {
  readonly state: TeamState;
  readonly link: ResultLink;
  /** False if it stood there before. */
  readonly isNew: boolean;
}

/**
 * Records which file is the result of a dispatch.
 *
 * Conflicts with other links are looked for first. The attempt of a native dispatch is then closed with what was
 * changed in the tree meanwhile, and only if that was allowed is the result linked. The same link again changes
 * nothing.
 *
 * @param resultPath as a path on disk
 * @throws {OkstraError} as `findResult` for the result; the errors of `planLink`,
 * `findRecordedAttempt` and `checkEnd`, of which the last leaves the attempt closed; `result-older`
 */
export function linkResult(
  run: Run,
  options: { readonly dispatchId: string; readonly resultPath: string; readonly now: Date },
  update: UpdateOptions = {},
): LinkResult {
  const request = {
    dispatchId: options.dispatchId,
    resultPath: findResult(run, "link", options.resultPath),
  };
  const before = readTeamState(run);
  checkRevision(teamState.label, teamStatePath(run), before.revision ?? 1, update.ifRevision);
  const plan = planLink(before, request);
  if (plan.state === null) return { state: before, link: plan.link, isNew: false };
  if (plan.native !== null) {
    closeAttempt(run, plan.native, request.resultPath, options.now, update);
  }
  let done = plan;
  const state = updateTeamState(run, update, (current) => {
    done = planLink(current, request);
    return done.state;
  });
  return { state, link: done.link, isNew: done.state !== null };
}

/** Closes the attempt of a native dispatch, unless it is closed, and refuses the result of one that did not end well. */
function closeAttempt(
  run: Run,
  row: LedgerRow,
  resultPath: string,
  now: Date,
  { lockTimeoutMs }: UpdateOptions,
): void {
  const recorded = findRecordedAttempt(readExecutionManifest(run), row);
  const { attempt } = recorded;
  if (attempt.finishedAt !== null) return checkEnd(row, attempt, resultPath);
  const { status, changeSummary } = auditAttempt(run, row, recorded, resultPath);
  if (status === "ok") checkAge(run, row, resultPath);
  const closed = finishAttempt(run, {
    invocationRef: attempt.invocationRef,
    attempt: attempt.attempt,
    finishedAt: formatTime(now),
    status,
    resultPath,
    changeSummary: { ...changeSummary },
  }, { lockTimeoutMs });
  checkEnd(row, closed, resultPath);
}

/** Refuses a file that was there before the dispatch: the snapshot of the tree was written when that was recorded. */
function checkAge(run: Run, row: LedgerRow, resultPath: string): void {
  const file = stat(run.at(resultPath)), start = stat(run.at(row.mutationAuditSnapshotPath ?? ""));
  if (file === null || start?.kind !== "file" || !isOlderThan(file, start)) return;
  throw new OkstraError(
    "result-older",
    `Cannot link "${resultPath}" to dispatch "${row.dispatchId}": it was not written in this attempt`,
    { hint: "name the file that the worker wrote after its dispatch was recorded" },
  );
}

function auditAttempt(
  run: Run,
  row: LedgerRow,
  { policies }: RecordedAttempt,
  resultPath: string,
): MutationAudit {
  if (row.writeEnforcement?.["mutationAudit"] !== "batch") return NOT_AUDITED;
  const ranAlone = policies.length === 1, path = row.mutationAuditSnapshotPath?.trim() ?? "";
  if (path === "") {
    return rejectSnapshot("No snapshot of the tree was recorded", ranAlone ? "worker" : "batch");
  }
  return compareWithSnapshotFile(run.at(path), policies, {
    outOfPlanEdits: readOutOfPlanEdits(run.projectRoot, run.at(resultPath)),
    attemptSucceeded: true,
    resultPresent: true,
    ranAlone,
  });
}

/**
 * Records that the result of a dispatch is given up for that of another one; nothing is deleted.
 *
 * @throws {OkstraError} as `checkRejection` and `rejectResult` of the pure rules
 */
export function rejectLinkedResult(
  run: Run,
  rejection: Rejection,
  update: UpdateOptions = {},
): { readonly state: TeamState; readonly link: ResultLink } {
  checkRejection(rejection);
  let rejected: ResultLink | null = null;
  const state = updateTeamState(run, update, (current) => {
    const result = rejectResult(current, rejection, (path) => run.relative(path));
    rejected = result.link;
    return result.state;
  });
  return { state, link: rejected! };
}
