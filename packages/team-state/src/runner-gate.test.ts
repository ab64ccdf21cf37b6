import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { RunManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { checkRunner, type GateInput } from "./runner-gate.ts";

const identity = {
  participantRef: "p/lead",
  roleExecutionRef: "re/lead/leader",
  executionLabel: "lead",
  dutyId: "lead",
  invocationRef: "lead-001",
  attempt: 1,
};

function gate(change: Partial<GateInput> & { role?: string; session?: object } = {}): void {
  const { role = "leader", session = {}, ...input } = change;
  const { participantRef, roleExecutionRef } = identity;
  const manifest = {
    roleExecutions: [{ roleExecutionRef, participantRef, role }],
    participantAssignments: [{
      participantRef,
      runner: "current-session",
      entryMode: "current-session",
      ...session,
    }],
  } as unknown as RunManifest;
  checkRunner({
    manifest,
    dispatchId: "lead-001:attempt-1",
    identity,
    runner: "cli-wrapper",
    enforcementMode: "host-native-spec-link-gate",
    allowNativeCore: false,
    ...input,
  });
}

function refused(change: Parameters<typeof gate>[0]): string {
  const error = assertThrows(() => gate(change), OkstraError, "lead-001:attempt-1");
  assertEquals(error.code, "runner-mismatch");
  return error.message;
}

describe("checkRunner()", () => {
  it("lets a native session through the link gate, whatever its role (T-031)", () => {
    gate({ runner: "native-session", role: "analyser", session: { runner: "native-session" } });
    gate({ runner: "native-session", identity: null });
  });

  it("refuses every other runner at the link gate, naming it (T-031)", () => {
    for (const runner of ["cli-wrapper", "current-session", ""]) {
      const message = refused({ runner, role: "analyser" });
      assertStringIncludes(message, `"${runner}"`);
      assertStringIncludes(message, "native-session");
    }
  });

  it("refuses a native session before a start by the tools unless that is allowed (T-031)", () => {
    const native = { runner: "native-session", enforcementMode: "core-pre-dispatch" } as const;
    const message = refused(native);
    assertStringIncludes(message, '"native-session"');
    assertStringIncludes(message, "host-native-spec-link-gate");
    gate({ ...native, allowNativeCore: true });
    for (const runner of ["cli-wrapper", "current-session", ""]) {
      gate({ enforcementMode: "core-pre-dispatch", runner });
    }
  });

  it("lets the session that leads through by its role execution and participant alone (T-032)", () => {
    gate();
    gate({ runner: "current-session" });
    refused({ role: "analyser" });
    refused({ identity: null });
    refused({ identity: { ...identity, roleExecutionRef: "re/alpha/analyser" } });
    refused({ session: { runner: "cli-wrapper" } });
    refused({ session: { entryMode: "cli-wrapper" } });
    refused({ session: { participantRef: "p/other" } });
  });
});
