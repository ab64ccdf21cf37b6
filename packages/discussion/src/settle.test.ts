import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { recover } from "./recover.ts";
import { settle } from "./settle.ts";
import {
  closeIn,
  openedCycle,
  row,
  runA,
  runB,
  settleIn,
  sources,
  subjectLedger,
} from "../testdata/world.ts";

function open() {
  const { ledger } = openedCycle();
  return ledger;
}

const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);

/** The second try of beta, as `recover --choice retry` names it. */
const retry = (status: string) =>
  row("beta", status, {
    invocationId: "discussion-r-0001-beta-r1-001",
    dispatchId: "discussion-r-0001-beta-r1-001:attempt-1",
  });

describe("settle", () => {
  it("settle() records results and failures by their workers (G-058, G-061, G-062)", () => {
    const ledger = open();
    const { nextCommands, choices, ...payload } = settleIn(
      ledger,
      runA,
      row("alpha", "completed"),
      row("beta", "timeout", { reason: "idle" }),
    );
    assertEquals(payload, {
      cycle: "R-0001",
      results: ["RS-0001"],
      failures: [{
        recordId: "FL-0001",
        worker: "beta",
        stage: "after-retries",
        attempts: 1,
        reason: "idle",
        unverifiedScope: "the research of beta in cycle R-0001",
        choices: ["retry", "replace", "reduce"],
      }],
      notDispatched: [],
      retryPending: [],
      phase: "awaiting-recovery",
    });
    assertEquals([nextCommands, choices.length], [[], 3]);
    assertEquals(ledger.records.slice(-2).map(({ author }) => author), ["alpha", "beta"]);
  });

  it("settle() refuses as a whole while one worker runs (G-059, E-33)", () => {
    const ledger = open();
    const error = refuse(() =>
      settleIn(ledger, runA, row("alpha", "completed"), row("beta", "running"))
    );
    assertEquals(error.code, "still-running");
  });

  it("settle() names workers that were never dispatched and makes no record of them (G-057, E-34)", () => {
    const ledger = open();
    const payload = settleIn(ledger, runA, row("alpha", "completed"));
    assertEquals([payload.notDispatched, payload.failures, payload.phase], [
      ["beta"],
      [],
      "researching",
    ]);
    assertMatch(
      payload.nextCommands[0] ?? "",
      /^okstra-dispatch run --batch \S+r-0001-batch-\S+ --worker beta /,
    );
    assertMatch(payload.nextCommands[1] ?? "", /^okstra-discussion settle --run-manifest /);
    assertMatch(payload.choices[0] ?? "", /^okstra-discussion settle --not-run beta /);
  });

  it("settle() repeats without a new record (G-060, E-35)", () => {
    const ledger = open();
    const rows = [row("alpha", "completed"), row("beta", "error", { reason: "x" })];
    const first = settleIn(ledger, runA, ...rows), before = ledger.records;
    assertEquals(settleIn(ledger, runA, ...rows), first);
    assertEquals(ledger.records, before);
  });

  it("settle() refuses a run whose cycle is not open and points to cycle-open (G-056, E-53)", () => {
    const none = refuse(() => settleIn(subjectLedger(), runA));
    assertStringIncludes(none.hint ?? "", "cycle-open");
    const ledger = open();
    assertStringIncludes(refuse(() => settleIn(ledger, runB)).message, "it has none");
    closeIn(ledger, runA, []);
    assertStringIncludes(refuse(() => settleIn(ledger, runA)).message, "R-0001 is closed");
    const replaced = open();
    settleIn(replaced, runA, row("alpha", "error", { reason: "x" }));
    recover(replaced, runA, { failure: "FL-0001", choice: "replace" });
    assertStringIncludes(refuse(() => settleIn(replaced, runA)).message, "R-0001 is superseded");
  });

  it("settle() adds the result of a retry and keeps the failure with its recovery (E-54, E-56)", () => {
    const ledger = open();
    const failed = [row("alpha", "completed"), row("beta", "error", { reason: "x" })];
    settleIn(ledger, runA, ...failed);
    recover(ledger, runA, { failure: "FL-0001", choice: "retry" });
    const waiting = settleIn(ledger, runA, ...failed);
    assertEquals([waiting.retryPending, waiting.phase], [["beta"], "researching"]);
    assertMatch(
      waiting.nextCommands[0] ?? "",
      /^okstra-dispatch run --batch \S+r-0001-beta-r1-batch-/,
    );
    const payload = settleIn(ledger, runA, ...failed, retry("completed"));
    assertEquals([payload.results, payload.failures, payload.retryPending], [
      ["RS-0001", "RS-0002"],
      [],
      [],
    ]);
    assertEquals(ledger.draft.failures[0]?.recovery, { recordId: "RC-0001", choice: "retry" });
  });

  it("settle() waits for the user again if the retry failed (E-55)", () => {
    const ledger = open();
    const failed = [row("alpha", "completed"), row("beta", "error", { reason: "x" })];
    settleIn(ledger, runA, ...failed);
    recover(ledger, runA, { failure: "FL-0001", choice: "retry" });
    const payload = settleIn(ledger, runA, ...failed, retry("timeout"));
    assertEquals(payload.failures.map(({ recordId }) => recordId), ["FL-0002"]);
    assertEquals(payload.phase, "awaiting-recovery");
  });

  it("settle() leaves one thing to decide if an invocation failed again before the user decided (G-041)", () => {
    const ledger = open(), first = row("beta", "error", { reason: "x" });
    const again = (attempt: number) =>
      row("beta", "timeout", {
        attempt,
        dispatchId: `${first["invocationId"]}:attempt-${attempt}`,
      });
    settleIn(ledger, runA, row("alpha", "error", { reason: "y" }), first);
    const rows = [row("alpha", "error", { reason: "y" }), first, again(2)];
    const payload = settleIn(ledger, runA, ...rows);
    const waiting = payload.failures.map(({ recordId, worker }) => `${recordId} ${worker}`);
    assertEquals(waiting, ["FL-0001 alpha", "FL-0003 beta"]);
    assertEquals(payload.choices.filter((each) => each.includes("FL-0002")), []);
    settleIn(ledger, runA, ...rows, again(3));
    const recovery = { recordId: "FL-0004", choice: "later-failure" } as const;
    assertEquals(ledger.draft.failures.map((each) => each.recovery), [
      null,
      recovery,
      recovery,
      null,
    ]);
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0001", "FL-0004"]);
    recover(ledger, runA, { failure: "FL-0004", choice: "retry" });
    assertEquals(ledger.draft.cycles[0]?.retryPending, ["beta"]);
    // A further try under a name of its own is another question.
    settleIn(ledger, runA, ...rows, again(3), retry("error"));
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0001", "FL-0005"]);
  });

  it("settle() takes a failed first try for that of never having been dispatched (G-041, G-063)", () => {
    const ledger = open();
    settle(ledger, runA, sources(row("alpha", "completed")), ["beta"]);
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "error", { reason: "x" }));
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0002"]);
  });

  it("settle() adds a result that came late, and the failure counts as recovered (G-064, E-57)", () => {
    const ledger = open();
    settleIn(ledger, runA, row("alpha", "error", { reason: "lost" }));
    const payload = settleIn(ledger, runA, row("alpha", "completed"));
    assertEquals([payload.results, payload.failures], [["RS-0001"], []]);
    assertEquals(ledger.draft.failures[0]?.recovery, {
      recordId: "RS-0001",
      choice: "late-result",
    });
  });

  it("settle() takes the result of another attempt for the recovery of a failure (G-064)", () => {
    const ledger = open(),
      second = { attempt: 2, dispatchId: "discussion-r-0001-beta-001:attempt-2" };
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "error", { reason: "x" }));
    const payload = settleIn(
      ledger,
      runA,
      row("alpha", "completed"),
      row("beta", "error", { reason: "x" }),
      row("beta", "completed", second),
    );
    assertEquals([payload.failures, payload.phase], [[], "researching"]);
    assertEquals(ledger.draft.failures[0]?.recovery, {
      recordId: "RS-0002",
      choice: "late-result",
    });
  });

  it("settle() takes a result for the recovery of never having been dispatched (G-064)", () => {
    const ledger = open();
    settle(ledger, runA, sources(row("alpha", "completed")), ["beta"]);
    assertEquals(ledger.draft.phase, "awaiting-recovery");
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "completed"));
    assertEquals(ledger.draft.failures[0]?.recovery?.choice, "late-result");
  });

  it("settle() keeps a failure whose worker has a result of another invocation (G-064)", () => {
    const ledger = open();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "error", { reason: "x" }));
    settleIn(
      ledger,
      runA,
      row("alpha", "completed"),
      row("beta", "error", { reason: "x" }),
      retry("completed"),
    );
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0001"]);
  });

  it("settle() ignores a failure of a dispatch whose result is on record (C.9)", () => {
    const ledger = open();
    settleIn(ledger, runA, row("alpha", "completed"));
    const before = ledger.records;
    settleIn(ledger, runA, row("alpha", "error", { reason: "x" }));
    assertEquals(ledger.records, before);
  });

  it("settle() refuses another path for a recorded result, naming record and field (E-58)", () => {
    const ledger = open();
    settleIn(ledger, runA, row("alpha", "completed"));
    const other = row("alpha", "completed", { workerResultPath: "other.md" });
    const error = refuse(() => settleIn(ledger, runA, other));
    assertStringIncludes(error.message, "RS-0001 has another resultPath");
  });

  it("settle() makes a worker that was never dispatched a failure on request (G-063, E-59)", () => {
    const ledger = open();
    const { payload } = settle(ledger, runA, sources(row("alpha", "completed")), ["beta"]);
    assertEquals(payload.failures.map(({ worker, attempts, stage }) => [worker, attempts, stage]), [
      ["beta", 0, "start"],
    ]);
    const [failure] = ledger.draft.failures;
    assertEquals([failure?.dispatch, failure?.status], ["not-run:beta", "not-run"]);
  });

  it("settle() refuses --not-run for a dispatched worker and for a stranger (G-063, E-59)", () => {
    const done = refuse(() => settle(open(), runA, sources(row("beta", "completed")), ["beta"]));
    assertEquals(done.code, "has-outcome");
    const other = refuse(() => settle(open(), runA, sources(), ["gamma"]));
    assertEquals(other.code, "not-a-participant");
  });
});
