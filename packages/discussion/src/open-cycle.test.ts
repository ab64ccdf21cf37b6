import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { digestBytes } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { address } from "./address.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { complete } from "./complete.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { decide } from "./decide.ts";
import type { Ledger } from "./ledger.ts";
import { openCycle } from "./open-cycle.ts";
import { recover } from "./recover.ts";
import {
  closedCycle,
  closeIn,
  finding,
  newLedger,
  openedCycle,
  openIn,
  row,
  runA,
  runB,
  settleIn,
  subjectLedger,
} from "../testdata/world.ts";

const RUN = ".okstra/tasks/demo/review/src/runs/discussion";

function bring(ledger: Ledger, text: string, kind: "evidence" | "alternative" = "evidence") {
  addMaterial(ledger, runA, { kind, text, author: "user", location: "" });
}

describe("openCycle: a new cycle", () => {
  it("openCycle() refuses and points to confirm-subject if there is no subject (G-020, E-1)", () => {
    const ledger = newLedger();
    const error = assertThrows(() => openIn(ledger, runA, new Map()), OkstraError);
    assertStringIncludes(error.hint ?? "", "confirm-subject");
    assertEquals(ledger.records.length, 0);
  });

  it("openCycle() opens R-0001 with everything that a dispatch needs (G-032, G-034, E-2)", () => {
    const { opened, files, ledger } = openedCycle();
    const instructionPath = `${RUN}/prompts/discussion-research-discussion-001.md`;
    const batchPath = `/p/${RUN}/state/discussion-research-r-0001-batch-discussion-001.json`;
    const { nextCommands, choices, ...rest } = opened;
    assertEquals(choices, []);
    assertEquals(rest, {
      action: "dispatch",
      created: true,
      cycle: "R-0001",
      inputRefs: [],
      instructionPath,
      dispatchKind: "initial",
      audience: "discussion-analysis",
      workers: ["alpha", "beta"],
      batchPath,
    });
    assertStringIncludes(nextCommands[0] ?? "", `okstra-dispatch run --batch ${batchPath}`);
    const [cycle] = ledger.draft.cycles;
    assertEquals(cycle?.instructionDigest, digestBytes(files.get(instructionPath) ?? ""));
    assertEquals(cycle?.sourceRun, runA.run.manifest);
    assertEquals(ledger.records.at(-1)?.author, "lead");
  });

  it("openCycle() writes one batch entry a worker (A.7)", () => {
    const { files } = openedCycle();
    const batch = JSON.parse(
      files.get(`/p/${RUN}/state/discussion-research-r-0001-batch-discussion-001.json`) ?? "",
    );
    assertEquals(batch.invocations[1], {
      "invocation-id": "discussion-r-0001-beta-001",
      "worker-id": "beta",
      "audience": "discussion-analysis",
      "dispatch-kind": "initial",
      "assignment-ref": "initial/beta",
      "instruction": `${RUN}/prompts/discussion-research-discussion-001.md`,
      "prompt": `${RUN}/prompts/beta-worker-prompt-discussion-001.md`,
      "result": `${RUN}/worker-results/beta-worker-discussion-001.md`,
    });
    assertEquals(batch.invocations.length, 2);
  });

  it("openCycle() says in the instruction what to do, in which form, and on which record (E-28)", () => {
    const { files } = openedCycle();
    const content = files.get(`${RUN}/prompts/discussion-research-discussion-001.md`) ?? "";
    for (
      const part of [
        "# Research for cycle R-0001\n",
        "`# Questions for the user`",
        "### F-001: ",
        "No findings",
        "## Input of this cycle\n\nnone\n",
        "# Discussion record of demo/review/src\n",
        "> Which faults?",
      ]
    ) assertStringIncludes(content, part);
    assert(!content.includes("\r") && content.endsWith("\n"));
    assertEquals(content.match(/^[1-5]\. /gm)?.length, 5);
  });

  it("openCycle() opens a cycle in a fresh run once there is new evidence (E-10)", () => {
    const { ledger, files } = closedCycle();
    bring(ledger, "new");
    const payload = openIn(ledger, runB, files);
    assert(payload.action === "dispatch");
    assertEquals([payload.cycle, payload.inputRefs, payload.created], ["R-0002", ["M-0001"], true]);
    const content = files.get(`${RUN}/prompts/discussion-research-discussion-002.md`) ?? "";
    assertStringIncludes(content, "## Input of this cycle\n\nM-0001\n");
  });

  it("openCycle() takes another subject as new input (E-23)", () => {
    const { ledger, files } = closedCycle();
    confirmSubject(ledger, runA, { subject: "src", question: "Which risks?" });
    const payload = openIn(ledger, runB, files);
    assert(payload.action === "dispatch");
    assertEquals(payload.inputRefs, ["S-0002"]);
  });

  it("openCycle() counts superseded cycles and takes their results as input (E-12, E-13)", () => {
    const { ledger, files } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
    recover(ledger, runA, { failure: "FL-0001", choice: "replace" });
    const payload = openIn(ledger, runB, files);
    assert(payload.action === "dispatch");
    assertEquals([payload.cycle, payload.inputRefs], ["R-0002", ["RS-0001"]]);
  });
});

describe("openCycle: the run has an open cycle", () => {
  it("openCycle() repeats the dispatch and makes no record (E-3)", () => {
    const { ledger, files, opened } = openedCycle();
    const before = ledger.records, text = new Map(files);
    assertEquals(openIn(ledger, runA, files), { ...opened, created: false } as typeof opened);
    assertEquals(ledger.records, before);
    assertEquals(files, text);
  });

  it("openCycle() keeps the recorded input although newer came in (G-026, E-4)", () => {
    const { ledger, files, opened } = openedCycle();
    bring(ledger, "new");
    assertEquals(openIn(ledger, runA, files), { ...opened, created: false } as typeof opened);
  });

  it("openCycle() refuses if the instruction was changed or is gone (E-5, E-6)", () => {
    const { ledger, files } = openedCycle();
    const path = `${RUN}/prompts/discussion-research-discussion-001.md`;
    files.set(path, `${files.get(path)} `);
    const changed = assertThrows(() => openIn(ledger, runA, files), OkstraError);
    assertStringIncludes(changed.message, "R-0001");
    assertStringIncludes(changed.message, `${path}" was changed`);
    files.delete(path);
    const gone = assertThrows(() => openIn(ledger, runA, files), OkstraError);
    assertStringIncludes(gone.message, "is missing");
    assertEquals(files.has(path), false);
  });

  it("openCycle() dispatches it although the user has a question (G-023, E-16)", () => {
    const { ledger, files } = openedCycle();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    assertEquals(openIn(ledger, runA, files).action, "dispatch");
  });

  it("openCycle() leaves out a worker that was reduced (G-036)", () => {
    const { ledger, files } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
    recover(ledger, runA, { failure: "FL-0001", choice: "reduce" });
    const payload = openIn(ledger, runA, files);
    assert(payload.action === "dispatch");
    assertEquals(payload.workers, ["alpha"]);
    assertEquals(JSON.parse(files.get(payload.batchPath) ?? "").invocations.length, 1);
  });
});

describe("openCycle: nothing to open", () => {
  it("openCycle() presents the options if nothing new came in, in any run (G-027, G-030, G-035, E-7, E-8)", () => {
    const { ledger, files } = closedCycle([finding("F-001", "contested")]);
    const before = ledger.records;
    for (const run of [runA, runB]) {
      const payload = openIn(ledger, run, files);
      assert(payload.action === "present-options");
      assertStringIncludes(payload.reason, "R-0001");
      assertEquals(payload.userOptions.length, 3);
      assertEquals(payload.remainingDisagreements, [{
        recordId: "C-0001",
        standing: "disputed",
        classification: "contested",
        summary: "Fault F-001",
        author: "alpha",
      }]);
    }
    assertEquals(ledger.records, before);
    assertEquals([...files.keys()].some((path) => path.includes("002")), false);
  });

  it("openCycle() lists alternatives among the options, not evidence (E-29)", () => {
    const ledger = subjectLedger(), files = new Map<string, string>();
    bring(ledger, "a fact");
    bring(ledger, "another way", "alternative");
    openIn(ledger, runA, files);
    closeIn(ledger, runA, []);
    const payload = openIn(ledger, runA, files);
    assert(payload.action === "present-options");
    assertEquals(payload.alternatives, [
      { recordId: "M-0002", text: "another way", author: "user" },
    ]);
  });

  it("openCycle() leaves decided claims out of the options (E-22)", () => {
    const { ledger, files } = closedCycle([
      finding("F-001", "contested"),
      finding("F-002", "contested"),
    ]);
    decide(ledger, runA, { text: "right", settles: ["C-0001"] });
    const payload = openIn(ledger, runA, files);
    assert(payload.action === "present-options");
    assertEquals(payload.remainingDisagreements.map(({ recordId }) => recordId), ["C-0002"]);
  });

  it("openCycle() wants another run if input came in since the close (G-028, E-9)", () => {
    const { ledger, files } = closedCycle();
    bring(ledger, "new");
    const payload = openIn(ledger, runA, files);
    assert(payload.action === "prepare-run");
    assertStringIncludes(payload.reason, "R-0001");
    assertEquals(payload.discussionStart, "demo/review/src");
  });

  it("openCycle() takes the user's answer as new input, a participant's not (E-19, E-20, E-21)", () => {
    const { ledger, files } = closedCycle();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    assertEquals(openIn(ledger, runA, files).action, "present-options");
    answer(ledger, runA, { question: "Q-0001", text: "This" });
    assertEquals(openIn(ledger, runA, files).action, "prepare-run");
    const other = closedCycle();
    address(other.ledger, runA, { to: "alpha", text: "Why?" });
    other.ledger.append({
      kind: "answer",
      author: "alpha",
      sourceRun: runA.run.manifest,
      fields: { questionId: "Q-0001", text: "So", resultPath: "a.md" },
    });
    assertEquals(openIn(other.ledger, runA, other.files).action, "present-options");
  });

  it("openCycle() looks at a closed cycle of its own before pending questions (G-007, E-19)", () => {
    const { ledger, files } = closedCycle();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    assertEquals(openIn(ledger, runA, files).action, "present-options");
    assertEquals(openIn(ledger, runB, files).action, "await-user");
  });

  it("openCycle() wants another run after a replacement (G-029, E-11)", () => {
    const { ledger, files } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
    recover(ledger, runA, { failure: "FL-0001", choice: "replace" });
    const payload = openIn(ledger, runA, files);
    assert(payload.action === "prepare-run");
    assertStringIncludes(payload.reason, "replaced");
  });

  it("openCycle() waits for the user's choice about a failure, from any run (G-022, E-15)", () => {
    const { ledger, files } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
    for (const run of [runA, runB]) {
      const payload = openIn(ledger, run, files);
      assert(payload.action === "await-recovery");
      assertEquals(payload.failures, ["FL-0001"]);
      assertStringIncludes(
        payload.choices[0] ?? "",
        "recover --failure FL-0001 --choice retry",
      );
      assertEquals(payload.nextCommands, []);
    }
  });

  it("openCycle() asks the user one question at a time, before participants (G-024, E-17)", () => {
    const ledger = subjectLedger();
    address(ledger, runA, { to: "alpha", text: "Why?" });
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    ask(ledger, runA, { author: "lead", to: "user", text: "When?" });
    const payload = openIn(ledger, runA, new Map());
    assert(payload.action === "await-user");
    assertEquals(payload.nextForUser, "Q-0002");
  });

  it("openCycle() waits for participants, in record order (G-025, E-18)", () => {
    const ledger = subjectLedger();
    address(ledger, runA, { to: "beta", text: "Why?" });
    address(ledger, runA, { to: "alpha", text: "Why?" });
    const payload = openIn(ledger, runA, new Map());
    assert(payload.action === "await-participant");
    assertEquals(payload.questions, ["Q-0001", "Q-0002"]);
  });

  it("openCycle() waits for the open cycle of another run and names both (G-031, E-26)", () => {
    const { ledger, files } = openedCycle();
    const payload = openIn(ledger, runB, files);
    assert(payload.action === "await-cycle");
    assertEquals([payload.cycle, payload.run], ["R-0001", runA.run.manifest]);
  });

  it("openCycle() tells that the user completed the discussion, before all else (G-021, E-14)", () => {
    const { ledger, files } = closedCycle();
    complete(ledger, runA, {
      draftVersion: ledger.draft.recordsDigest,
      contentPath: (id) => `${id}.md`,
    });
    const payload = openCycle(ledger, runB, { digestFile: () => null }).payload;
    assert(payload.action === "completed");
    assertEquals(payload.revisionId, "RV-0001");
    assertEquals(openIn(ledger, runA, files).action, "completed");
  });
});
