import { isBlank } from "../blank.ts";
import { OkstraError } from "../errors.ts";
import { parsePromptHeaders, type PromptHeaders } from "../prompt-headers.ts";
import { auditSidecarPath, logPath, sidecarPath } from "../run-names.ts";
import type { InvocationMetadata } from "../schemas/invocation-metadata.ts";
import { teamState, type WorkerRow } from "../schemas/team-state.ts";
import { workerArtifacts } from "../worker-artifacts.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import { readDocument } from "./document.ts";
import { readExternalText } from "./external.ts";
import type { Run } from "./run.ts";

/** Where the worker of an invocation works and leaves its files; absolute. */
export interface WritePaths {
  /** Files that it owes or may leave. */
  readonly artifactPaths: readonly string[];
  /** Blank if it has none. */
  readonly worktree: string;
}

/**
 * Returns where the worker of an invocation may leave files.
 *
 * The prompt's headers say so. If one that is needed is missing, the manifest and the team state say it for a worker's
 * own assignment, `initial/<worker>`.
 *
 * @throws {OkstraError} the errors of `readExternalText` for the prompt; `headers-incomplete` or
 * `worker-row-ambiguous` if neither source says enough
 */
export function readWritePaths(run: Run, metadata: InvocationMetadata): WritePaths {
  const promptPath = run.at(metadata.prompt.path);
  const headers = parsePromptHeaders(
    readExternalText(promptPath, { root: run.projectRoot, label: "prompt" }),
  );
  const named = namedArtifacts(headers);
  const { paths, worktree } = named === null
    ? knownArtifacts(run, metadata)
    : { paths: named, worktree: headers["Worktree"] ?? "" };
  return {
    artifactPaths: [...paths.map(run.at), sidecarPath(promptPath), logPath(promptPath)],
    worktree: worktree === "" ? "" : run.at(worktree),
  };
}

function namedArtifacts(headers: PromptHeaders): readonly string[] | null {
  const result = headers["Result Path"], audit = headers["Audit sidecar path"];
  const errors = headers["Errors sidecar path"], workerResult = headers["Worker Result Path"];
  if (result === undefined || audit === undefined || errors === undefined) return null;
  return [result, ...(workerResult === undefined ? [] : [workerResult]), audit, errors];
}

function knownArtifacts(
  run: Run,
  metadata: InvocationMetadata,
): { paths: readonly string[]; worktree: string } {
  const worker = findWorkerRow(run, metadata);
  const workerResult = worker.resultPath?.trim() ?? "";
  if (workerResult === "") throw incomplete(metadata, `${worker.workerId} has no resultPath`);
  const context = readActiveContext(run), sidecars = context?.errorLogs.sidecarsByWorkerId ?? {};
  const errors = Object.hasOwn(sidecars, worker.workerId) ? sidecars[worker.workerId]! : "";
  const { resultPath, completionPaths } = workerArtifacts(
    run.manifest,
    worker.workerId,
    workerResult,
  );
  const paths = [...completionPaths, resultPath, auditSidecarPath(workerResult), errors];
  return {
    paths: paths.filter((path) => !isBlank(path)),
    worktree: worktreePath(run, context),
  };
}

function findWorkerRow(run: Run, metadata: InvocationMetadata): WorkerRow {
  const { assignmentRef } = metadata, [kind, workerId, ...rest] = assignmentRef.split("/");
  if (kind !== "initial" || !workerId || rest.length > 0) {
    throw incomplete(metadata, `"${assignmentRef}" is not initial/<worker>`);
  }
  const path = run.at(run.manifest.teamStatePath);
  const rows = readDocument(teamState, path).workers.filter((row) => row.workerId === workerId);
  if (rows.length === 1) return rows[0]!;
  throw new OkstraError(
    "worker-row-ambiguous",
    `Cannot find where ${metadata.invocationId} may write: ${
      JSON.stringify(path)
    } has ${rows.length} rows of worker "${workerId}"`,
    { hint: "see what of the run does not agree: okstra-manifest-io validate-run" },
  );
}

function incomplete(metadata: InvocationMetadata, state: string): OkstraError {
  return new OkstraError(
    "headers-incomplete",
    `Cannot find where ${metadata.invocationId} may write: the headers of "${metadata.prompt.path}" are incomplete, and ${state}`,
    { hint: "give the prompt the headers Result Path, Audit sidecar path and Errors sidecar path" },
  );
}
