import { OkstraError } from "@okstra/manifest-io/errors";
import { dispatchId, type ItemIdentity } from "@okstra/manifest-io/identity";
import { isSameJson } from "@okstra/manifest-io/same-json";
import type { InvocationRecord } from "@okstra/manifest-io/schemas/execution-manifest";
import type { InvocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { LedgerRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import type { EnforcementMode } from "./runner-gate.ts";

/** What a row of the ledger is made of. */
export interface LedgerFacts {
  readonly metadata: InvocationMetadata;
  /** Project-relative. */
  readonly metadataPath: string;
  readonly enforcementMode: EnforcementMode;
  /** Version 2 only; `null` for version 1. */
  readonly second: {
    readonly identity: ItemIdentity;
    readonly invocation: InvocationRecord;
    /** Project-relative; blank if the enforcement asks for no audit of the tree. */
    readonly snapshotPath: string;
  } | null;
}

/** Returns the id of the dispatch that metadata prepares; version 1 knew first attempts only. */
export function ledgerDispatchId(
  metadata: InvocationMetadata,
  identity: ItemIdentity | null,
): string {
  return dispatchId(metadata.invocationId, identity?.attempt ?? 1);
}

/**
 * Returns the row of the ledger for a verified dispatch; the same facts give the same row.
 *
 * It links a specification. Nobody saw the bytes that the session got, so `promptDeliveryVerified` is false.
 */
export function formatLedgerRow(facts: LedgerFacts): LedgerRow {
  const { metadata, second } = facts;
  const { modelExecutionValue, hostModelValue } = metadata.modelAssignment;
  return {
    ...(second === null
      ? { workerId: metadata.workerId ?? "" }
      : { schemaVersion: "2.0", executionIdentityVersion: 2, ...second.identity }),
    dispatchId: ledgerDispatchId(metadata, second?.identity ?? null),
    ...(second === null ? {} : { dispatchKind: second.invocation.dispatchKind }),
    audience: metadata.audience,
    invocationId: metadata.invocationId,
    assignmentRef: metadata.assignmentRef,
    promptPath: metadata.prompt.path,
    promptMetadataPath: facts.metadataPath,
    ...metadata.digests,
    modelExecutionValue,
    hostModelValue: hostModelValue ?? null,
    enforcementMode: facts.enforcementMode,
    promptDeliveryVerified: false,
    status: "dispatched",
    ...(second === null ? {} : {
      writePolicyDigest: second.invocation.writePolicyDigest,
      writeEnforcement: { ...second.invocation.writeEnforcement },
      mutationAuditSnapshotPath: second.snapshotPath,
    }),
  };
}

/**
 * Returns the recorded row of a dispatch if it is this one, `null` if the dispatch was never recorded.
 *
 * @throws {OkstraError} `ledger-conflict` if it was recorded with other content, or more than once
 */
export function findLedgerRow(state: TeamState, row: LedgerRow): LedgerRow | null {
  const known = (state.agentDispatches ?? []).filter((each) => each.dispatchId === row.dispatchId);
  const [first] = known;
  if (first === undefined) return null;
  if (known.length === 1 && isSameJson(first, row)) return first;
  const keys = [...new Set([...Object.keys(first), ...Object.keys(row)])];
  const drift = keys.filter((key) => !isSameJson(first[key], row[key]));
  const found = known.length > 1
    ? `the ledger has ${known.length} rows of it`
    : `the ledger has it with another ${drift.join(", ")}`;
  throw new OkstraError("ledger-conflict", `Cannot record dispatch "${row.dispatchId}": ${found}`, {
    hint: "prepare a new invocation with names of its own",
  });
}

/** Adds a row to the ledger. */
export function appendLedgerRow(state: TeamState, row: LedgerRow): TeamState {
  return { ...state, agentDispatches: [...state.agentDispatches ?? [], row] };
}
