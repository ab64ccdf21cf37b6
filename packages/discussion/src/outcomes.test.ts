import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { AttemptFacts, Row } from "./dispatch-rows.ts";
import { collectOutcomes } from "./outcomes.ts";
import { row, sources, sourcesOf } from "../testdata/world.ts";

const collect = (...rows: readonly Row[]) => collectOutcomes("alpha", "initial", sources(...rows));
const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);

const native = (fields: Row = {}): Row => ({
  dispatchKind: "initial",
  assignmentRef: "initial/alpha",
  invocationId: "inv-1",
  invocationRef: "inv-1",
  dispatchId: "inv-1:attempt-1",
  attempt: 1,
  ...fields,
});
const link = (fields: Row = {}): Row => ({
  dispatchId: "inv-1:attempt-1",
  resultPath: "results/a.md",
  ...fields,
});
const attempt = (fields: Partial<AttemptFacts> = {}): AttemptFacts => ({
  invocationRef: "inv-1",
  attempt: 1,
  finishedAt: "2026-01-31T09:05:00Z",
  status: "ok",
  ...fields,
});
const collectNative = (state: Row, attempts: readonly AttemptFacts[] = []) =>
  collectOutcomes("alpha", "initial", { ...sourcesOf(state), attempts: () => attempts });

describe("collectOutcomes: command lines", () => {
  it("collectOutcomes() takes the last attempt of an invocation only (G-041, E-31)", () => {
    const id = "discussion-r-0001-alpha-001:attempt-2";
    const outcomes = collect(
      row("alpha", "error", { reason: "crashed" }),
      row("alpha", "completed", { attempt: 2, dispatchId: id }),
    );
    assertEquals(outcomes, [{
      label: "discussion-r-0001-alpha-001",
      invocationId: "discussion-r-0001-alpha-001",
      dispatch: id,
      attempts: 2,
      state: "completed",
      resultPath: "worker-results/alpha.md",
    }]);
  });

  it("collectOutcomes() refuses while the last attempt runs, and names it (G-046, E-32)", () => {
    const error = refuse(() =>
      collect(row("alpha", "error"), row("alpha", "running", { attempt: 2 }))
    );
    assertStringIncludes(error.message, "alpha: discussion-r-0001-alpha-001 is still running");
    assertStringIncludes(error.hint ?? "", "okstra-dispatch await");
  });

  for (const status of ["running", "in-progress", "dispatched"]) {
    it(`collectOutcomes() takes ${status} as running (G-047, E-51)`, () => {
      assertEquals(refuse(() => collect(row("alpha", status))).code, "still-running");
    });
  }

  it("collectOutcomes() takes no rejected result, and the successor's instead (T-050)", () => {
    const id = "discussion-r-0001-alpha-001:attempt-1";
    const rejected = link({ dispatchId: id, supersededBy: id.replace("-1", "-2") });
    const collectRejected = (...rows: readonly Row[]) =>
      collectOutcomes("alpha", "initial", {
        ...sourcesOf({ workerDispatches: rows, agentResultLinks: [rejected] }),
      });
    const first = row("alpha", "completed"), attempt = { attempt: 2, dispatchId: `${id}-2` };
    assertEquals(first["dispatchId"], id);
    assertEquals(collectRejected(first), []);
    const [outcome] = collectRejected(first, row("alpha", "completed", attempt));
    assertEquals(outcome?.attempts, 2);
  });

  it("collectOutcomes() refuses a status that is not known and names the row (G-047, E-52)", () => {
    const error = refuse(() => collect(row("alpha", "paused")));
    assertStringIncludes(error.message, "discussion-r-0001-alpha-001:attempt-1");
    assertStringIncludes(error.message, '"paused"');
  });

  it("collectOutcomes() says start for a dispatch that never started (G-043, E-36)", () => {
    const [outcome] = collect(row("alpha", "error", { reason: "cli batch launch failed: ENOENT" }));
    assertEquals([outcome?.state, outcome && "stage" in outcome && outcome.stage], [
      "failed",
      "start",
    ]);
  });

  it("collectOutcomes() takes the status for a blank reason (E-37)", () => {
    const [outcome] = collect(row("alpha", "timeout", { reason: " " }));
    assertEquals(outcome, {
      label: "discussion-r-0001-alpha-001",
      invocationId: "discussion-r-0001-alpha-001",
      dispatch: "discussion-r-0001-alpha-001:attempt-1",
      attempts: 1,
      state: "failed",
      stage: "after-retries",
      status: "timeout",
      reason: "timeout",
    });
  });

  it("collectOutcomes() groups rows without an invocation by prompt path (E-38, E-61)", () => {
    const bare = { invocationId: undefined, dispatchId: undefined, attempt: undefined };
    const outcomes = collect(
      row("alpha", "error", { ...bare, promptPath: "/p/a.md" }),
      row("alpha", "completed", { ...bare, promptPath: "/p/b.md" }),
      row("alpha", "completed", { ...bare, promptPath: "/p/a.md", attempt: 2 }),
    );
    assertEquals(outcomes.map(({ dispatch }) => dispatch), ["/p/a.md#2", "/p/b.md#1"]);
    assertEquals(outcomes.map(({ attempts }) => attempts), [2, 1]);
  });

  it("collectOutcomes() prefers the worker result path (E-39)", () => {
    const paths = (fields: Row) => {
      const [outcome] = collect(row("alpha", "completed", fields));
      return outcome && "resultPath" in outcome ? outcome.resultPath : null;
    };
    assertEquals(paths({ workerResultPath: "w.md", resultPath: "r.md" }), "w.md");
    assertEquals(paths({ workerResultPath: " ", resultPath: "r.md" }), "r.md");
  });

  it("collectOutcomes() refuses a completed row without any result path (G-048)", () => {
    const error = refuse(() => collect(row("alpha", "completed", { workerResultPath: "" })));
    assertEquals(error.code, "bad-row");
  });

  it("collectOutcomes() ignores other kinds and other workers (G-040, E-48, E-49)", () => {
    const outcomes = collect(
      row("alpha", "running", { kind: "reverify-r1" }),
      row("alpha", "running", { kind: "discussion-question" }),
      row("beta", "running"),
    );
    assertEquals(outcomes, []);
  });

  it("collectOutcomes() takes the worker of a row from workerId or assignmentRef (E-50)", () => {
    const first = row("alpha", "completed", { assignmentRef: undefined, workerId: "alpha" });
    assertEquals(collect(first).length, 1);
    assertEquals(collect(row("alpha", "completed")).length, 1);
  });

  it("collectOutcomes() refuses collections that are no arrays, ignores rows that are no objects (G-050, E-60)", () => {
    for (const name of ["workerDispatches", "agentDispatches", "agentResultLinks"]) {
      const error = refuse(() => collectOutcomes("alpha", "initial", sourcesOf({ [name]: {} })));
      assertStringIncludes(error.message, name);
    }
    const state = { workerDispatches: [null, 3, "x"], agentDispatches: [[]] };
    assertEquals(collectOutcomes("alpha", "initial", sourcesOf(state)), []);
  });
});

describe("collectOutcomes: sessions of the host", () => {
  it("collectOutcomes() takes the last live link as the result (G-044, E-42)", () => {
    const outcomes = collectNative({
      agentDispatches: [native()],
      agentResultLinks: [link(), link({ resultPath: "results/b.md" })],
    });
    assertEquals(outcomes, [{
      label: "inv-1",
      invocationId: "inv-1",
      dispatch: "inv-1:attempt-1",
      attempts: 1,
      state: "completed",
      resultPath: "results/b.md",
    }]);
  });

  it("collectOutcomes() takes an attempt without an end, or an unknown one, as running (E-43, E-44)", () => {
    const state = { agentDispatches: [native()] };
    for (const attempts of [[attempt({ finishedAt: null })], [attempt({ attempt: 2 })], []]) {
      assertEquals(refuse(() => collectNative(state, attempts)).code, "still-running");
    }
  });

  it("collectOutcomes() takes an end without a link as a failure and says so (E-45)", () => {
    const [outcome] = collectNative({ agentDispatches: [native()] }, [attempt()]);
    assertEquals(outcome?.state, "failed");
    assertStringIncludes(
      outcome && "reason" in outcome ? outcome.reason : "",
      "ended as ok and no result",
    );
  });

  it("collectOutcomes() does not take a superseded link as a result (E-46)", () => {
    const state = {
      agentDispatches: [native()],
      agentResultLinks: [link({ supersededBy: "elsewhere" })],
    };
    assertEquals(collectNative(state, [attempt()])[0]?.state, "failed");
  });

  it("collectOutcomes() lets the successor speak for a superseded dispatch (G-049, E-47)", () => {
    const successor = native({
      invocationId: "inv-2",
      invocationRef: "inv-2",
      dispatchId: "inv-2:attempt-1",
    });
    const outcomes = collectNative({
      agentDispatches: [native(), successor],
      agentResultLinks: [
        link({ supersededBy: "inv-2:attempt-1" }),
        link({ dispatchId: "inv-2:attempt-1", resultPath: "results/c.md" }),
      ],
    }, [attempt()]);
    assertEquals(outcomes.map(({ dispatch }) => dispatch), ["inv-2:attempt-1"]);
  });

  it("collectOutcomes() reads the attempts only if there are such rows (G-045)", () => {
    const read = () => {
      throw new Error("read");
    };
    const cli = { ...sources(row("alpha", "completed")), attempts: read };
    assertEquals(collectOutcomes("alpha", "initial", cli).length, 1);
    const both = { ...sourcesOf({ agentDispatches: [native()] }), attempts: read };
    assertThrows(() => collectOutcomes("alpha", "initial", both), Error, "read");
  });

  it("collectOutcomes() puts command lines first (G-042, E-62)", () => {
    const outcomes = collectNative({
      workerDispatches: [row("alpha", "completed")],
      agentDispatches: [native()],
      agentResultLinks: [link()],
    });
    assertEquals(outcomes.map(({ dispatch }) => dispatch), [
      "discussion-r-0001-alpha-001:attempt-1",
      "inv-1:attempt-1",
    ]);
  });

  it("collectOutcomes() takes a dispatch that stands in both collections once (G-051)", () => {
    const outcomes = collectNative({
      workerDispatches: [row("alpha", "completed", { dispatchId: "inv-1:attempt-1" })],
      agentDispatches: [native()],
    });
    assertEquals(outcomes.length, 1);
  });
});
