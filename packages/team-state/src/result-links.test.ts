import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import type {
  DispatchRow,
  LedgerRow,
  ResultLink,
  TeamState,
} from "@okstra/manifest-io/schemas/team-state";
import { checkRejection, planLink, rejectResult } from "./result-links.ts";

const identity = {
  participantRef: "p/alpha",
  roleExecutionRef: "re/alpha/analyser",
  executionLabel: "alpha",
  dutyId: "analysis",
  invocationRef: "look",
  attempt: 1,
};
const second = { schemaVersion: "2.0", executionIdentityVersion: 2, ...identity };
const ledgerRow = (fields: Partial<LedgerRow> = {}): LedgerRow => ({
  ...second,
  dispatchId: "a",
  ...fields,
});
const row = (fields: Partial<DispatchRow> = {}): DispatchRow => ({
  workerId: "alpha",
  dispatchId: "b",
  status: "completed",
  ...fields,
});
const linkA: ResultLink = { dispatchId: "a", resultPath: "r.md", ...identity };
const request = { dispatchId: "a", resultPath: "r.md" };

interface Parts {
  ledger?: LedgerRow[];
  rows?: DispatchRow[];
  links?: ResultLink[];
}

function stateOf(parts: Parts): TeamState {
  const { ledger = [ledgerRow()], rows = [row()], links = [] } = parts;
  return {
    workers: [],
    agentDispatches: ledger,
    workerDispatches: rows,
    agentResultLinks: links,
  };
}

/** Asserts that a link is refused and that the document it was given stays as it is. */
function refused(state: TeamState, wanted: { dispatchId: string; resultPath: string } = request) {
  const copy = structuredClone(state);
  const error = assertThrows(() => planLink(state, wanted), OkstraError);
  assertEquals(state, copy);
  return error;
}

describe("planLink()", () => {
  it("links a native dispatch with its identity, and creates an absent collection (T-045, T-048)", () => {
    const { agentResultLinks: _, ...bare } = stateOf({});
    const plan = planLink(bare, request);
    assertEquals(plan.link, linkA);
    assertEquals(plan.state?.agentResultLinks, [linkA]);
    assertEquals(plan.native, ledgerRow());
  });

  it("gives a dispatch of the tools, and a row of version 1, only the link (T-047)", () => {
    const worker = planLink(stateOf({}), { dispatchId: "b", resultPath: "r.md" });
    assertEquals(worker.link, { dispatchId: "b", resultPath: "r.md" });
    assertEquals(worker.native, null);
    const own = row({ ...second, attempt: 2 });
    delete own.workerId;
    const plan = planLink(stateOf({ rows: [own] }), { dispatchId: "b", resultPath: "r.md" });
    assertEquals(plan.link, { dispatchId: "b", resultPath: "r.md", ...identity, attempt: 2 });
    assertEquals(plan.native, null);
    const first = { dispatchId: "a", workerId: "alpha" };
    assertEquals(planLink(stateOf({ ledger: [first] }), request).native, null);
  });

  it("returns an identical link and adds none (T-045)", () => {
    const plan = planLink(stateOf({ links: [linkA] }), request);
    assertEquals([plan.link, plan.state], [linkA, null]);
  });

  it("takes a row in each collection for one dispatch (T-045)", () => {
    const { status: _, ...started } = { ...row(second), dispatchId: "a" };
    delete started.workerId;
    const state = stateOf({ rows: [{ ...started, status: "running" }] });
    assertEquals(planLink(state, request).native, ledgerRow());
    const other = stateOf({ rows: [{ ...started, status: "running", attempt: 2 }] });
    assertStringIncludes(refused(other).message, "different identities");
    const mixed = refused(stateOf({ rows: [row({ dispatchId: "a" })] }));
    assertStringIncludes(mixed.message, "different identities");
  });

  it("refuses a dispatch without exactly one record, telling how many there are (T-045)", () => {
    const twice = [row({ dispatchId: "a" }), row({ dispatchId: "a" })];
    const cases: [Parts, string][] = [
      [{ ledger: [], rows: [] }, "0 in agentDispatches, 0 in workerDispatches"],
      [{ ledger: [ledgerRow(), ledgerRow()] }, "2 in agentDispatches, 0 in workerDispatches"],
      [{ ledger: [], rows: twice }, "0 in agentDispatches, 2 in workerDispatches"],
    ];
    for (const [parts, counts] of cases) {
      const error = refused(stateOf(parts));
      assertEquals(error.code, "dispatch-ambiguous");
      assertStringIncludes(error.message, 'dispatch "a"');
      assertStringIncludes(error.message, counts);
    }
    assertEquals(refused({ workers: [] }).code, "dispatch-ambiguous");
  });

  it("refuses the result of another dispatch, telling how to reject that (T-045)", () => {
    const taken = stateOf({ links: [{ dispatchId: "b", resultPath: "r.md" }] });
    const error = refused(taken);
    assertEquals(error.code, "result-linked");
    assertStringIncludes(error.message, '"r.md"');
    assertStringIncludes(error.message, '"b"');
    assertEquals(
      error.hint,
      "okstra-team-state result reject --dispatch-id b --superseded-by a --reason TEXT",
    );
    const free = stateOf({
      links: [{ dispatchId: "b", resultPath: "r.md", supersededBy: "a", rejectionReason: "x" }],
    });
    assertEquals(planLink(free, request).state?.agentResultLinks?.length, 2);
  });

  it("refuses a dispatch that has another result, superseded or not (T-045, T-051)", () => {
    const other = { ...linkA, resultPath: "old.md" };
    const error = refused(stateOf({ links: [other] }));
    assertEquals(error.code, "dispatch-linked");
    assertStringIncludes(error.message, '"a"');
    assertStringIncludes(error.message, '"old.md"');
    for (const link of [other, linkA]) {
      const rejected = stateOf({ links: [{ ...link, supersededBy: "c", rejectionReason: "x" }] });
      const refusal = refused(rejected);
      assertEquals(refusal.code, "dispatch-superseded");
      assertStringIncludes(refusal.message, '"c"');
    }
  });

  it("refuses a link of the same dispatch and result with another identity (T-045)", () => {
    const error = refused(stateOf({ links: [{ dispatchId: "a", resultPath: "r.md" }] }));
    assertEquals(error.code, "dispatch-linked");
  });

  it("refuses a dispatch whose row mixes identities or lacks a part of one (T-048, M-024)", () => {
    for (
      const [fields, code] of [
        [{ workerId: "alpha" }, "mixed-identity"],
        [{ schemaVersion: "1.0" }, "mixed-identity"],
        [{ executionIdentityVersion: 3 }, "unsupported-identity"],
        [{ dutyId: " " }, "bad-identity"],
        [{ attempt: 0 }, "bad-identity"],
      ] as const
    ) {
      const error = refused(stateOf({ ledger: [ledgerRow(fields)] }));
      assertEquals(error.code, code);
      assertStringIncludes(error.message, 'dispatch "a"');
    }
  });
});

describe("checkRejection()", () => {
  it("wants a superseding dispatch, which is another one, and a reason (T-050, T-051)", () => {
    const good = { dispatchId: "a", supersededBy: "b", reason: "wrong form" };
    checkRejection(good);
    for (
      const [change, code, text] of [
        [{ supersededBy: " " }, "superseder-missing", "not named"],
        [{ supersededBy: "\u200b" }, "superseder-missing", "not named"],
        [{ reason: "\u2060" }, "reason-missing", "the ledger must say why"],
        [{ reason: "\n" }, "reason-missing", "the ledger must say why"],
        [{ supersededBy: "a" }, "self-superseded", "itself"],
        [{ supersededBy: " a\n" }, "self-superseded", "itself"],
      ] as const
    ) {
      const error = assertThrows(() => checkRejection({ ...good, ...change }), OkstraError);
      assertEquals(error.code, code);
      assertStringIncludes(error.message, '"a"');
      assertStringIncludes(error.message, text);
    }
  });
});

describe("rejectResult()", () => {
  const rejection = { dispatchId: "a", supersededBy: " b ", reason: " wrong form " };
  const reject = (state: TeamState, change: Partial<typeof rejection> = {}) =>
    rejectResult(state, { ...rejection, ...change }, (path) => path.replace(/^\/p\//, ""));

  it("marks the link and deletes nothing; id and reason stay as given (T-050)", () => {
    const other = { dispatchId: "b", resultPath: "x.md" };
    const before = stateOf({ links: [other, linkA] }), copy = structuredClone(before);
    const { state, link } = reject(before);
    assertEquals(link, { ...linkA, supersededBy: " b ", rejectionReason: " wrong form " });
    assertEquals(state.agentResultLinks, [other, link]);
    assertEquals(before, copy);
  });

  it("refuses a dispatch without exactly one link, telling how many it has (T-050)", () => {
    const cases: [TeamState, string][] = [
      [stateOf({}), "0 links"],
      [{ workers: [] }, "0 links"],
      [stateOf({ links: [linkA, linkA] }), "2 links"],
    ];
    for (const [state, count] of cases) {
      const error = assertThrows(() => reject(state), OkstraError);
      assertEquals(error.code, "link-ambiguous");
      assertStringIncludes(error.message, '"a"');
      assertStringIncludes(error.message, count);
    }
  });

  it("refuses a link that was superseded, naming by whom; there is no way back (T-050)", () => {
    const once = reject(stateOf({ links: [linkA] }), { supersededBy: "c" });
    const error = assertThrows(() => reject(once.state), OkstraError);
    assertEquals(error.code, "already-superseded");
    assertStringIncludes(error.message, '"a"');
    assertStringIncludes(error.message, '"c"');
  });

  it("gives a completed dispatch of the tools its link with the mark, and no other one (T-047, T-050)", () => {
    const paths = { resultPath: "/p/report.json", workerResultPath: "/p/r.md" };
    const own = { ...row({ ...second, ...paths, dispatchId: "b" }) };
    delete own.workerId;
    const before = stateOf({ rows: [own], links: [linkA] }), copy = structuredClone(before);
    const { state, link } = reject(before, { dispatchId: "b", supersededBy: "b2" });
    const mark = { supersededBy: "b2", rejectionReason: " wrong form " };
    assertEquals(link, { dispatchId: "b", resultPath: "r.md", ...identity, ...mark });
    assertEquals(state.agentResultLinks, [linkA, link]);
    assertEquals(before, copy);
    const again = assertThrows(
      () => reject(state, { dispatchId: "b", supersededBy: "b2" }),
      OkstraError,
    );
    assertEquals(again.code, "already-superseded");
    for (
      const rows of [
        [row({ ...paths, status: "running" })],
        [row({ ...paths, status: "error" })],
        [row()],
        [row(paths), row(paths)],
      ]
    ) {
      const state = stateOf({ rows });
      const error = assertThrows(() => reject(state, { dispatchId: "b" }), OkstraError);
      assertEquals(error.code, "link-ambiguous");
    }
  });
});
