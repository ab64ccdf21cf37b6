import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { address } from "./address.ts";
import { closeCycle } from "./close-cycle.ts";
import type { Ledger } from "./ledger.ts";
import { recover } from "./recover.ts";
import {
  closedCycle,
  closeIn,
  finding,
  openedCycle,
  row,
  runA,
  settleIn,
  subjectLedger,
  TASK,
} from "../testdata/world.ts";

const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);

function closeWith(ledger: Ledger, value: unknown, problems: readonly string[] = []) {
  return closeCycle(ledger, runA, {
    readState: () => ({ value, digest: `sha256:${"0".repeat(64)}` }),
    validateState: () => problems.map((message) => ({ message })),
    recordPath: (path) => path,
  });
}

const state = (fields: object = {}) => ({
  taskKey: TASK,
  finalState: "converged",
  round2SkippedReason: null,
  findings: [],
  ...fields,
});

describe("closeCycle", () => {
  it("closeCycle() records one claim per finding, then the close (G-090, G-091, G-093)", () => {
    const { ledger } = openedCycle();
    const payload = closeIn(ledger, runA, [
      finding("F-001", "contested"),
      finding("F-002", "full-consensus"),
    ]);
    assertEquals(payload.claims, ["C-0001", "C-0002"]);
    assertEquals([payload.cycle, payload.created, payload.phase], ["R-0001", true, "options"]);
    const { close } = payload;
    assertEquals([close.recordId, close.author, close.finalState, close.stopReason], [
      "CL-0001",
      "lead",
      "converged",
      "all agree",
    ]);
    assertEquals(payload.remainingDisagreements.map(({ recordId }) => recordId), ["C-0001"]);
    assertEquals(ledger.records.slice(-3).map(({ kind }) => kind), ["claim", "claim", "close"]);
  });

  it("closeCycle() records the votes in the order of rounds and voters (E-84, E-85, E-89)", () => {
    const { ledger } = openedCycle();
    const votes = {
      beta: { verdict: "agree", explanation: "yes" },
      alpha: { verdict: "disagree", disagreeBasis: "overstated", explanation: "no" },
    };
    const rounds = [{ round: 1, votes }, { round: 2, votes }];
    closeIn(ledger, runA, [
      finding("F-001", "contested", { rounds, discoveredBy: ["b", "a", "B"] }),
    ]);
    const [claim] = ledger.draft.cycles[0]?.claims ?? [];
    assertEquals(claim?.discoveredBy, ["B", "a", "b"]);
    assertEquals(claim?.verdicts.map((v) => [v.round, v.worker, v.disagreeBasis]), [
      [1, "beta", null],
      [1, "alpha", "overstated"],
      [2, "beta", null],
      [2, "alpha", "overstated"],
    ]);
  });

  it("closeCycle() records a claim under its origin, in the roster or not (E-87)", () => {
    const { ledger } = closedCycle([finding("F-001", "refuted", { originWorker: "gamma" })]);
    assertEquals(ledger.draft.cycles[0]?.claims[0]?.author, "gamma");
  });

  it("closeCycle() closes without any finding; no stop reason if round 2 ran (E-80, E-86)", () => {
    const { ledger } = openedCycle();
    const { payload } = closeWith(ledger, state());
    assertEquals([payload.claims, payload.close.stopReason], [[], null]);
  });

  it("closeCycle() repeats without a record for the same state (G-094, E-81)", () => {
    const { ledger } = openedCycle();
    const first = closeIn(ledger, runA, [finding("F-001", "refuted")]), before = ledger.records;
    assertEquals(closeIn(ledger, runA, [finding("F-001", "refuted")]), {
      ...first,
      created: false,
    });
    assertEquals(ledger.records, before);
  });

  it("closeCycle() refuses a state whose bytes changed after the close (G-094, E-82)", () => {
    const { ledger } = closedCycle([finding("F-001", "refuted")]);
    const error = refuse(() => closeIn(ledger, runA, [finding("F-001", "refuted")], " "));
    assertStringIncludes(error.message, "changed after it was closed");
  });

  it("closeCycle() refuses with every problem of the state, joined by a semicolon (G-088, E-75)", () => {
    const error = refuse(() => closeWith(openedCycle().ledger, state(), ["one", "two", "three"]));
    assertStringIncludes(error.message, "one; two; three");
    assertEquals(error.issues.length, 3);
  });

  it("closeCycle() refuses the state of another task, with path and both keys (G-089, E-76)", () => {
    const error = refuse(() =>
      closeWith(openedCycle().ledger, state({ taskKey: "demo/review/other" }))
    );
    for (const part of [runA.run.convergenceStatePath, "demo/review/other", TASK]) {
      assertStringIncludes(error.message, part);
    }
  });

  for (const taskKey of ["Demo:Review:Src", "review/src"]) {
    it(`closeCycle() takes ${taskKey} for the same task (E-77)`, () => {
      assertEquals(closeWith(openedCycle().ledger, state({ taskKey })).payload.created, true);
    });
  }

  it("closeCycle() refuses while a failure of the cycle waits, before it reads the state (G-086, E-78)", () => {
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "error", { reason: "x" }));
    const error = refuse(() =>
      closeCycle(ledger, runA, {
        readState: () => {
          throw new Error("read");
        },
        validateState: () => [],
        recordPath: (path) => path,
      })
    );
    assertStringIncludes(error.message, "FL-0001");
    assertStringIncludes(error.hint ?? "", "recover --failure FL-0001");
  });

  it("closeCycle() refuses while a retry is pending and names the worker (G-095, E-90)", () => {
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "error", { reason: "x" }));
    recover(ledger, runA, { failure: "FL-0001", choice: "retry" });
    const error = refuse(() => closeIn(ledger, runA, []));
    assertStringIncludes(error.message, "alpha");
    recover(ledger, runA, { failure: "FL-0001", choice: "reduce" });
    assertEquals(closeIn(ledger, runA, []).created, true);
  });

  it("closeCycle() closes although a failure of a question waits (G-086, E-79)", () => {
    const { ledger } = openedCycle();
    address(ledger, runA, { to: "alpha", text: "Why?" });
    const fields = {
      cycleId: "",
      questionId: "Q-0001",
      dispatch: "d",
      stage: "after-retries" as const,
      attempts: 1,
      status: "error",
      reason: "x",
    };
    ledger.append({ kind: "failure", author: "alpha", sourceRun: runA.run.manifest, fields });
    const payload = closeIn(ledger, runA, []);
    assertEquals([payload.created, payload.phase], [true, "awaiting-recovery"]);
  });

  it("closeCycle() refuses a run without a cycle (G-085)", () => {
    assertEquals(refuse(() => closeIn(subjectLedger(), runA, [])).code, "no-cycle");
  });

  it("closeCycle() does not need settled workers (G-095)", () => {
    assertEquals(closeIn(openedCycle().ledger, runA, []).created, true);
  });
});
