import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { digestBytes, EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { address } from "./address.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { complete } from "./complete.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { decide } from "./decide.ts";
import { drop } from "./drop.ts";
import type { Ledger } from "./ledger.ts";
import { reopen } from "./reopen.ts";
import { renderDraft } from "./render.ts";
import { replayStore } from "./replay.ts";
import { showStatus } from "./status.ts";
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
  TASK,
} from "../testdata/world.ts";

const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);
const contentPath = (id: string) => `revisions/${id}.md`;
const finish = (ledger: Ledger, draftVersion = ledger.draft.recordsDigest) =>
  complete(ledger, runA, { draftVersion, contentPath });

describe("complete", () => {
  it("complete() freezes the text that the user saw (G-137)", () => {
    const { ledger } = closedCycle();
    const seen = renderDraft(ledger.draft, TASK), draftVersion = ledger.draft.recordsDigest;
    const { payload, files } = finish(ledger);
    assertEquals(files, [{ path: "revisions/RV-0001.md", content: seen }]);
    const { record, nextCommands, choices, ...rest } = payload;
    assertEquals(nextCommands, []);
    assertStringIncludes(choices[0] ?? "", "okstra-discussion reopen --reason TEXT");
    assertEquals(rest, {
      created: true,
      phase: "completed",
      revisionId: "RV-0001",
      contentDigest: digestBytes(seen),
      contentPath: "revisions/RV-0001.md",
    });
    assertEquals(record.kind === "revision" && record.draftVersion, draftVersion);
  });

  it("complete() repeats on the version that was completed and on the one that this made (G-137)", () => {
    const { ledger } = closedCycle(), version = ledger.draft.recordsDigest;
    finish(ledger);
    const before = ledger.records;
    assertEquals(finish(ledger, version).payload.created, false);
    assertEquals(finish(ledger).payload.created, false);
    assertEquals(ledger.records, before);
    assertEquals(refuse(() => finish(ledger, EMPTY_DIGEST)).code, "completed");
  });

  it("complete() refuses an old draft and gives the current version (E-114)", () => {
    const { ledger } = closedCycle();
    const old = ledger.draft.recordsDigest;
    addMaterial(ledger, runA, { kind: "evidence", text: "x", author: "user", location: "" });
    const error = refuse(() => finish(ledger, old));
    assertStringIncludes(error.message, ledger.draft.recordsDigest);
  });

  it("complete() refuses without a subject, and names all that is in the way (G-139, E-115)", () => {
    assertEquals(refuse(() => finish(newLedger())).code, "no-subject");
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "error", { reason: "x" }));
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    address(ledger, runA, { to: "beta", text: "Why?" });
    const error = refuse(() => finish(ledger));
    assertEquals(error.issues.length, 4);
    for (const id of ["R-0001", "FL-0001", "Q-0001", "Q-0002"]) {
      assertStringIncludes(error.message, id);
    }
  });

  it("a completed discussion refuses every change and points to reopen (G-011, E-116)", () => {
    const { ledger } = closedCycle([finding("F-001", "contested")]);
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    answer(ledger, runA, { question: "Q-0001", text: "This" });
    finish(ledger);
    const before = ledger.records;
    const changes: readonly (() => unknown)[] = [
      () => confirmSubject(ledger, runA, { subject: "src", question: "Which faults?" }),
      () => confirmSubject(ledger, runA, { subject: "new", question: "Which?" }),
      () =>
        addMaterial(ledger, runA, { kind: "evidence", text: "x", author: "user", location: "" }),
      () => ask(ledger, runA, { author: "lead", to: "user", text: "And?" }),
      () => address(ledger, runA, { to: "alpha", text: "Why?" }),
      () => answer(ledger, runA, { question: "Q-0001", text: "This" }),
      () => decide(ledger, runA, { text: "right", settles: ["C-0001"] }),
      () => closeIn(ledger, runA, [finding("F-001", "contested")]),
    ];
    for (const change of changes) {
      const error = refuse(change);
      assertEquals(error.code, "completed");
      assertStringIncludes(error.hint ?? "", "reopen");
    }
    assertEquals(
      refuse(() => drop(ledger, runA, { question: "Q-0001", reason: "x" })).code,
      "answered",
    );
    assertEquals(ledger.records, before);
  });
});

describe("reopen", () => {
  it("reopen() opens a new draft; everything before stays in force (G-138, E-117)", () => {
    const { ledger } = closedCycle([finding("F-001", "contested")]);
    decide(ledger, runA, { text: "right", settles: ["C-0001"] });
    finish(ledger);
    const { payload } = reopen(ledger, runA, { reason: "more" });
    assertEquals(payload.basedOn, { revisionId: "RV-0001", reason: "more" });
    assertEquals([ledger.draft.completedRevision, payload.phase], [null, "options"]);
    assertEquals(ledger.draft.cycles[0]?.claims[0]?.standing, "decided");
  });

  it("reopen() repeats with the same reason until the next completion (G-138)", () => {
    const { ledger } = closedCycle();
    finish(ledger);
    reopen(ledger, runA, { reason: "more" });
    assertEquals(reopen(ledger, runA, { reason: "more" }).payload.created, false);
    assertEquals(refuse(() => reopen(ledger, runA, { reason: "other" })).code, "not-completed");
    finish(ledger);
    const again = reopen(ledger, runA, { reason: "more", revision: "RV-0002" });
    assertEquals([again.payload.created, again.payload.record.recordId], [true, "RO-0002"]);
  });

  it("reopen() refuses what is not completed, a blank reason and another revision (E-118)", () => {
    const { ledger } = closedCycle();
    assertEquals(refuse(() => reopen(ledger, runA, { reason: "x" })).code, "not-completed");
    finish(ledger);
    assertEquals(refuse(() => reopen(ledger, runA, { reason: " " })).code, "blank-text");
    const other = refuse(() => reopen(ledger, runA, { reason: "x", revision: "RV-0009" }));
    assertEquals(other.code, "other-revision");
  });

  it("reopen() is followed by another revision, and both stay (E-119)", () => {
    const { ledger } = closedCycle();
    finish(ledger);
    reopen(ledger, runA, { reason: "more" });
    assertEquals(finish(ledger).payload.revisionId, "RV-0002");
    assertEquals(showStatus(ledger.draft, runA).revisions.map(({ revisionId }) => revisionId), [
      "RV-0001",
      "RV-0002",
    ]);
  });

  it("reopen() alone is no new input (E-120)", () => {
    const { ledger, files } = closedCycle();
    finish(ledger);
    reopen(ledger, runA, { reason: "more" });
    assertEquals(openIn(ledger, runB, files).action, "present-options");
  });
});

describe("showStatus", () => {
  it("showStatus() of an empty discussion has nothing in it (G-125, E-111)", () => {
    const { nextCommands, choices, ...status } = showStatus(newLedger().draft, runA);
    assertEquals(status, {
      phase: "no-subject",
      draftVersion: EMPTY_DIGEST,
      revision: 0,
      completedRevision: null,
      revisions: [],
      basedOn: null,
      nextForUser: null,
      pendingForUser: [],
      pendingForParticipants: [],
      unrecoveredFailures: [],
      remainingDisagreements: [],
      cycles: [],
    });
    assertStringIncludes(nextCommands[0] ?? "", "confirm-subject");
    assertEquals(choices, []);
  });

  it("showStatus() shows the question itself and failures as views (E-112, E-113)", () => {
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "error", { reason: "x" }));
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    const status = showStatus(ledger.draft, runA);
    assertEquals(status.nextForUser, { recordId: "Q-0001", author: "lead", text: "What?" });
    assertEquals(status.unrecoveredFailures.map(({ worker }) => worker), ["alpha"]);
    assertEquals(status.cycles, [{
      recordId: "R-0001",
      status: "open",
      run: runA.run.manifest,
      participants: [
        { worker: "alpha", model: "lint/alpha-1" },
        { worker: "beta", model: "lint/beta-1" },
      ],
    }]);
  });
});

describe("decide", () => {
  it("decide() settles claims and alternatives, nothing else (G-135)", () => {
    const { ledger } = closedCycle([finding("F-001", "contested")]);
    addMaterial(ledger, runA, { kind: "alternative", text: "x", author: "user", location: "" });
    addMaterial(ledger, runA, { kind: "evidence", text: "y", author: "user", location: "" });
    const settles = ["C-0001", "M-0001", "C-0001"];
    const { payload } = decide(ledger, runA, { text: "right", settles });
    assertEquals(payload.record.kind === "decision" && payload.record.settles, [
      "C-0001",
      "M-0001",
    ]);
    assertEquals([payload.created, payload.remainingDisagreements], [true, []]);
    assertEquals(decide(ledger, runA, { text: "right", settles }).payload.created, false);
    for (const id of ["M-0002", "R-0001", "C-0009"]) {
      const error = refuse(() => decide(ledger, runA, { text: "no", settles: [id] }));
      assertStringIncludes(error.message, id);
    }
  });
});

describe("replayStore", () => {
  const replay = (ledger: Ledger, files: ReadonlyMap<string, string>) =>
    replayStore(ledger.records, TASK, (record) => {
      const path = record.kind === "cycle" ? record.instructionPath : record.contentPath;
      const content = files.get(path);
      return content === undefined ? null : digestBytes(content);
    });

  function finished() {
    const { ledger, files } = closedCycle([finding("F-001", "contested")]);
    for (const { path, content } of finish(ledger).files) files.set(path, content);
    return { ledger, files };
  }

  it("replayStore() rebuilds instructions and revisions byte for byte", () => {
    const { ledger, files } = finished();
    const answer = replay(ledger, files);
    assertEquals([answer.ok, answer.instructions.length, answer.revisions.length], [true, 1, 1]);
    assertEquals(answer.projectionDigest, digestBytes(renderDraft(ledger.draft, TASK)));
  });

  it("replayStore() names a file that is gone or was changed", () => {
    const { ledger, files } = finished();
    files.set("revisions/RV-0001.md", "forged\n");
    for (const path of [...files.keys()]) if (path.endsWith("001.md")) files.delete(path);
    files.set("revisions/RV-0001.md", "forged\n");
    const answer = replay(ledger, files);
    assertEquals(answer.ok, false);
    assertStringIncludes(answer.instructions[0]?.problem ?? "", "missing");
    assertStringIncludes(answer.revisions[0]?.problem ?? "", "the record gives");
  });
});
