import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { InvocationRecord } from "@okstra/manifest-io/schemas/execution-manifest";
import type { InvocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { LedgerRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import {
  appendLedgerRow,
  findLedgerRow,
  formatLedgerRow,
  ledgerDispatchId,
  type LedgerFacts,
} from "./ledger.ts";

const digests = {
  catalogDigest: "sha256:1",
  assignmentDigest: "sha256:2",
  dutyDigest: "sha256:3",
  instructionDigest: "sha256:4",
  promptDigest: "sha256:5",
};
const metadata: InvocationMetadata = {
  invocationId: "look-001",
  assignmentRef: "initial/alpha",
  audience: "analysis",
  workerId: "alpha",
  prompt: { path: "runs/p.md" },
  modelAssignment: { modelExecutionValue: "m-1", runner: "native-session" },
  digests,
};
const first: LedgerFacts = {
  metadata,
  metadataPath: "runs/p.md.meta.json",
  enforcementMode: "host-native-spec-link-gate",
  second: null,
};
const identity = {
  participantRef: "p/alpha",
  roleExecutionRef: "re/alpha/analyser",
  executionLabel: "alpha",
  dutyId: "analysis",
  invocationRef: "look-001",
  attempt: 3,
};
const common = {
  audience: "analysis",
  invocationId: "look-001",
  assignmentRef: "initial/alpha",
  promptPath: "runs/p.md",
  promptMetadataPath: "runs/p.md.meta.json",
  ...digests,
  modelExecutionValue: "m-1",
  hostModelValue: null,
  enforcementMode: "host-native-spec-link-gate",
  promptDeliveryVerified: false,
  status: "dispatched",
};
const stateOf = (...rows: LedgerRow[]): TeamState => ({ workers: [], agentDispatches: rows });

describe("formatLedgerRow()", () => {
  it("has the worker of version 1, whose attempt is always the first (T-023, T-039)", () => {
    assertEquals(formatLedgerRow({ ...first, metadata: { ...metadata, attempt: 2 } }), {
      ...common,
      workerId: "alpha",
      dispatchId: "look-001:attempt-1",
    });
  });

  it("has the identity, the attempt and the write contract of version 2 (T-023, T-039)", () => {
    const { workerId: _, ...rest } = metadata;
    const row = formatLedgerRow({
      ...first,
      metadata: {
        ...rest,
        modelAssignment: { ...rest.modelAssignment, hostModelValue: "Host Model" },
      },
      second: {
        identity,
        invocation: {
          dispatchKind: "reverify-r2",
          writePolicyDigest: "sha256:6",
          writeEnforcement: { mutationAudit: "batch", boundary: "none" },
        } as unknown as InvocationRecord,
        snapshotPath: "runs/p.md.meta.json.mutation-audit.json",
      },
    });
    assertEquals(row, {
      ...common,
      ...identity,
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      dispatchId: "look-001:attempt-3",
      dispatchKind: "reverify-r2",
      hostModelValue: "Host Model",
      writePolicyDigest: "sha256:6",
      writeEnforcement: { mutationAudit: "batch", boundary: "none" },
      mutationAuditSnapshotPath: "runs/p.md.meta.json.mutation-audit.json",
    });
    assertEquals(ledgerDispatchId(metadata, identity), row.dispatchId);
  });
});

describe("findLedgerRow()", () => {
  const row = formatLedgerRow(first);

  it("finds the row that is equal in every field, and none if the id is new (T-036)", () => {
    const copy = structuredClone(row);
    assertEquals(findLedgerRow(stateOf({ ...row, dispatchId: "x" }, copy), row), copy);
    assertEquals(findLedgerRow(stateOf(), row), null);
    assertEquals(findLedgerRow({ workers: [] }, row), null);
  });

  it("refuses the id with any other content, naming it and what differs (T-036)", () => {
    for (
      const [key, value] of [
        ["promptDigest", "sha256:9"],
        ["hostModelValue", "x"],
        ["status", undefined],
        ["note", "by hand"],
      ] as const
    ) {
      const other = { ...row, [key]: value };
      const error = assertThrows(() => findLedgerRow(stateOf(other), row), OkstraError);
      assertEquals(error.code, "ledger-conflict");
      assertStringIncludes(error.message, '"look-001:attempt-1"');
      assertStringIncludes(error.message, key);
    }
  });

  it("refuses two rows of the id, even equal ones (T-036)", () => {
    const error = assertThrows(() => findLedgerRow(stateOf(row, row), row), OkstraError);
    assertEquals(error.code, "ledger-conflict");
    assertStringIncludes(error.message, "2 rows");
  });
});

describe("appendLedgerRow()", () => {
  it("adds a row, and the collection where it is absent (T-036)", () => {
    const row = formatLedgerRow(first);
    assertEquals(appendLedgerRow({ workers: [] }, row).agentDispatches, [row]);
    assertEquals(appendLedgerRow(stateOf(row), row).agentDispatches, [row, row]);
  });
});
