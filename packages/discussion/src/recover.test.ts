import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { address } from "./address.ts";
import { collectAnswer } from "./collect-answer.ts";
import type { Ledger } from "./ledger.ts";
import { recover } from "./recover.ts";
import {
  closeIn,
  finding,
  openedCycle,
  row,
  runA,
  runB,
  runContext,
  settleIn,
  sources,
  subjectLedger,
} from "../testdata/world.ts";

const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);
const choose = (ledger: Ledger, failure: string, choice: string, run = runA) =>
  recover(ledger, run, { failure, choice });

/** A cycle in which all workers failed that are named. */
function failed(...workers: readonly string[]) {
  const { ledger } = openedCycle();
  settleIn(ledger, runA, ...workers.map((worker) => row(worker, "error", { reason: "x" })));
  return ledger;
}

/** A discussion whose question to alpha failed. */
function failedQuestion() {
  const ledger = subjectLedger();
  address(ledger, runA, { to: "alpha", text: "Why?" });
  const asked = row("alpha", "error", {
    kind: "discussion-question",
    invocationId: "discussion-question-q-0001-alpha-001",
    dispatchId: "discussion-question-q-0001-alpha-001:attempt-1",
    reason: "x",
  });
  collectAnswer(ledger, runA, () => ({ ...sources(asked), readResult: () => "" }), "Q-0001");
  return ledger;
}

describe("recover", () => {
  it("recover() records the choice of the user (G-071, G-072)", () => {
    const ledger = failed("beta");
    const { payload } = choose(ledger, "FL-0001", "reduce", runB);
    const { record, created, phase } = payload;
    assert(record.kind === "recovery");
    assertEquals([created, phase, record.author, record.sourceRun], [
      true,
      "researching",
      "user",
      runB.run.manifest,
    ]);
    const { failureId, choice, worker, cycleId, questionId } = record;
    assertEquals([failureId, choice, worker, cycleId, questionId], [
      "FL-0001",
      "reduce",
      "beta",
      "R-0001",
      "",
    ]);
    assertStringIncludes(payload.next, "R-0001 without beta");
  });

  it("recover() refuses a name that is no failure (G-070, E-63)", () => {
    const ledger = failed("beta");
    for (const id of ["FL-0009", "R-0001", "S-0001"]) {
      assertEquals(refuse(() => choose(ledger, id, "retry")).code, "no-failure");
    }
  });

  it("recover() refuses a replacement for a question and says how else to ask (E-64)", () => {
    const error = refuse(() => choose(failedQuestion(), "FL-0001", "replace"));
    assertStringIncludes(error.hint ?? "", "retry, reduce");
    assertStringIncludes(error.hint ?? "", "address");
  });

  it("recover() accepts a retry only in the run where it failed, the rest in any (G-076, E-65, E-66)", () => {
    const error = refuse(() => choose(failed("beta"), "FL-0001", "retry", runB));
    assertStringIncludes(error.message, `failed in ${runA.run.manifest}`);
    assertEquals(choose(failed("beta"), "FL-0001", "reduce", runB).payload.created, true);
    assertEquals(choose(failed("beta"), "FL-0001", "replace", runB).payload.created, true);
  });

  it("recover() reports the wrong choice before the wrong run (E-73)", () => {
    assertEquals(
      refuse(() => choose(failedQuestion(), "FL-0001", "replace", runB)).code,
      "bad-choice",
    );
  });

  it("recover() repeats the same choice without a record, in any run (G-077, E-67)", () => {
    const ledger = failed("beta");
    const first = choose(ledger, "FL-0001", "retry").payload.record, before = ledger.records;
    for (const run of [runA, runB]) {
      const { payload } = choose(ledger, "FL-0001", "retry", run);
      assertEquals([payload.record, payload.created], [first, false]);
    }
    assertEquals(ledger.records, before);
  });

  it("recover() repeats a retry with its batch only where and while it is to be dispatched (G-077)", () => {
    const ledger = failed("beta");
    const first = choose(ledger, "FL-0001", "retry");
    const repeat = (run = runA) => {
      const { payload, files } = choose(ledger, "FL-0001", "retry", run);
      return { files, batchPath: payload.batchPath, commands: payload.nextCommands.join() };
    };
    assertEquals(repeat().files, first.files);
    const elsewhere = repeat(runB);
    assertEquals([elsewhere.files, elsewhere.batchPath], [[], undefined]);
    assertEquals(elsewhere.commands.includes(runB.run.manifest), false);
    const again = row("beta", "error", { invocationId: "i2", dispatchId: "i2:1", reason: "y" });
    settleIn(ledger, runA, row("beta", "error", { reason: "x" }), again);
    assertEquals(repeat(), { files: [], batchPath: undefined, commands: "" });
  });

  it("recover() repeats the retry of a question without asking again what was answered (G-077)", () => {
    const ledger = failedQuestion();
    const asks = () => choose(ledger, "FL-0001", "retry").payload.nextCommands.join();
    assertStringIncludes(asks(), "question-prompt");
    assertStringIncludes(asks(), "question-prompt");
    const invocationId = "discussion-question-q-0001-alpha-r1-001";
    const dispatch = { kind: "discussion-question", invocationId, dispatchId: `${invocationId}:1` };
    const answered = { ...sources(row("alpha", "completed", dispatch)), readResult: () => "So." };
    collectAnswer(ledger, runA, () => answered, "Q-0001");
    assertEquals(asks().includes("question-prompt"), false);
  });

  it("recover() refuses another choice and names the one that stands (E-68)", () => {
    const ledger = failed("beta");
    choose(ledger, "FL-0001", "reduce");
    const error = refuse(() => choose(ledger, "FL-0001", "replace"));
    assertStringIncludes(error.message, "reduce stands (RC-0001)");
  });

  it("recover() changes a retry of which nothing came; the latest stands (G-077, E-69)", () => {
    const ledger = failed("beta");
    choose(ledger, "FL-0001", "retry");
    assertEquals(choose(ledger, "FL-0001", "reduce").payload.created, true);
    assertEquals(ledger.draft.failures[0]?.recovery, { recordId: "RC-0002", choice: "reduce" });
    assertEquals(refuse(() => choose(ledger, "FL-0001", "retry")).code, "recovered");
  });

  it("recover() refuses to change a retry of which something came (G-077)", () => {
    const ledger = failed("beta");
    choose(ledger, "FL-0001", "retry");
    const again = row("beta", "completed", { invocationId: "i2", dispatchId: "i2:attempt-1" });
    settleIn(ledger, runA, row("beta", "error", { reason: "x" }), again);
    const error = refuse(() => choose(ledger, "FL-0001", "reduce"));
    assertStringIncludes(error.message, "RS-0001 came of it");
  });

  it("recover() refuses any choice after a late result (G-064)", () => {
    const ledger = failed("beta");
    settleIn(ledger, runA, row("beta", "completed"));
    const error = refuse(() => choose(ledger, "FL-0001", "reduce"));
    assertStringIncludes(error.message, "late-result stands (RS-0001)");
  });

  it("recover() refuses any choice about a failure that came again, and names the later one (G-041)", () => {
    const ledger = failed("beta"), id = "discussion-r-0001-beta-001:attempt-2";
    settleIn(ledger, runA, row("beta", "error", { reason: "x", attempt: 2, dispatchId: id }));
    const before = ledger.records;
    const error = refuse(() => choose(ledger, "FL-0001", "retry"));
    assertStringIncludes(error.message, "later-failure stands (FL-0002)");
    assertStringIncludes(error.hint ?? "", "recover --failure FL-0002 --choice retry");
    assertEquals(ledger.records, before);
    assertEquals(choose(ledger, "FL-0002", "retry").payload.created, true);
    assertEquals(ledger.draft.unrecoveredFailures, []);
    settleIn(
      ledger,
      runA,
      row("beta", "completed", { attempt: 3, dispatchId: id.replace("2", "3") }),
    );
    assertEquals(ledger.draft.failures[0]?.recovery?.choice, "late-result");
  });

  it("recover() lets a second failure of a superseded cycle be decided, but not retried (G-078, E-70)", () => {
    const ledger = failed("alpha", "beta");
    choose(ledger, "FL-0001", "replace");
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0002"]);
    const error = refuse(() => choose(ledger, "FL-0002", "retry"));
    assertStringIncludes(error.hint ?? "", "replace, reduce");
    assertEquals(choose(ledger, "FL-0002", "replace").payload.phase, "ready");
  });

  it("recover() refuses to reduce the last participant (G-079, E-72)", () => {
    const ledger = failed("alpha", "beta");
    choose(ledger, "FL-0001", "reduce");
    const error = refuse(() => choose(ledger, "FL-0002", "reduce"));
    assertStringIncludes(error.message, "beta is its last participant");
  });

  it("recover() gives the retry names of its own and a batch (G-073)", () => {
    const ledger = failed("beta");
    const { payload, files } = choose(ledger, "FL-0001", "retry");
    const state = "/p/.okstra/tasks/demo/review/src/runs/discussion/state";
    const path = `${state}/discussion-research-r-0001-beta-r1-batch-discussion-001.json`;
    assertEquals([payload.batchPath, files.map((file) => file.path)], [path, [path]]);
    const [entry] = JSON.parse(files[0]?.content ?? "").invocations;
    assertEquals(entry["invocation-id"], "discussion-r-0001-beta-r1-001");
    assertStringIncludes(entry.prompt, "/prompts/beta-worker-prompt-r1-discussion-001.md");
    assertStringIncludes(entry.result, "/worker-results/beta-worker-r1-discussion-001.md");
    assertEquals([entry["assignment-ref"], entry["dispatch-kind"]], ["initial/beta", "initial"]);
    assertStringIncludes(payload.next, "discussion-r-0001-beta-r1-001");
  });

  it("recover() numbers the second retry of a worker 2", () => {
    const ledger = failed("beta");
    choose(ledger, "FL-0001", "retry");
    const again = row("beta", "error", { invocationId: "i2", dispatchId: "i2:1", reason: "y" });
    settleIn(ledger, runA, row("beta", "error", { reason: "x" }), again);
    const { files } = choose(ledger, "FL-0002", "retry");
    assertStringIncludes(files[0]?.path ?? "", "-beta-r2-batch-");
  });

  it("recover() supersedes the cycle by a replacement (G-075, E-83)", () => {
    const ledger = failed("beta");
    const { payload } = choose(ledger, "FL-0001", "replace");
    assertEquals([payload.phase, ledger.draft.cycles[0]?.status], ["ready", "superseded"]);
    assertStringIncludes(payload.next, "--discussion-start demo/review/src");
    const closed = refuse(() => closeIn(ledger, runA, [finding("F-001", "refuted")]));
    assertEquals(closed.code, "no-cycle");
  });

  it("recover() drops a question by a reduction and points to its next try by a retry (G-074)", () => {
    const reduced = failedQuestion();
    choose(reduced, "FL-0001", "reduce");
    assertEquals(reduced.draft.questions[0]?.dropped, true);
    const again = failedQuestion();
    const { payload } = choose(again, "FL-0001", "retry");
    assertStringIncludes(payload.next, "question-prompt --question Q-0001");
    assertEquals(payload.phase, "awaiting-participant");
  });

  it("recover() never fails on a run with other workers", () => {
    const other = runContext("003", ["gamma"]);
    assertEquals(choose(failed("beta"), "FL-0001", "reduce", other).payload.created, true);
  });
});
