import { OkstraError } from "../errors.ts";
import { roundOfKind } from "../invocation.ts";
import { roleForDuty } from "../roles.ts";
import { auditSidecarPath, errorsSidecarPath, logPath, sidecarPath } from "../run-names.ts";
import type { InvocationRecord } from "../schemas/execution-manifest.ts";
import { type InvocationMetadata, invocationMetadata } from "../schemas/invocation-metadata.ts";
import { buildWriteContract, type WriteContract } from "../write-policy.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";

/**
 * Derives the record of an invocation from its metadata and its run; the same files give the same record.
 *
 * @throws {OkstraError} `identity-missing` for metadata of version 1, which has no record;
 * `role-execution-missing` if the run manifest does not know its role execution
 */
export function readInvocationRecord(run: Run, metadataPath: string): InvocationRecord {
  const metadata = readDocument(invocationMetadata, metadataPath);
  const { invocationId, participantRef, roleExecutionRef, dutyId, dispatchKind } = metadata;
  if (!participantRef || !roleExecutionRef || !dutyId || !dispatchKind) {
    throw new OkstraError(
      "identity-missing",
      `Cannot record an attempt of ${invocationId}: its metadata has no version 2 identity`,
    );
  }
  const { writePolicy, writePolicyDigest, writeEnforcement } = readWriteContract(
    run,
    metadata,
    dutyId,
  );
  return {
    invocationRef: invocationId,
    participantRef,
    roleExecutionRef,
    sourceInvocationRef: null,
    recoveryRef: null,
    dutyId,
    dispatchKind,
    round: roundOfKind(dispatchKind),
    inputDigest: metadata.digests.promptDigest,
    writePolicy: { ...writePolicy },
    writePolicyDigest,
    writeEnforcement: { ...writeEnforcement },
  };
}

function readWriteContract(run: Run, metadata: InvocationMetadata, dutyId: string): WriteContract {
  const { manifest } = run;
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === metadata.roleExecutionRef
  );
  if (execution === undefined) {
    throw new OkstraError(
      "role-execution-missing",
      `Cannot record an attempt of ${metadata.invocationId}: the run manifest has no role execution "${metadata.roleExecutionRef}"`,
    );
  }
  const role = roleForDuty(dutyId);
  const { providers } = manifest;
  const provider = Object.hasOwn(providers, execution.provider)
    ? providers[execution.provider]
    : undefined;
  return buildWriteContract({
    role,
    projectRoot: run.projectRoot,
    worktree: worktreePath(run, readActiveContext(run)),
    artifactPaths: role === "leader" ? [run.at(".okstra")] : artifactPaths(run, metadata),
    plannedPaths: textsOf(manifest["plannedPaths"]),
    precision: boundaryPrecision(execution["binding"]),
    isSandboxed: provider?.["sandbox"] === true,
  });
}

function artifactPaths(
  run: Run,
  { prompt, resultPath, workerResultPath }: InvocationMetadata,
): string[] {
  const promptPath = run.at(prompt.path);
  const result = workerResultPath ?? resultPath ?? "";
  const paths = [result, resultPath ?? "", auditSidecarPath(result), errorsSidecarPath(result)];
  return [
    ...paths.filter((path) => path !== "").map(run.at),
    sidecarPath(promptPath),
    logPath(promptPath),
  ];
}

function boundaryPrecision(binding: unknown): string {
  const capability = field(binding, "workerWriteCapability");
  const precision = field(capability, "maxBoundaryPrecision");
  return typeof precision === "string" ? precision : "none";
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
