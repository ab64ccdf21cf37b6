import { assertEquals, assertThrows } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { OkstraError } from "../errors.ts";
import { roundOfKind } from "../invocation.ts";
import { finishAttempt, listAttempts, openAttempt, readExecutionManifest } from "./attempts.ts";
import { materializePrompts } from "./prompts.ts";
import { listTree, prepareTestRun } from "../../../../test/prepared-run.ts";

function prepared() {
  const run = prepareTestRun();
  const [alpha, beta] =
    materializePrompts(run, { delivery: "include", now: new Date(0) }).invocations;
  const start = {
    metadataPath: alpha!.metadataPath,
    attempt: 1,
    startedAt: "2026-01-31T10:00:00Z",
  };
  const end = {
    invocationRef: alpha!.invocationId,
    attempt: 1,
    finishedAt: "2026-01-31T10:05:00Z",
    status: "ok",
    resultPath: "result.md",
  };
  const revision = () => readExecutionManifest(run).revision;
  return { run, alpha: alpha!, beta: beta!, start, end, revision };
}

describe("openAttempt()", () => {
  it("records the invocation with its write contract, and the attempt (T-033)", () => {
    const { run, alpha, start } = prepared();
    openAttempt(run, start);
    const document = readExecutionManifest(run);
    const { writePolicy, writeEnforcement, ...invocation } = document.invocations[0]!;
    assertEquals(invocation, {
      invocationRef: alpha.invocationId,
      participantRef: "p/alpha",
      roleExecutionRef: "re/alpha/analyser",
      sourceInvocationRef: null,
      recoveryRef: null,
      dutyId: "discussion-analysis",
      dispatchKind: "initial",
      round: 1,
      inputDigest: alpha.digests.promptDigest,
      writePolicyDigest: invocation.writePolicyDigest,
    });
    assertEquals(writePolicy, {
      role: "analyser",
      projectRoot: run.projectRoot,
      sourcePolicy: { allowedRoot: null, plannedPaths: [], plannedPathsDeclared: true },
      artifactPaths: [
        `${alpha.promptPath}.log`,
        `${alpha.promptPath}.status.json`,
        alpha.resultPath,
        `${alpha.resultPath}.audit.json`,
        `${alpha.resultPath}.errors.json`,
      ],
      auxiliaryRoots: [],
      precision: "none",
    });
    assertEquals(writeEnforcement, { mutationAudit: "batch", boundary: "none" });
    assertEquals(document.attempts, [{
      invocationRef: alpha.invocationId,
      attempt: 1,
      startedAt: "2026-01-31T10:00:00Z",
      finishedAt: null,
      status: "started",
      resultPath: null,
      errorPath: null,
      changeSummary: {},
      evidenceSealRef: null,
    }]);
  });

  it("returns an attempt that is open as it is and writes nothing (T-037)", () => {
    const { run, start, revision } = prepared();
    openAttempt(run, start);
    const before = revision();
    const again = openAttempt(run, { ...start, startedAt: "2026-01-31T11:00:00Z" });
    assertEquals(again.startedAt, "2026-01-31T10:00:00Z");
    assertEquals(revision(), before);
  });

  it("keeps one invocation over its attempts, whatever their number", () => {
    const { run, start, end } = prepared();
    openAttempt(run, start);
    finishAttempt(run, { ...end, status: "error", resultPath: null });
    openAttempt(run, { ...start, attempt: 2 });
    assertEquals(listAttempts(run).map((row) => [row.attempt, row.status]), [[1, "error"], [
      2,
      "started",
    ]]);
    assertEquals(readExecutionManifest(run).invocations.length, 1);
  });

  it("refuses an invocation that was recorded with another content (T-037)", () => {
    const { run, alpha, start } = prepared();
    openAttempt(run, start);
    const metadata = JSON.parse(readFileSync(alpha.metadataPath, "utf8"));
    writeFileSync(alpha.metadataPath, JSON.stringify({ ...metadata, dispatchKind: "reverify-r2" }));
    const before = listTree(run.projectRoot);
    const error = assertThrows(() => openAttempt(run, { ...start, attempt: 2 }), OkstraError);
    assertEquals([error.code, error.message.endsWith("another dispatchKind, round")], [
      "invocation-drift",
      true,
    ]);
    assertEquals(listTree(run.projectRoot), before);
  });

  it("refuses an attempt that ended, and a number below 1 (T-044)", () => {
    const { run, start, end } = prepared();
    openAttempt(run, start);
    finishAttempt(run, end);
    const before = listTree(run.projectRoot);
    assertEquals(assertThrows(() => openAttempt(run, start), OkstraError).code, "attempt-closed");
    assertThrows(() => openAttempt(run, { ...start, attempt: 0 }), OkstraError, "from 1");
    assertEquals(listTree(run.projectRoot), before);
  });

  it("refuses a stale revision with exit status 3 (P-2)", () => {
    const { run, start, revision } = prepared();
    const stale = { ifRevision: revision() + 1 };
    assertEquals(assertThrows(() => openAttempt(run, start, stale), OkstraError).exitCode, 3);
    assertEquals(listAttempts(run), []);
  });
});

describe("finishAttempt()", () => {
  it("closes once; the same end again is no change, another one is drift (T-044)", () => {
    const { run, start, end, revision } = prepared();
    openAttempt(run, start);
    assertEquals(finishAttempt(run, end).finishedAt, "2026-01-31T10:05:00Z");
    const before = revision();
    finishAttempt(run, { ...end, finishedAt: "2026-01-31T12:00:00Z" });
    assertEquals(revision(), before);
    for (const drift of [{ status: "error" }, { resultPath: null }, { changeSummary: { a: 1 } }]) {
      const error = assertThrows(() => finishAttempt(run, { ...end, ...drift }), OkstraError);
      assertEquals([error.code, error.message.includes(Object.keys(drift)[0]!)], [
        "attempt-drift",
        true,
      ]);
    }
    assertEquals(revision(), before);
  });

  it("refuses an attempt that was never opened, and the status of an open one (T-041)", () => {
    const { run, beta, start, end } = prepared();
    openAttempt(run, start);
    const before = listTree(run.projectRoot);
    const unknown = { ...end, invocationRef: beta.invocationId };
    assertEquals(
      assertThrows(() => finishAttempt(run, unknown), OkstraError).code,
      "attempt-unknown",
    );
    for (const status of ["started", " ", "\u200b"]) {
      assertThrows(() => finishAttempt(run, { ...end, status }), OkstraError, "no end");
    }
    assertEquals(listTree(run.projectRoot), before);
  });
});

describe("roundOfKind()", () => {
  it("reads the number of a verification round, and 1 for every other kind (T-035)", () => {
    assertEquals(
      ["initial", "discussion-question", "reverify-r1", "reverify-r12"].map(roundOfKind),
      [
        1,
        1,
        1,
        12,
      ],
    );
    for (
      const kind of ["reverify-r", "reverify-r0", "reverify-rx", "reverify-r-1", "reverify-r1.5"]
    ) {
      assertThrows(() => roundOfKind(kind), OkstraError, kind);
    }
  });
});
