import { assertEquals, assertStringIncludes } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { readExecutionManifest } from "@okstra/manifest-io/io/attempts";
import type { Run } from "@okstra/manifest-io/io/run";
import { teamStatePath } from "./io/team-state.ts";
import { prepareNativeRun, recordAndWork, recordWords, type TestDispatch } from "./test-native.ts";
import { listTree, prepareTestRun } from "../../../test/prepared-run.ts";
import { call, editJson, readState } from "./test-run.ts";

/** Asserts that a call ends with exit status 2, prints `text` on stderr alone and changes nothing. */
async function refused(run: Run, words: readonly string[], ...texts: string[]): Promise<void> {
  const before = listTree(run.projectRoot);
  const { status, stdout, stderr } = await call(run, words);
  assertEquals([status, stdout], [2, ""]);
  for (const text of texts) assertStringIncludes(stderr, text);
  assertEquals(listTree(run.projectRoot), before);
}

const linkWords = (dispatchId: string, result: string) => [
  ...["result", "link", "--dispatch-id", dispatchId, "--result", result],
];
const rejectWords = (dispatchId: string, supersededBy: string, reason = "wrong form") => [
  ...["result", "reject", "--dispatch-id", dispatchId],
  ...["--superseded-by", supersededBy, "--reason", reason],
];
const attemptsOf = (run: Run) => readExecutionManifest(run).attempts;

async function recorded(): Promise<{ run: Run; alpha: TestDispatch; beta: TestDispatch }> {
  const made = prepareNativeRun();
  writeFileSync(join(made.run.projectRoot, "source.ts"), "1\n");
  await recordAndWork(made.run, made.alpha);
  return made;
}

describe("okstra-team-state result link", () => {
  it("closes the attempt and links the result, project-relative (T-040, T-041, T-042)", async () => {
    const { run, alpha } = await recorded(), { revision } = readState(run);
    const { status, output, stderr } = await call(run, alpha.link, {
      now: "2026-01-31T10:20:00Z",
    });
    assertEquals([status, stderr], [0, ""]);
    const resultPath = run.relative(alpha.resultPath);
    assertEquals([output.isNew, output.revision], [true, revision + 1]);
    assertEquals(output.link, {
      dispatchId: alpha.dispatchId,
      resultPath,
      participantRef: "p/alpha",
      roleExecutionRef: "re/alpha/analyser",
      executionLabel: "alpha",
      dutyId: "discussion-analysis",
      invocationRef: alpha.invocationId,
      attempt: 1,
    });
    assertEquals(readState(run).agentResultLinks, [output.link]);
    const [attempt] = attemptsOf(run);
    const { changeSummary, ...rest } = attempt!;
    assertEquals([rest.status, rest.resultPath, rest.finishedAt, rest.errorPath], [
      "ok",
      resultPath,
      "2026-01-31T10:20:00Z",
      null,
    ]);
    const { beforeDigest, afterDigest, ...summary } = changeSummary;
    assertEquals(summary, {
      mutationStatus: "ok",
      changedPaths: [],
      sourceChanged: false,
      gitChanged: false,
      attribution: "worker",
      retryAllowed: false,
      violations: [],
    });
    assertEquals(beforeDigest, afterDigest);
  });

  it("returns the same link as it is and changes nothing (T-044, T-045)", async () => {
    const { run, alpha } = await recorded();
    const first = await call(run, alpha.link);
    const before = listTree(run.projectRoot);
    writeFileSync(join(run.projectRoot, "source.ts"), "changed after the link\n");
    const again = await call(run, alpha.link, { now: "2026-02-01T00:00:00Z" });
    assertEquals(again.output, { ...first.output, isNew: false });
    writeFileSync(join(run.projectRoot, "source.ts"), "1\n");
    assertEquals(listTree(run.projectRoot), before);
  });

  it("goes on after a crash between attempt and link, whatever was changed since (T-046)", async () => {
    const { run, alpha } = await recorded();
    await call(run, alpha.link);
    editJson(teamStatePath(run), (state) => ({ ...state, agentResultLinks: [] }));
    writeFileSync(join(run.projectRoot, "source.ts"), "changed after the attempt\n");
    assertEquals((await call(run, alpha.link)).status, 0);
    assertEquals(readState(run).agentResultLinks.length, 1);
  });

  it("takes no file that was there before the dispatch, also at the end of a link (P-10)", async () => {
    const { run, alpha } = await recorded();
    const old = join(dirname(alpha.resultPath), "old.md");
    writeFileSync(old, "of yesterday\n");
    utimesSync(old, 1, 1);
    const said = "it was not written in this attempt";
    await refused(run, linkWords(alpha.dispatchId, old), said);
    rmSync(alpha.resultPath);
    symlinkSync(old, alpha.resultPath);
    await refused(run, alpha.link, said);
    assertEquals(attemptsOf(run)[0]!.finishedAt, null);
    rmSync(alpha.resultPath);
    writeFileSync(alpha.resultPath, "of today\n");
    assertEquals((await call(run, alpha.link)).status, 0);
  });

  it("closes the attempt with every violation and links nothing (T-041, T-042)", async () => {
    const { run, alpha } = await recorded();
    writeFileSync(join(run.projectRoot, "source.ts"), "22\n");
    writeFileSync(join(run.projectRoot, "new.ts"), "");
    const state = readState(run);
    const texts = ['"source.ts" was changed', '"new.ts" is new', alpha.dispatchId];
    const first = await call(run, alpha.link);
    assertEquals([first.status, first.stdout], [2, ""]);
    for (const text of texts) assertStringIncludes(first.stderr, text);
    assertEquals(readState(run), state);
    const [attempt] = attemptsOf(run);
    assertEquals([attempt!.status, attempt!.finishedAt], ["violation", "2026-01-31T10:00:00Z"]);
    // What is closed stays closed, even if the tree is put back.
    writeFileSync(join(run.projectRoot, "source.ts"), "1\n");
    rmSync(join(run.projectRoot, "new.ts"));
    await refused(run, alpha.link, ...texts);
  });

  it("links nothing if it cannot be told what was changed (T-042)", async () => {
    for (
      const spoil of [
        (path: string) => rmSync(path),
        (path: string) => writeFileSync(path, "{}"),
        (path: string) =>
          editJson(path, (value) => ({ ...value, digest: `sha256:${"0".repeat(64)}` })),
      ]
    ) {
      const { run, alpha } = await recorded();
      spoil(`${alpha.metadataPath}.mutation-audit.json`);
      const { status, stderr } = await call(run, alpha.link);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "cannot be told");
      assertStringIncludes(stderr, "snapshot");
      assertEquals(attemptsOf(run)[0]!.status, "unverifiable");
      assertEquals(readState(run).agentResultLinks, []);
    }
    const { run, alpha } = await recorded();
    editJson(teamStatePath(run), (state) => {
      state.agentDispatches[0].mutationAuditSnapshotPath = "";
      return state;
    });
    assertEquals((await call(run, alpha.link)).status, 2);
    assertEquals(attemptsOf(run)[0]!.status, "unverifiable");
  });

  it("allows what a JSON result itself reports as out of plan (T-043)", async () => {
    const { run, alpha } = await recorded();
    const result = join(dirname(alpha.resultPath), "result.json");
    const edits = [{ file: "source.ts" }, { file: " " }, {}, null];
    writeFileSync(result, JSON.stringify({ implementation: { outOfPlanEdits: edits } }));
    writeFileSync(join(run.projectRoot, "source.ts"), "22\n");
    const { status } = await call(run, linkWords(alpha.dispatchId, result));
    assertEquals(status, 0);
    assertEquals(attemptsOf(run)[0]!.changeSummary["changedPaths"], ["source.ts"]);
  });

  it("takes a report out of plan that cannot be read for none (T-043)", async () => {
    const { run, alpha } = await recorded();
    const result = join(dirname(alpha.resultPath), "result.json");
    writeFileSync(result, '{"implementation": {"outOfPlanEdits": [{"file": "source.ts"}]');
    writeFileSync(join(run.projectRoot, "source.ts"), "22\n");
    assertEquals((await call(run, linkWords(alpha.dispatchId, result))).status, 2);
    assertEquals(attemptsOf(run)[0]!.status, "violation");
  });

  it("allows what others that ran meanwhile may change, and then blames none alone (T-041)", async () => {
    const { run, alpha, beta } = await recorded();
    await recordAndWork(run, beta);
    await call(run, alpha.link);
    assertEquals(attemptsOf(run)[0]!.changeSummary["attribution"], "batch");
    const outside = join(run.projectRoot, "elsewhere");
    writeFileSync(outside, "");
    await call(run, beta.link);
    assertEquals(attemptsOf(run)[1]!.status, "violation");
  });

  it("refuses a result that is not a file with content inside the run (T-040)", async () => {
    const { run, alpha } = await recorded();
    const link = (path: string) => linkWords(alpha.dispatchId, path);
    const results = dirname(alpha.resultPath), runDirectory = run.manifest.runDirectoryPath;
    const outside = join(run.projectRoot, "result.md");
    writeFileSync(outside, "x");
    writeFileSync(join(results, "empty.md"), "");
    symlinkSync(outside, join(results, "link.md"));
    mkdirSync(join(run.projectRoot, "out"));
    writeFileSync(join(run.projectRoot, "out/result.md"), "x");
    symlinkSync(join(run.projectRoot, "out"), join(results, "way"));
    // The same run of another clone of the project.
    const { alpha: theirs } = await recorded();
    for (
      const [path, text] of [
        [outside, `inside the run directory "${runDirectory}"`],
        [join(results, "link.md"), "inside the run directory"],
        [join(results, "way", "result.md"), "inside the run directory"],
        [join(results, "..", "..", "..", "..", "task-manifest.json"), "no such file"],
        ["/etc/hostname", "inside the run directory"],
        [theirs.resultPath, "inside the run directory"],
        [join(results, "none.md"), "no such file"],
        [results, "not a regular file"],
        [join(results, "empty.md"), "it is empty"],
      ] as const
    ) await refused(run, link(path), text);
    const moved = `${run.at(runDirectory)}-moved`;
    renameSync(run.at(runDirectory), moved);
    mkdirSync(run.at("runs"));
    const { status, stderr } = await call(run, link(outside), {
      env: { OKSTRA_RUN: join(moved, "manifests/run-manifest-discussion-001.json") },
    });
    assertEquals(status, 2);
    assertStringIncludes(stderr, "run-manifest-discussion-001.json");
  });

  it("finds the run directory through links, and takes names of any sort (T-040)", async () => {
    const { run, alpha } = await recorded();
    const project = `${run.projectRoot}-link`;
    symlinkSync(run.projectRoot, project);
    const name = 'a "b"\n ü.md';
    const result = join(dirname(alpha.resultPath), name);
    writeFileSync(result, "x");
    const through = join(project, run.relative(dirname(alpha.resultPath)), name);
    const { output } = await call(run, linkWords(alpha.dispatchId, through), {
      env: { OKSTRA_RUN: run.manifestPath.replace(run.projectRoot, project) },
      cwd: project,
    });
    assertEquals(output.link.resultPath, run.relative(result));
  });

  it("looks for conflicts of links before it closes an attempt (T-045, T-046)", async () => {
    const { run, alpha, beta } = await recorded();
    await call(run, alpha.link);
    await recordAndWork(run, beta);
    const words = linkWords(beta.dispatchId, alpha.resultPath);
    await refused(
      run,
      words,
      `"${run.relative(alpha.resultPath)}"`,
      `"${alpha.dispatchId}"`,
      `result reject --dispatch-id ${alpha.dispatchId} --superseded-by ${beta.dispatchId}`,
    );
    assertEquals(attemptsOf(run)[1]!.finishedAt, null);
    await refused(
      run,
      linkWords(alpha.dispatchId, beta.resultPath),
      `"${alpha.dispatchId}"`,
      `"${run.relative(alpha.resultPath)}" already`,
    );
    await refused(
      run,
      linkWords("none:attempt-1", beta.resultPath),
      '"none:attempt-1"',
      "exactly one",
    );
    assertEquals((await call(run, rejectWords(alpha.dispatchId, beta.dispatchId))).status, 0);
    utimesSync(alpha.resultPath, 1, 1);
    await refused(run, words, "it was not written in this attempt");
    writeFileSync(alpha.resultPath, "# Findings\n\nNo findings, in the right form\n");
    assertEquals((await call(run, words)).status, 0);
    await refused(run, alpha.link, `"${beta.dispatchId}"`);
  });

  it("refuses a ledger that does not agree with the execution manifest (T-041)", async () => {
    const { run, alpha } = await recorded();
    const path = run.at(run.manifest.executionManifestPath);
    const whole = JSON.parse(JSON.stringify(readExecutionManifest(run)));
    const [invocation] = whole.invocations;
    for (
      const [change, text] of [
        [{ invocations: [] }, "has no invocation"],
        [{ attempts: [] }, "never opened"],
        [
          { invocations: [{ ...invocation, writePolicyDigest: "sha256:0" }] },
          "write policy changed",
        ],
        [
          { invocations: [{ ...invocation, writePolicy: {} }] },
          "write policy changed",
        ],
        [
          { invocations: [{ ...invocation, writeEnforcement: { mutationAudit: "none" } }] },
          "enforcement of its write policy changed",
        ],
      ] as const
    ) {
      writeFileSync(path, JSON.stringify({ ...whole, ...change }));
      await refused(run, alpha.link, alpha.dispatchId, text);
    }
  });

  it("refuses an attempt that was closed otherwise (T-044)", async () => {
    const { run, alpha } = await recorded();
    const path = run.at(run.manifest.executionManifestPath);
    const close = (fields: object) =>
      editJson(path, (value) => {
        Object.assign(value.attempts[0], { finishedAt: "2026-01-31T10:10:00Z", ...fields });
        return value;
      });
    close({ status: "ok", resultPath: "other.md" });
    await refused(run, alpha.link, '"other.md"');
    close({ status: "timeout", resultPath: null });
    await refused(run, alpha.link, '"timeout"');
  });

  it("gives a dispatch of the tools only its link (T-047)", async () => {
    const { run, alpha } = prepareNativeRun();
    const row = { workerId: "alpha", dispatchId: "x:attempt-1", status: "completed", attempt: 1 };
    await call(run, ["dispatch", "append"], { stdin: JSON.stringify(row) });
    writeFileSync(alpha.resultPath, "x");
    const { output } = await call(run, linkWords("x:attempt-1", alpha.resultPath));
    assertEquals(output.link, {
      dispatchId: "x:attempt-1",
      resultPath: run.relative(alpha.resultPath),
    });
    assertEquals(attemptsOf(run), []);
  });

  it("audits a git repository, HEAD and index too (T-042)", async () => {
    const made = prepareNativeRun(), root = made.run.projectRoot;
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: root });
    git("init", "-q");
    writeFileSync(join(root, ".gitignore"), ".okstra\nbuild\n");
    git("add", ".gitignore");
    git("commit", "-q", "-m", "first");
    await recordAndWork(made.run, made.alpha);
    mkdirSync(join(root, "build"));
    writeFileSync(join(root, "build", "out"), "");
    assertEquals((await call(made.run, made.alpha.link)).status, 0);
    await recordAndWork(made.run, made.beta);
    git("commit", "-q", "--allow-empty", "-m", "second");
    const { status, stderr } = await call(made.run, made.beta.link);
    assertEquals(status, 2);
    assertStringIncludes(stderr, "HEAD");
  });

  it("refuses collections of a wrong type, naming them and the document (T-045)", async () => {
    const { run, alpha } = await recorded();
    for (const field of ["agentResultLinks", "agentDispatches", "workerDispatches"]) {
      editJson(teamStatePath(run), (state) => ({ ...state, [field]: {} }));
      await refused(run, alpha.link, teamStatePath(run), `/${field}`);
      editJson(teamStatePath(run), (state) => ({ ...state, [field]: [] }));
    }
    editJson(teamStatePath(run), ({ agentDispatches: _, ...state }) => state);
    await refused(run, alpha.link, "0 in agentDispatches");
  });

  it("exits 3 and closes no attempt if the revision is another one (P-2)", async () => {
    const { run, alpha } = await recorded(), before = listTree(run.projectRoot);
    const words = [...alpha.link, "--if-revision", "99"];
    assertEquals((await call(run, words)).status, 3);
    assertEquals(listTree(run.projectRoot), before);
  });
});

describe("what later readers tell an outcome by", () => {
  it("is an open attempt, then a closed one with a live link or without (T-058)", async () => {
    const { run, alpha, beta } = await recorded();
    const outcome = (dispatch: TestDispatch) => {
      const attempt = attemptsOf(run).find((each) => each.invocationRef === dispatch.invocationId);
      const links: { dispatchId: string; supersededBy?: string }[] =
        readState(run).agentResultLinks;
      const isLinked = links.some((link) =>
        link.dispatchId === dispatch.dispatchId && link.supersededBy === undefined
      );
      const isOpen = attempt === undefined || attempt.finishedAt === null;
      return isLinked ? "completed" : isOpen ? "running" : "failed";
    };
    assertEquals([outcome(alpha), outcome(beta)], ["running", "running"]);
    await call(run, alpha.link);
    await recordAndWork(run, beta);
    assertEquals([outcome(alpha), outcome(beta)], ["completed", "running"]);
    writeFileSync(join(run.projectRoot, "new.ts"), "");
    await call(run, beta.link);
    assertEquals(outcome(beta), "failed");
    await call(run, rejectWords(alpha.dispatchId, "new:attempt-1"));
    assertEquals(outcome(alpha), "failed");
  });
});

describe("okstra-team-state result reject", () => {
  it("marks the link once, and keeps it (T-050)", async () => {
    const { run, alpha } = await recorded();
    const ledger = readState(run).agentDispatches;
    await call(run, alpha.link);
    const { output } = await call(run, rejectWords(alpha.dispatchId, "new:attempt-1"));
    assertEquals(readState(run).agentResultLinks, [output.link]);
    assertEquals(readState(run).agentDispatches, ledger);
    assertEquals([output.link.supersededBy, output.link.rejectionReason], [
      "new:attempt-1",
      "wrong form",
    ]);
    await refused(
      run,
      rejectWords(alpha.dispatchId, "x"),
      `"${alpha.dispatchId}"`,
      '"new:attempt-1"',
    );
  });

  it("exits 2 and changes nothing for what it refuses (T-050, T-051)", async () => {
    const { run, alpha } = await recorded();
    await call(run, alpha.link);
    const id = alpha.dispatchId;
    await refused(run, rejectWords(id, " "), "supersedes it is not named");
    await refused(run, rejectWords(id, "new", " "), "the ledger must say why");
    await refused(run, rejectWords(id, "new").slice(0, -2), "the ledger must say why");
    await refused(run, rejectWords(id, id), "cannot supersede itself");
    await refused(run, rejectWords("other", "new"), '"other"', "0 links");
    const bare = prepareTestRun();
    editJson(teamStatePath(bare), ({ agentResultLinks: _, ...state }) => state);
    await refused(bare, rejectWords("other", "new"), "0 links");
    editJson(teamStatePath(bare), (state) => ({ ...state, agentResultLinks: "none" }));
    await refused(bare, rejectWords("other", "new"), "/agentResultLinks", teamStatePath(bare));
    rmSync(teamStatePath(bare));
    await refused(bare, rejectWords("other", "new"), teamStatePath(bare));
  });
});

describe("okstra-team-state ledger record", () => {
  it("keeps the worktree of an implementation in sight (T-038)", async () => {
    const worktree = prepareTestRun().projectRoot;
    const { run, alpha } = prepareNativeRun({ taskType: "implementation", worktree });
    await recordAndWork(run, alpha);
    writeFileSync(join(worktree, "made.ts"), "");
    assertEquals((await call(run, alpha.link)).status, 0);
    assertEquals(attemptsOf(run)[0]!.changeSummary["changedPaths"], [join(worktree, "made.ts")]);
    const verify = prepareNativeRun({ taskType: "final-verification", worktree });
    await recordAndWork(verify.run, verify.alpha);
    writeFileSync(join(worktree, "more.ts"), "");
    assertEquals((await call(verify.run, verify.alpha.link)).status, 2);
    const again = recordWords(verify.alpha.metadataPath, "host-native-spec-link-gate");
    assertEquals((await call(verify.run, again)).output.isNew, false);
  });
});
