import { stat } from "@okstra/kit/host";
import { isBlank } from "../blank.ts";
import { OkstraError, type OkstraErrorOptions } from "../errors.ts";
import { roundOfKind } from "../invocation.ts";
import { roleForDuty } from "../roles.ts";
import type { InvocationRecord } from "../schemas/execution-manifest.ts";
import { type InvocationMetadata, invocationMetadata } from "../schemas/invocation-metadata.ts";
import { buildWriteContract, type WriteContract } from "../write-policy.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";
import { readWritePaths } from "./write-paths.ts";

/**
 * Derives the record of an invocation from its metadata and its run; the same files give the same record.
 *
 * @throws {OkstraError} `identity-missing` for metadata of version 1, which has no record; `bad-dispatch-kind`;
 * `role-execution-missing`, `runner-capability-missing` or `leader-root-missing` if the run does not say what the role
 * may write; the errors of `readWritePaths`
 */
export function readInvocationRecord(run: Run, metadataPath: string): InvocationRecord {
  const metadata = readDocument(invocationMetadata, metadataPath);
  const { invocationId, participantRef, roleExecutionRef, dutyId, dispatchKind } = metadata;
  if (!participantRef || !roleExecutionRef || !dutyId || !dispatchKind) {
    throw new OkstraError(
      "identity-missing",
      `Cannot record an attempt of ${invocationId}: its metadata has no version 2 identity`,
      { hint: "write such metadata: okstra-manifest-io prompt materialize" },
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
  const refuse = (code: string, state: string, options: OkstraErrorOptions) =>
    new OkstraError(
      code,
      `Cannot record an attempt of ${metadata.invocationId}: ${state}`,
      options,
    );
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === metadata.roleExecutionRef
  );
  if (execution === undefined) {
    const state = `the run manifest has no role execution "${metadata.roleExecutionRef}"`;
    throw refuse("role-execution-missing", state, {
      hint: "see all that does not agree: okstra-manifest-io prompt verify --metadata FILE",
    });
  }
  const role = roleForDuty(dutyId);
  if (role === "leader") {
    const { projectRoot } = run, home = run.at(".okstra");
    if (stat(home)?.kind !== "directory") {
      throw refuse("leader-root-missing", `${JSON.stringify(home)} is no directory`, {
        hint: "the lead writes there alone; make the directory",
      });
    }
    return buildWriteContract({
      role,
      projectRoot,
      worktree: "",
      artifactPaths: [home],
      precision: "none",
      isSandboxed: false,
    });
  }
  const precision = boundaryPrecision(execution["binding"]);
  if (precision === null) {
    const state =
      `role execution "${execution.roleExecutionRef}" does not say how its runner keeps a worker inside its border`;
    throw refuse("runner-capability-missing", state, {
      hint: "give it binding.workerWriteCapability.maxBoundaryPrecision in the run manifest",
    });
  }
  const { providers } = manifest;
  const provider = Object.hasOwn(providers, execution.provider)
    ? providers[execution.provider]
    : undefined;
  return buildWriteContract({
    role,
    projectRoot: run.projectRoot,
    ...readWritePaths(run, metadata),
    plannedPaths: textsOf(manifest["plannedPaths"]),
    precision,
    isSandboxed: provider?.["sandbox"] === true,
  });
}

function boundaryPrecision(binding: unknown): string | null {
  const precision = field(field(binding, "workerWriteCapability"), "maxBoundaryPrecision");
  return typeof precision === "string" && !isBlank(precision) ? precision.trim() : null;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
