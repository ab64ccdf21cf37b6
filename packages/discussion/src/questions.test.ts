import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { address } from "./address.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { collectAnswer } from "./collect-answer.ts";
import { collectQuestions } from "./collect-questions.ts";
import type { Row } from "./dispatch-rows.ts";
import { drop } from "./drop.ts";
import type { Ledger } from "./ledger.ts";
import { promptQuestion } from "./prompt-question.ts";
import { recover } from "./recover.ts";
import {
  newLedger,
  openedCycle,
  openIn,
  row,
  runA,
  runB,
  runContext,
  settleIn,
  sources,
  subjectLedger,
} from "../testdata/world.ts";

const RUN = ".okstra/tasks/demo/review/src/runs/discussion";
const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);

function asked() {
  const ledger = subjectLedger();
  address(ledger, runA, { to: "alpha", text: "Why?" });
  return ledger;
}

/** A dispatch of a question to alpha; `slug` as in its names. */
const questionRow = (status: string, slug = "q-0001", fields: Row = {}) =>
  row("alpha", status, {
    kind: "discussion-question",
    invocationId: `discussion-question-${slug}-alpha-001`,
    dispatchId: `discussion-question-${slug}-alpha-001:attempt-1`,
    workerResultPath: `${slug}.md`,
    reason: "x",
    ...fields,
  });

function collect(ledger: Ledger, rows: readonly Row[], text = "Because.\n", id = "Q-0001") {
  const read = () => ({ ...sources(...rows), readResult: () => text });
  return collectAnswer(ledger, runA, read, id).payload;
}

describe("ask, address", () => {
  it("ask() records a question of the lead to the user (G-132)", () => {
    const ledger = subjectLedger();
    const { payload } = ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    const { record, created, pendingForUser, pendingForParticipants, phase } = payload;
    assertEquals([record.recordId, created, pendingForUser, pendingForParticipants, phase], [
      "Q-0001",
      true,
      ["Q-0001"],
      [],
      "awaiting-user",
    ]);
    assertStringIncludes(payload.nextCommands[0] ?? "", "answer --question Q-0001");
  });

  it("ask() does not ask an open question twice, but a settled one anew (G-132)", () => {
    const ledger = subjectLedger(), input = { author: "lead", to: "user", text: "What?" };
    ask(ledger, runA, input);
    assertEquals(ask(ledger, runA, input).payload.created, false);
    answer(ledger, runA, { question: "Q-0001", text: "This" });
    assertEquals(ask(ledger, runA, input).payload.record.recordId, "Q-0002");
  });

  it("ask() refuses strangers, blank text and a question to oneself (E-109)", () => {
    const ledger = subjectLedger();
    const wrong = [
      [{ author: "gamma", to: "user", text: "x" }, "unknown-author"],
      [{ author: "user", to: "alpha", text: "x" }, "unknown-author"],
      [{ author: "lead", to: "gamma", text: "x" }, "unknown-author"],
      [{ author: "alpha", to: "alpha", text: "x" }, "asks-itself"],
      [{ author: "lead", to: "user", text: " \n" }, "blank-text"],
    ] as const;
    for (const [input, code] of wrong) {
      assertEquals(refuse(() => ask(ledger, runA, input)).code, code);
    }
  });

  it("ask() knows the workers of earlier cycles (G-132)", () => {
    const { ledger } = openedCycle();
    const later = runContext("002", ["gamma"]);
    const { payload } = ask(ledger, later, { author: "beta", to: "gamma", text: "x" });
    assertEquals(payload.created, true);
  });

  it("ask(), address() refuse without a subject (G-139)", () => {
    const ledger = newLedger();
    const input = { author: "lead", to: "user", text: "x" };
    assertEquals(refuse(() => ask(ledger, runA, input)).code, "no-subject");
    assertEquals(
      refuse(() => address(ledger, runA, { to: "alpha", text: "x" })).code,
      "no-subject",
    );
  });

  it("address() asks a participant of the given run only, in the user's name (G-133)", () => {
    const ledger = asked();
    assertEquals([ledger.draft.questions[0]?.author, ledger.draft.phase], [
      "user",
      "awaiting-participant",
    ]);
    const error = refuse(() => address(ledger, runContext("2", ["b"]), { to: "alpha", text: "x" }));
    assertEquals(error.code, "not-a-participant");
  });
});

describe("answer, drop", () => {
  const withQuestion = () => {
    const ledger = subjectLedger();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    return ledger;
  };

  it("answer() settles the question; another text amends it, the same one does not (G-134)", () => {
    const ledger = withQuestion();
    const first = answer(ledger, runA, { question: "Q-0001", text: "This" }).payload;
    assertEquals([first.created, first.pendingForUser, first.nextForUser], [true, [], null]);
    assertEquals(answer(ledger, runA, { question: "Q-0001", text: "This" }).payload.created, false);
    assertEquals(answer(ledger, runA, { question: "Q-0001", text: "That" }).payload.created, true);
    assertEquals(answer(ledger, runA, { question: "Q-0001", text: "This" }).payload.created, true);
    assertEquals(ledger.draft.questions[0]?.answers.map(({ text }) => text), [
      "This",
      "That",
      "This",
    ]);
    assertEquals(ledger.draft.inputRefs, ["A-0001", "A-0002", "A-0003"]);
  });

  it("answer() refuses a participant's question and points to collect-answer (G-134)", () => {
    const error = refuse(() => answer(asked(), runA, { question: "Q-0001", text: "x" }));
    assertStringIncludes(error.hint ?? "", "collect-answer --question Q-0001");
  });

  it("answer() refuses a question that was dropped or does not exist (G-134)", () => {
    const ledger = withQuestion();
    drop(ledger, runA, { question: "Q-0001", reason: "moot" });
    assertEquals(
      refuse(() => answer(ledger, runA, { question: "Q-0001", text: "x" })).code,
      "dropped",
    );
    const error = refuse(() => answer(ledger, runA, { question: "Q-0009", text: "x" }));
    assertEquals(error.code, "no-question");
  });

  it("drop() takes a question off the list; the first reason stands (G-136)", () => {
    const ledger = asked();
    const { payload } = drop(ledger, runA, { question: "Q-0001", reason: "moot" });
    assertEquals([payload.created, payload.pendingForParticipants, payload.phase], [
      true,
      [],
      "ready",
    ]);
    const again = drop(ledger, runA, { question: "Q-0001", reason: "other" }).payload;
    assertEquals([again.created, again.record.recordId], [false, "DR-0001"]);
  });

  it("drop() refuses an answered question (G-136)", () => {
    const ledger = withQuestion();
    answer(ledger, runA, { question: "Q-0001", text: "This" });
    assertEquals(
      refuse(() => drop(ledger, runA, { question: "Q-0001", reason: "x" })).code,
      "answered",
    );
  });

  it("drop() finds a question dropped whose failure was reduced (G-136)", () => {
    const ledger = asked();
    collect(ledger, [questionRow("error")]);
    recover(ledger, runA, { failure: "FL-0001", choice: "reduce" });
    const { payload } = drop(ledger, runA, { question: "Q-0001", reason: "x" });
    assertEquals([payload.created, payload.record.recordId], [false, "RC-0001"]);
  });

  it("a question stays open until somebody answers or drops it; there is no default answer (P-23)", () => {
    const ledger = withQuestion();
    openIn(ledger, runA, new Map());
    addMaterial(ledger, runA, { kind: "evidence", text: "x", author: "user", location: "" });
    assertEquals(ledger.draft.pendingForUser, ["Q-0001"]);
  });
});

describe("promptQuestion", () => {
  const prompt = (ledger: Ledger, context = runA, id = "Q-0001") =>
    promptQuestion(ledger.draft, context, id);

  it("promptQuestion() names invocation, instruction, result and batch (G-101, G-103, G-104)", () => {
    const { payload, batch, instruction } = prompt(asked());
    const { nextCommands, choices: _, ...rest } = payload;
    assertEquals(rest, {
      question: "Q-0001",
      worker: "alpha",
      invocationId: "discussion-question-q-0001-alpha-001",
      dispatchKind: "discussion-question",
      instructionPath: `${RUN}/prompts/discussion-question-q-0001-discussion-001.md`,
      resultPath: `${RUN}/worker-results/alpha-worker-discussion-question-q-0001-discussion-001.md`,
      batchPath: `/p/${RUN}/state/discussion-question-q-0001-batch-discussion-001.json`,
    });
    assertEquals(JSON.parse(batch.content).invocations, [{
      "invocation-id": rest.invocationId,
      "worker-id": "alpha",
      "audience": "discussion-analysis",
      "dispatch-kind": "discussion-question",
      "assignment-ref": "initial/alpha",
      "instruction": rest.instructionPath,
      "prompt": `${RUN}/prompts/alpha-worker-prompt-discussion-question-q-0001-discussion-001.md`,
      "result": rest.resultPath,
    }]);
    assertStringIncludes(instruction.content, "# Question Q-0001 to alpha\n");
    assertStringIncludes(instruction.content, "> Why?");
    assertEquals(nextCommands.length, 2);
  });

  it("promptQuestion() refuses an unknown question and one for the user (G-100, E-93)", () => {
    const ledger = asked();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    assertEquals(refuse(() => prompt(ledger, runA, "Q-0009")).code, "no-question");
    const error = refuse(() => prompt(ledger, runA, "Q-0002"));
    assertStringIncludes(error.hint ?? "", "answer --question Q-0002");
  });

  it("promptQuestion() refuses an answered or dropped question (E-94)", () => {
    const answered = asked();
    collect(answered, [questionRow("completed")]);
    assertStringIncludes(refuse(() => prompt(answered)).hint ?? "", "follow-up");
    const dropped = asked();
    drop(dropped, runA, { question: "Q-0001", reason: "x" });
    assertEquals(refuse(() => prompt(dropped)).code, "settled");
  });

  it("promptQuestion() refuses while a failure of it waits (E-95)", () => {
    const ledger = asked();
    collect(ledger, [questionRow("error")]);
    const error = refuse(() => prompt(ledger));
    assertStringIncludes(error.message, "FL-0001");
    assertStringIncludes(error.hint ?? "", "recover");
  });

  it("promptQuestion() refuses an addressee that is not in this run, and names it (E-96)", () => {
    const error = refuse(() => prompt(asked(), runContext("002", ["gamma"])));
    assertStringIncludes(error.message, "run-manifest-discussion-002.json");
  });

  it("promptQuestion() names the retries after one and two failures (G-101, E-98)", () => {
    const ledger = asked();
    for (const [n, slug] of ["q-0001", "q-0001-r1"].entries()) {
      collect(ledger, [questionRow("error", slug)]);
      recover(ledger, runA, { failure: `FL-000${n + 1}`, choice: "retry" });
      const { payload } = prompt(ledger);
      assertEquals(payload.invocationId, `discussion-question-q-0001-r${n + 1}-alpha-001`);
    }
  });

  it("promptQuestion() names a question of an earlier run after the run it is asked in (E-108)", () => {
    assertEquals(
      prompt(asked(), runB).payload.invocationId,
      "discussion-question-q-0001-alpha-002",
    );
  });
});

describe("collectAnswer", () => {
  it("collectAnswer() records the whole file as the answer (G-113, G-114, G-115, E-102, E-103)", () => {
    const ledger = asked();
    const payload = collect(ledger, [questionRow("completed")], "# A\n\ntext\n");
    const { record } = payload;
    assert(record.kind === "answer");
    assertEquals([record.text, record.resultPath, record.author], [
      "# A\n\ntext\n",
      "q-0001.md",
      "alpha",
    ]);
    assertEquals([payload.created, payload.pendingForParticipants], [true, []]);
    assertEquals(collect(ledger, [questionRow("completed")], "# A\n\ntext\n").created, false);
  });

  it("collectAnswer() refuses unknown questions and those for the user (G-110, E-93)", () => {
    const ledger = asked();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    assertEquals(refuse(() => collect(ledger, [], "", "Q-0009")).code, "no-question");
    assertEquals(refuse(() => collect(ledger, [], "", "Q-0002")).code, "for-user");
  });

  it("collectAnswer() refuses before the batch was dispatched (G-112, E-100)", () => {
    const error = refuse(() => collect(asked(), []));
    assertStringIncludes(error.message, runA.run.manifest);
    assertStringIncludes(error.hint ?? "", "question-prompt --question Q-0001");
  });

  it("collectAnswer() refuses while any question of that worker runs (G-111, E-101)", () => {
    const rows = [questionRow("completed"), questionRow("running", "q-0002")];
    assertEquals(refuse(() => collect(asked(), rows)).code, "still-running");
  });

  it("collectAnswer() takes only the dispatches of its question (E-99)", () => {
    const rows = [questionRow("completed", "q-00010")];
    assertEquals(refuse(() => collect(asked(), rows)).code, "not-dispatched");
  });

  it("collectAnswer() records a failure once (E-105)", () => {
    const ledger = asked();
    const first = collect(ledger, [questionRow("error")]);
    const { record } = first;
    assert(record.kind === "failure");
    assertEquals([record.cycleId, record.questionId, first.phase], [
      "",
      "Q-0001",
      "awaiting-recovery",
    ]);
    assertEquals(first.pendingForParticipants, ["Q-0001"]);
    assertEquals(collect(ledger, [questionRow("error")]).created, false);
  });

  it("collectAnswer() lets the last outcome decide (E-104)", () => {
    const ledger = asked(), rows = [questionRow("error")];
    collect(ledger, rows);
    recover(ledger, runA, { failure: "FL-0001", choice: "retry" });
    const payload = collect(ledger, [...rows, questionRow("completed", "q-0001-r1")]);
    assertEquals([payload.record.kind, payload.phase], ["answer", "ready"]);
  });

  it("collectAnswer() leaves one thing to decide if the same invocation failed again (G-041, G-111)", () => {
    const ledger = asked(), first = questionRow("error");
    collect(ledger, [first]);
    const dispatchId = String(first["dispatchId"]).replace("attempt-1", "attempt-2");
    collect(ledger, [questionRow("error", "q-0001", { attempt: 2, dispatchId })]);
    assertEquals(ledger.draft.unrecoveredFailures, ["FL-0002"]);
    recover(ledger, runA, { failure: "FL-0002", choice: "retry" });
    assertEquals(ledger.draft.unrecoveredFailures, []);
  });

  it("collectAnswer() takes a failure for recovered once the answer came (G-064)", () => {
    const ledger = asked();
    collect(ledger, [questionRow("error")]);
    collect(ledger, [questionRow("completed")]);
    assertEquals(ledger.draft.failures[0]?.recovery, { recordId: "A-0001", choice: "late-result" });
  });

  it("collectAnswer() refuses a blank file and a text that changed (G-116, G-117, E-106, E-107)", () => {
    const ledger = asked(), rows = [questionRow("completed")];
    assertEquals(refuse(() => collect(ledger, rows, " \n")).code, "blank-answer");
    collect(ledger, rows, "one");
    assertStringIncludes(
      refuse(() => collect(ledger, rows, "two")).message,
      "A-0001 has another text",
    );
  });

  it("collectAnswer() records a late answer to a dropped question; it stays dropped (G-118, E-110)", () => {
    const ledger = asked();
    drop(ledger, runA, { question: "Q-0001", reason: "x" });
    const payload = collect(ledger, [questionRow("completed")]);
    assertEquals([payload.created, payload.pendingForParticipants], [true, []]);
    assertEquals(ledger.draft.questions[0]?.dropped, true);
  });
});

describe("collectQuestions", () => {
  const TEXT = "# Findings\n\nNo findings\n\n# Questions for the user\n\n- One?\n- Two?\n";

  it("collectQuestions() records what workers ask, once, even if it was answered", () => {
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "completed"));
    const read = (path: string) => path.includes("alpha") ? TEXT : "# Findings\n\nNo findings\n";
    const first = collectQuestions(ledger, runA, read).payload;
    assertEquals([first.created, first.nextForUser], [["Q-0001", "Q-0002"], "Q-0001"]);
    assertEquals(ledger.draft.questions.map(({ author, to }) => [author, to]), [
      ["alpha", "user"],
      ["alpha", "user"],
    ]);
    answer(ledger, runA, { question: "Q-0001", text: "Yes" });
    const again = collectQuestions(
      ledger,
      runA,
      (path) => path.includes("alpha") ? `${TEXT}- One?\n` : read(path),
    ).payload;
    assertEquals([again.created, again.questions, again.nextForUser], [
      [],
      ["Q-0001", "Q-0002"],
      "Q-0002",
    ]);
  });

  it("collectQuestions() refuses a run without a cycle", () => {
    assertEquals(refuse(() => collectQuestions(subjectLedger(), runA, () => "")).code, "no-cycle");
  });
});
