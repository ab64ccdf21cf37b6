import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LAUNCH_FAILURE_PREFIX, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { judgeRow, type LivenessView, type RowView, type SidecarView } from "./row-state.ts";
import { makeRow } from "./test-jobs.ts";

const live = (state: LivenessView["state"]): LivenessView => ({
  state,
  rule: `rule-${state}`,
  evidence: [`evidence ${state}`],
});
const sidecar = (change: Partial<SidecarView> = {}): SidecarView => ({
  dispatchId: "inv-alpha:attempt-1",
  attempt: 1,
  isTerminal: true,
  stage: "exited",
  exitCode: 0,
  signal: null,
  timeout: null,
  reason: "",
  failureClass: null,
  ...change,
});
const view = (change: Partial<RowView> = {}): RowView => ({
  row: makeRow(),
  sidecar: null,
  missing: [],
  liveness: live("alive"),
  isAbandoned: false,
  ...change,
});
const say = (change: Partial<RowView>): string => {
  const judgement = judgeRow(view(change));
  return judgement.kind === "settle"
    ? `settle ${judgement.outcome.status} ${judgement.outcome.rule}${judgement.late ? " late" : ""}`
    : `${judgement.kind} ${judgement.rule}`;
};

describe("judgeRow()", () => {
  it("judgeRow() reports a status word that nobody knows before anything else (T-016)", () => {
    const evidence = (status: string) => {
      const judgement = judgeRow(view({ row: makeRow({ status }) }));
      return judgement.kind === "settle" ? [] : judgement.evidence;
    };
    const known = evidence("running");
    assertEquals(evidence("in-progress"), known);
    assertEquals(evidence("thinking"), [
      'its row says "thinking", which is no status and counts as running',
      ...known,
    ]);
  });

  const running = sidecar({ isTerminal: false, stage: "running", exitCode: null });
  const error = (reason: string) => makeRow({ status: "error", reason });
  const table: [string, Partial<RowView>, string][] = [
    ["a running row with a live process (P-4)", { sidecar: running }, "open rule-alive"],
    ["a running row whose state cannot be known (D-050)", {
      sidecar: running,
      liveness: live("unknown"),
    }, "open rule-unknown"],
    ["a running row without a status and with a live process (P-6)", {}, "open rule-alive"],
    [
      "a final status of this attempt (D-049)",
      { sidecar: sidecar() },
      "settle completed exit-0-and-artifacts",
    ],
    ["a final status before any process fact (P-5)", {
      sidecar: sidecar({ exitCode: 2 }),
      liveness: live("dead"),
    }, "settle error exit-code"],
    ["a proven death without a final status (D-050)", {
      sidecar: running,
      liveness: live("dead"),
    }, "settle error lost"],
    ["a zombie without a final status (P-7)", {
      sidecar: running,
      liveness: live("exited"),
    }, "settle error lost"],
    ["a status of another dispatch (P-16)", {
      sidecar: sidecar({ dispatchId: "inv-alpha:attempt-2" }),
    }, "open rule-alive"],
    ["a status of another attempt without a dispatch id (P-16)", {
      row: makeRow({ dispatchId: "", attempt: 2 }),
      sidecar: sidecar({ dispatchId: null, attempt: 1 }),
    }, "open rule-alive"],
    ["a status of a version 1 row, which has no dispatch id (D-049)", {
      row: makeRow({ dispatchId: "", attempt: undefined as never }),
      sidecar: sidecar({ dispatchId: null }),
    }, "settle completed exit-0-and-artifacts"],
    ["a reservation that nobody will start (P-25)", {
      isAbandoned: true,
      liveness: live("unknown"),
    }, "settle error lost"],
    ["an unknown status word with a live process (T-016)", {
      row: makeRow({ status: "thinking" }),
    }, "open rule-alive"],
    [
      "a completed row",
      { row: makeRow({ status: "completed" }), sidecar: sidecar() },
      "ended row-status",
    ],
    ["a failed row whose status still says failure", {
      row: error("exit code 2"),
      sidecar: sidecar({ exitCode: 2 }),
    }, "ended row-status"],
    ["a lost row whose success came late (P-4)", {
      row: error("lost: gone"),
      sidecar: sidecar(),
    }, "settle completed exit-0-and-artifacts late"],
    ["a row without result whose result came late (P-4)", {
      row: error("exit code 0, but missing"),
      sidecar: sidecar({ failureClass: "no-result" }),
    }, "settle completed exit-0-and-artifacts late"],
    ["a torn down row that still runs (T-017, D-060)", {
      row: error(TEARDOWN_REASON),
      sidecar: running,
    }, "open rule-alive"],
    ["a torn down row that is gone (T-017)", {
      row: error(TEARDOWN_REASON),
      sidecar: running,
      liveness: live("dead"),
    }, "ended row-status"],
    ["a torn down row that failed by itself (T-017, D-060)", {
      row: error(TEARDOWN_REASON),
      sidecar: sidecar({ exitCode: 5 }),
    }, "settle error exit-code"],
  ];
  for (const [name, change, expected] of table) {
    const at = name.lastIndexOf(" (");
    const [state, numbers] = at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at)];
    it(`judgeRow() says "${expected}" for ${state}${numbers}`, () => {
      assertEquals(say(change), expected);
    });
  }

  it("judgeRow() names a status that it ignored (P-16)", () => {
    const judgement = judgeRow(view({ sidecar: sidecar({ dispatchId: "other:attempt-1" }) }));
    assert(judgement.kind === "open");
    assertStringIncludes(judgement.evidence[0]!, "other:attempt-1");
  });

  it("judgeRow() tells an abandoned reservation from a worker's own failure (D-062)", () => {
    const judgement = judgeRow(view({ isAbandoned: true, liveness: live("unknown") }));
    assert(judgement.kind === "settle");
    assertMatch(judgement.outcome.reason, new RegExp(`^${LAUNCH_FAILURE_PREFIX}`));
  });

  it("judgeRow() returns what the row kept about its own end", () => {
    const row = makeRow({ status: "error", rule: "exit-code", evidence: ["e"] });
    assertEquals(judgeRow(view({ row })), { kind: "ended", rule: "exit-code", evidence: ["e"] });
    const odd = makeRow({ status: "error", rule: 5, evidence: "e" });
    const judgement = judgeRow(view({ row: odd }));
    assert(judgement.kind === "ended" && judgement.rule === "row-status");
  });
});
