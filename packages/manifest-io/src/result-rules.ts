import { attemptOf } from "./identity.ts";
import type { RecordedTimes, Report, RunDocuments } from "./run-documents.ts";
import { claimPaths } from "./run-names.ts";
import type { ExecutionManifest } from "./schemas/execution-manifest.ts";
import type { DispatchRow, LedgerRow } from "./schemas/team-state.ts";
import { supersederOf } from "./superseder.ts";

/** Checks the accepted results: each is that of a known dispatch, of one alone, and is there. */
export function checkResultLinks(
  { teamState, execution, findFault }: RunDocuments,
  report: Report,
): void {
  const known = new Set(
    [...teamState.workerDispatches ?? [], ...teamState.agentDispatches ?? []]
      .map((row) => row.dispatchId),
  );
  const owners = new Map<string, string>();
  for (const [i, link] of (teamState.agentResultLinks ?? []).entries()) {
    const pointer = `/agentResultLinks/${i}`;
    if (!known.has(link.dispatchId)) {
      report(`${pointer}/dispatchId`, `there is no dispatch "${link.dispatchId}"`);
    }
    if (link.supersededBy !== undefined) {
      if (!known.has(link.supersededBy)) {
        report(`${pointer}/supersededBy`, `there is no dispatch "${link.supersededBy}"`);
      }
      continue;
    }
    const owner = owners.get(link.resultPath);
    if (owner === undefined) owners.set(link.resultPath, link.dispatchId);
    else report(`${pointer}/resultPath`, `"${link.resultPath}" is the result of "${owner}" too`);
    const row = (teamState.agentDispatches ?? []).find((each) =>
      each.dispatchId === link.dispatchId
    );
    const fault = findFault(link.resultPath, row && timesOfNative(execution, row));
    if (fault !== null) report(`${pointer}/resultPath`, `"${link.resultPath}" is ${fault}`);
  }
}

/** Checks what a completed dispatch had to leave behind; a result that was rejected makes room for the next one. */
export function checkCompletionPaths(
  { findFault, teamState }: RunDocuments,
  row: DispatchRow,
  pointer: string,
  report: Report,
): void {
  const id = row.dispatchId ?? "";
  if (row.status !== "completed" || supersederOf(teamState.agentResultLinks, id) !== null) return;
  for (const [at, path] of (row.completionPaths ?? []).entries()) {
    const fault = findFault(path, timesOf(row));
    if (fault !== null) report(`${pointer}/completionPaths/${at}`, `"${path}" is ${fault}`);
  }
}

/** A worker's launch claims its attempt before anything else of it is written. */
function timesOf(row: DispatchRow): RecordedTimes {
  const prompt = row.promptPath?.trim() ?? "";
  const beginnings = prompt === "" ? [] : claimPaths(prompt, attemptOf(row));
  return { beginnings, endedAt: typeof row.endedAt === "string" ? row.endedAt : null };
}

/** Of a session of the host the snapshot of the tree was written when it was recorded. */
function timesOfNative(execution: ExecutionManifest, row: LedgerRow): RecordedTimes {
  const snapshot = row.mutationAuditSnapshotPath?.trim() ?? "";
  const attempt = execution.attempts.find((each) =>
    each.invocationRef === row.invocationRef && each.attempt === attemptOf(row)
  );
  return { beginnings: snapshot === "" ? [] : [snapshot], endedAt: attempt?.finishedAt ?? null };
}
