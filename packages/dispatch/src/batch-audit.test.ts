import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import {
  type BatchAudit,
  dropUnstarted,
  formatAudit,
  isAuditDue,
  onlyWorker,
  parseAudits,
  rowsDuring,
  uncovered,
} from "./batch-audit.ts";
import { makeRow } from "./test-jobs.ts";

const audit = (change: Partial<BatchAudit> = {}): BatchAudit => ({
  auditId: "batch-1",
  status: "open",
  startedAt: "2026-01-01T10:00:00Z",
  finishedAt: null,
  snapshotPath: "s.json",
  invocations: ["inv-alpha", "inv-beta"],
  workerId: null,
  changeSummary: null,
  ...change,
});
const row = (id: string, change: Parameters<typeof makeRow>[0] = {}) =>
  makeRow({ invocationId: `inv-${id}`, assignmentRef: `initial/${id}`, ...change });

describe("isAuditDue()", () => {
  it("isAuditDue() waits for the last row of every invocation, also for those not started", () => {
    const ended = { status: "error" };
    assertEquals(isAuditDue(audit(), [row("alpha", ended)], []), false);
    assertEquals(isAuditDue(audit(), [row("alpha", ended), row("beta")], []), false);
    const retried = [row("alpha", ended), row("beta", ended), row("beta", { attempt: 2 })];
    assertEquals(isAuditDue(audit(), retried, []), false);
    const all = [row("alpha", ended), row("beta", ended)];
    assertEquals(isAuditDue(audit(), all, []), true);
    assertEquals(isAuditDue(audit({ status: "ok" }), all, []), false);
    assertEquals(isAuditDue(audit(), all, ["inv-gamma"]), true);
    assertEquals(isAuditDue(audit(), all, ["inv-beta"]), false);
  });
});

describe("rowsDuring()", () => {
  it("rowsDuring() takes who was live since the audit began, and onlyWorker() who was alone", () => {
    const early = row("alpha", { status: "completed", endedAt: "2026-01-01T09:59:59Z" });
    const later = row("beta", { status: "completed", endedAt: "2026-01-01T10:00:00Z" });
    const live = row("gamma");
    assertEquals(rowsDuring(audit(), [early, later, live]), [later, live]);
    assertEquals(onlyWorker([later, { ...later, attempt: 2 }]), "beta");
    assertEquals([onlyWorker([later, live]), onlyWorker([])], [null, null]);
  });
});

describe("uncovered()", () => {
  it("uncovered() leaves out what an open audit covers, and nothing else", () => {
    assertEquals(uncovered(["inv-alpha", "inv-x"], [audit()]), ["inv-x"]);
    assertEquals(uncovered(["inv-alpha"], [audit({ status: "ok" })]), ["inv-alpha"]);
  });
});

describe("parseAudits()", () => {
  it("parseAudits() leaves out entries of another form", () => {
    assertEquals(parseAudits([audit(), { note: 1 }, { auditId: 1 }]), [audit()]);
    assertEquals(parseAudits(undefined), []);
    const odd: readonly Partial<Record<keyof BatchAudit, unknown>>[] = [
      ...[{ status: undefined }, { status: 1 }, { startedAt: null }, { invocations: [1] }],
      ...[{ workerId: 1 }, { changeSummary: undefined }, { changeSummary: { violations: "x" } }],
    ];
    for (const change of odd) {
      assertEquals(parseAudits([{ ...audit(), ...change }]), [], JSON.stringify(change));
    }
    assertEquals(parseAudits([null, "x", audit()]), [audit()]);
  });
});

describe("formatAudit()", () => {
  it("formatAudit() says who ran when files were changed, and nothing if none was", () => {
    const changeSummary = {
      mutationStatus: "violation",
      changedPaths: ["a.js"],
      sourceChanged: true,
      gitChanged: false,
      attribution: "batch",
      retryAllowed: false,
      violations: ['"a.js" is new'],
      beforeDigest: "",
      afterDigest: "",
    } as const;
    const found = audit({ status: "violation", changeSummary });
    assertEquals(
      formatAudit(found, ["alpha", "beta"]),
      'VIOLATION files while alpha, beta ran: "a.js" is new',
    );
    assertEquals(
      formatAudit({ ...found, workerId: "beta", status: "unverifiable" }, ["beta"]),
      'UNVERIFIABLE files while beta ran: "a.js" is new',
    );
    assertEquals(formatAudit({ ...found, status: "ok" }, []), null);
    assertEquals(formatAudit(audit(), []), null);
  });
});

describe("dropUnstarted()", () => {
  it("dropUnstarted() lets open audits wait for nobody who was given up without a row, and drops one of nobody", () => {
    const strange = { auditId: 1 }, closed = audit({ status: "ok" });
    const state = (audits: readonly object[]) =>
      ({
        workers: [],
        workerDispatches: [row("alpha")],
        mutationAudits: audits,
      }) as unknown as TeamState;
    const before = state([strange, closed, audit(), audit({ invocations: ["inv-beta"] })]);
    const keys = ["inv-alpha", "inv-beta"];
    const left = [strange, closed, audit({ invocations: ["inv-alpha"] })];
    assertEquals(dropUnstarted(before, keys), state(left));
    assertEquals(dropUnstarted(before, null), state(left));
    assert(dropUnstarted(before, ["inv-alpha", "inv-gamma"]) === before);
  });
});
