import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runApp, testIo, type TestIoOptions } from "@okstra/kit/cli";
import type { Run } from "@okstra/manifest-io/io/run";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { app } from "./cli.ts";
import { dispatchBatch, formatFindings, prepareTestRun, recordResult } from "./io/testing.ts";
import { listTree } from "../../../test/prepared-run.ts";

/** What a command left behind. */
interface Called {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the tool in this process. */
async function callTool(
  words: readonly string[],
  options: TestIoOptions = {},
): Promise<Called> {
  const io = testIo(options);
  const status = await runApp(app, [...words], io);
  const { stdout, stderr } = io;
  return { status, stdout, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : null };
}

type Tool = (...words: string[]) => Promise<Called>;

const toolFor = (run: Run): Tool => (...words) =>
  callTool(words, { env: { OKSTRA_RUN: run.manifestPath }, cwd: run.projectRoot });

/** Calls a step twice and returns its output, having made sure that the second call changed no file. */
async function twice(run: Run, call: () => Promise<Called>): Promise<Called> {
  const first = await call();
  assertEquals([first.status, first.stderr], [0, ""]);
  const before = listTree(run.projectRoot);
  const second = await call();
  assertEquals([second.status, second.stderr], [0, ""]);
  assertEquals(listTree(run.projectRoot), before);
  return first;
}

/** Calls a tool that must refuse: nothing on stdout and no file changed. */
async function refused(run: Run, tool: Tool, ...words: string[]): Promise<Called> {
  const before = listTree(run.projectRoot);
  const call = await tool(...words);
  assertEquals([call.status, call.stdout], [2, ""], call.stderr);
  assertEquals(listTree(run.projectRoot), before);
  return call;
}

const twoWorkers = () => {
  const run = prepareTestRun(["alpha", "beta"]);
  recordResult(
    run,
    "alpha",
    formatFindings({ title: "a1" }, { title: "both", place: "src/x.ts:4-8" }),
  );
  recordResult(
    run,
    "beta",
    formatFindings({ title: "b1" }, { title: "same", place: "src/x.ts:8" }),
  );
  return run;
};

describe("the story of commands.md", () => {
  it("runs with every step repeated, and ends when nothing is left to ask (V-001, V-002, V-004)", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    const collected = await twice(run, () => tool("collect-findings"));
    assertEquals(collected.json.action, "collected");
    assertEquals(collected.json.runManifestPath, run.manifestPath);
    assertEquals(collected.json.findings, 4);
    assertEquals(collected.json.near[0].join, "alpha:F-002,beta:F-002");
    assertEquals((await twice(run, () => tool("seed"))).json.action, "seeded");

    const modes: string[] = [];
    for (const mode of ["adversarial", "collaborative"] as const) {
      const plan = await twice(run, () => tool("plan-round"));
      if (plan.json.action !== "planned") break;
      modes.push(mode);
      const prompts = await twice(run, () => tool("prompts", "--mode", mode));
      assertEquals(prompts.json.instructionPaths.length, 2);
      const yes = mode === "adversarial" ? "UPHELD" : "AGREE";
      const no = mode === "adversarial"
        ? "REFUTED\nBasis: overstated"
        : "DISAGREE\nBasis: overstated";
      const summary = dispatchBatch(
        run,
        prompts.json.batchPath,
        (worker, id) => worker === "beta" && id === "F-001" ? no : yes,
      );
      const results = await twice(
        run,
        () => tool("collect-results", "--mode", mode, "--await", summary),
      );
      assertEquals(results.json.action, "collected");
      const applied = await tool("apply-round");
      assertEquals([applied.status, applied.json.action], [0, "applied"]);
      const again = await twice(run, () => tool("apply-round"));
      assertEquals([again.json.action, again.json.round], ["already-applied", plan.json.round]);
      // Repeating an earlier step of the applied round changes nothing either.
      assertEquals((await twice(run, () => tool("prompts", "--mode", mode))).status, 0);
      await twice(run, () => tool("collect-results", "--mode", mode, "--await", summary));
    }
    assertEquals(modes, ["adversarial", "collaborative"]);
    const skipped = await twice(run, () => tool("plan-round"));
    assertEquals([skipped.json.action, skipped.json.skippedReason], ["skipped", "round-limit"]);

    const final = await twice(run, () => tool("finalize"));
    assertEquals([final.json.action, final.json.finalState], ["finalized", "contested"]);
    assertEquals(final.json.path, run.at(run.manifest.convergenceStatePath));
    const valid = await twice(run, () => tool("validate"));
    assertEquals([valid.json.action, valid.json.issues], ["valid", []]);
    const report = await twice(run, () => tool("report", "--format", "text"));
    assertStringIncludes(report.stdout, "F-001  a1       src/a1.ts:1");
    assertStringIncludes(report.stdout, "beta disagree (overstated)");
    const status = await twice(run, () => tool("status"));
    assertEquals([status.json.stage, status.json.next], ["finalized", null]);
  });

  it("ends the loop at once if everybody agrees, and before the first round if nobody found anything (V-022)", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    for (const worker of ["alpha", "beta"]) recordResult(run, worker, formatFindings());
    await tool("collect-findings");
    await tool("seed");
    const plan = await twice(run, () => tool("plan-round"));
    assertEquals([plan.status, plan.json.action, plan.json.skippedReason], [
      0,
      "skipped",
      "no-findings",
    ]);
    assertEquals(plan.json.dispatches, []);
    await refused(run, tool, "prompts", "--mode", "adversarial");
    await refused(
      run,
      tool,
      "collect-results",
      "--mode",
      "adversarial",
      "--dispatch",
      "alpha=completed:1",
    );
    const final = await tool("finalize");
    assertEquals([final.json.finalState, final.json.round2SkippedReason], [
      "no-findings",
      "no-findings",
    ]);
  });

  it("prints an object that the next step takes as run (commands.md, RUN)", async () => {
    const run = twoWorkers();
    const first = await callTool(["collect-findings", "--run-manifest", run.manifestPath]);
    const second = await callTool(["seed"], { stdin: first.stdout });
    const third = await callTool(["plan-round"], { stdin: second.stdout });
    assertEquals([second.json.action, third.json.action], ["seeded", "planned"]);
  });
});

describe("okstra-convergence collect-findings", () => {
  it("writes the default groups of the run with sources (decisions 9, A.10)", async () => {
    const run = twoWorkers(), { json } = await toolFor(run)("collect-findings");
    assertEquals(json.path, run.at(run.manifest.convergenceGroupsPath));
    const groups = JSON.parse(readFileSync(json.path, "utf8"));
    assertEquals(groups.groups[2].sources, [{
      worker: "beta",
      localId: "F-001",
      resultPath: `${run.manifest.runDirectoryPath}/worker-results/beta-worker-discussion-001.md`,
      line: 3,
    }]);
    assertEquals(groups.workers, [
      { worker: "alpha", provider: "lint" },
      { worker: "beta", provider: "lint" },
    ]);
  });

  it("joins what --join names, until the groups are seeded (P-13)", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    await tool("collect-findings");
    const joined = await tool("collect-findings", "--join", "alpha:F-002,beta-worker:F-002");
    assertEquals([joined.json.findings, joined.json.near], [3, []]);
    await tool("seed");
    const { stderr } = await refused(run, tool, "collect-findings");
    assertStringIncludes(stderr, "seeded with other groups");
  });

  it("refuses a missing result unless the worker is absent (decisions 9)", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    recordResult(run, "alpha", formatFindings({ title: "a" }));
    const { stderr } = await refused(run, tool, "collect-findings");
    assertStringIncludes(stderr, "no result of beta is on record");
    const { json } = await tool("collect-findings", "--absent", "beta-worker");
    assertEquals([json.absent, json.workers[1]], [["beta"], { worker: "beta", findings: null }]);
  });

  it("takes the last completed attempt of kind initial, and refuses a live one (G-041)", async () => {
    const run = prepareTestRun(["alpha"]), tool = toolFor(run);
    recordResult(run, "alpha", formatFindings({ title: "a" }), { status: "error" });
    recordResult(run, "alpha", formatFindings({ title: "a" }), { kind: "reverify-r1" });
    await refused(run, tool, "collect-findings");
    recordResult(run, "alpha", formatFindings({ title: "a" }), { attempt: 2 });
    assertEquals((await tool("collect-findings")).json.findings, 1);
    recordResult(run, "alpha", formatFindings({ title: "a" }), {
      invocationId: "initial-alpha-001-r1",
      status: "running",
    });
    assertStringIncludes((await refused(run, tool, "collect-findings")).stderr, "still running");
  });

  it("takes a named file, also one outside the project, under either name of the worker", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    recordResult(run, "beta", formatFindings());
    const outside = join(prepareTestRun(["x"]).projectRoot, "alpha.md");
    writeFileSync(outside, formatFindings({ title: "a" }));
    const { json } = await tool("collect-findings", "--result", `alpha-worker=${outside}`);
    assertEquals(json.findings, 1);
    const groups = JSON.parse(readFileSync(json.path, "utf8"));
    assertEquals(groups.groups[0].sources[0].resultPath, outside);
    for (
      const words of [
        ["--result", "alpha"],
        ["--result", "zoe=x.md"],
        ["--result", "alpha=x.md", "--result", "alpha-worker=y.md"],
        ["--result", `alpha=${outside}`, "--absent", "alpha"],
        ["--absent", "__proto__"],
      ]
    ) await refused(run, tool, "collect-findings", ...words);
  });

  it("reports the problems of all results together, with file, line and column", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    const alpha = recordResult(run, "alpha", "nothing");
    const beta = recordResult(run, "beta", "# Findings\n### F-001: x\n");
    const { stderr } = await refused(run, tool, "collect-findings", "--errors", "json");
    const { code, issues } = JSON.parse(stderr);
    assertEquals(code, "bad-findings");
    assertEquals(issues[0], {
      file: alpha,
      line: 1,
      column: 1,
      message: 'alpha: no heading "Findings" stands in the text',
    });
    assertEquals(issues.length, 4);
    assertEquals([issues[1].file, issues[1].line], [beta, 2]);
  });

  it("does not follow a link out of the project (architecture 5)", async () => {
    const run = prepareTestRun(["alpha"]), tool = toolFor(run);
    const secret = join(prepareTestRun(["x"]).projectRoot, "secret.md");
    writeFileSync(secret, formatFindings({ title: "secret" }));
    const path = recordResult(run, "alpha", "");
    rmSync(path);
    symlinkSync(secret, path);
    assertStringIncludes((await refused(run, tool, "collect-findings")).stderr, "outside");
  });
});

describe("okstra-convergence seed", () => {
  it("leaves a seeded work state as it is, and refuses other groups (V-023, E-160)", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    await tool("collect-findings");
    const first = await tool("seed");
    const before = readFileSync(first.json.path, "utf8");
    assertEquals((await tool("seed")).json.action, "seeded");
    assertEquals(readFileSync(first.json.path, "utf8"), before);
    const other = join(run.projectRoot, "other.json");
    const groups = JSON.parse(readFileSync(run.at(run.manifest.convergenceGroupsPath), "utf8"));
    groups.groups.pop();
    writeFileSync(other, JSON.stringify(groups));
    assertStringIncludes(
      (await refused(run, tool, "seed", "--groups", other)).stderr,
      "other groups",
    );
  });

  it("refuses bad groups with every problem, and groups of another task (V-021, V-003)", async () => {
    const run = twoWorkers(), tool = toolFor(run), path = join(run.projectRoot, "g.json");
    const example = (await tool("example", "--kind", "groups")).json;
    writeFileSync(path, JSON.stringify(example));
    assertStringIncludes(
      (await refused(run, tool, "seed", "--groups", path)).stderr,
      "of task example/group/task",
    );
    writeFileSync(path, JSON.stringify({ ...example, taskKey: "", workers: [] }));
    const { stderr } = await refused(run, tool, "seed", "--groups", path, "--errors", "json");
    assert(JSON.parse(stderr).issues.length > 2);
    writeFileSync(path, "{");
    assertStringIncludes((await refused(run, tool, "seed", "--groups", path)).stderr, "line 1");
    assertStringIncludes((await refused(run, tool, "seed")).stderr, "collect-findings");
  });
});

describe("okstra-convergence prompts", () => {
  it("writes instruction and batch under the names of decisions 9", async () => {
    const run = twoWorkers(), tool = toolFor(run), base = run.manifest.runDirectoryPath;
    for (const step of ["collect-findings", "seed", "plan-round"]) await tool(step);
    const { json } = await tool("prompts", "--mode", "adversarial");
    assertEquals(json.action, "prepared");
    assertEquals(json.batchPath, run.at(`${base}/state/reverify-r1-batch-discussion-001.json`));
    assertEquals(JSON.parse(readFileSync(json.batchPath, "utf8")).invocations[0], {
      "invocation-id": "reverify-r1-alpha-001",
      "worker-id": "alpha",
      "audience": "convergence-reverify",
      "dispatch-kind": "reverify-r1",
      "assignment-ref": "initial/alpha",
      "instruction": `${base}/prompts/reverify-r1-alpha-discussion-001.md`,
      "prompt": `${base}/prompts/alpha-worker-prompt-reverify-r1-discussion-001.md`,
      "result": `${base}/worker-results/alpha-worker-reverify-r1-discussion-001.md`,
    });
    assertStringIncludes(readFileSync(json.instructionPaths[0], "utf8"), "### Finding F-003");
  });

  it("changes the mode until a prompt was made, then no more", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    for (const step of ["collect-findings", "seed", "plan-round"]) await tool(step);
    const { json } = await tool("prompts", "--mode", "collaborative");
    await tool("prompts", "--mode", "adversarial");
    dispatchBatch(run, json.batchPath, () => "UPHELD");
    const { stderr } = await refused(run, tool, "prompts", "--mode", "collaborative");
    assertStringIncludes(stderr, "a prompt was made from it");
  });

  it("refuses a plan that the work state has left behind", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    for (const step of ["collect-findings", "seed"]) await tool(step);
    const { json } = await tool("plan-round");
    const plan = JSON.parse(readFileSync(json.path, "utf8"));
    writeFileSync(json.path, JSON.stringify({ ...plan, workStateDigest: "sha256:0" }));
    assertStringIncludes(
      (await refused(run, tool, "prompts", "--mode", "adversarial")).stderr,
      "stale",
    );
    assertStringIncludes((await refused(run, tool, "prompts")).stderr, "--mode");
  });
});

describe("okstra-convergence collect-results and apply-round", () => {
  const planned = async () => {
    const run = twoWorkers(), tool = toolFor(run);
    for (const step of ["collect-findings", "seed", "plan-round"]) await tool(step);
    const { json } = await tool("prompts", "--mode", "adversarial");
    return { run, tool, batch: json.batchPath as string };
  };
  const collect = ["collect-results", "--mode", "adversarial"];

  it("counts a timed-out worker's votes as absent (V-050, E-138, E-167)", async () => {
    const { run, tool, batch } = await planned();
    const summary = dispatchBatch(run, batch, (worker) => worker === "beta" ? null : "UPHELD");
    const { json } = await tool(...collect, "--await", summary);
    assertEquals(json.dispatches[1], { worker: "beta", status: "timeout", durationMs: 1000 });
    assertEquals(json.votes, { asked: 4, cast: 2, absent: 2 });
    const applied = (await tool("apply-round")).json;
    assertEquals([applied.action, applied.votes], ["applied", { asked: 4, cast: 2, absent: 2 }]);
    const final = (await tool("finalize")).json;
    assertEquals(final.votes, { asked: 4, cast: 2, absent: 2 });
  });

  it("refuses a broken answer with place, and counts it as absent if asked to (P-11, V-053)", async () => {
    const { run, tool, batch } = await planned();
    const summary = dispatchBatch(run, batch, (worker) => worker === "beta" ? "SURE" : "UPHELD");
    const { stderr } = await refused(run, tool, ...collect, "--await", summary, "--errors", "json");
    assertEquals(JSON.parse(stderr).issues[0].line, 2);
    assertEquals(JSON.parse(stderr).issues[0].column, 10);
    const { json } = await tool(...collect, "--await", summary, "--on-invalid", "absent");
    assertEquals(json.dispatches[1].status, "invalid");
    assertEquals(json.dispatches[1].problems[0].line, 2);
    assertEquals((await tool("apply-round")).json.action, "applied");
    const report = await tool("report", "--format", "text");
    assertStringIncludes(report.stdout, "beta absent (invalid)");
    await tool("plan-round");
    assertEquals((await tool("finalize")).status, 0);
    assertEquals((await tool("validate")).status, 0);
  });

  it("takes outcomes and results one by one, in any order (V-040, V-044, V-046, E-133, E-147, E-148)", async () => {
    const { run, tool, batch } = await planned();
    dispatchBatch(run, batch, () => "UPHELD");
    const base = join(run.at(run.manifest.runDirectoryPath), "worker-results");
    const result = (worker: string) =>
      `${worker}=${base}/${worker}-worker-reverify-r1-discussion-001.md`;
    const words = [
      ["--dispatch", "alpha=completed:12"],
      ["--dispatch", " beta-worker = completed:7 "],
      ["--result", result("alpha")],
      ["--result", result("beta")],
    ];
    const first = await tool(...collect, ...words.flat());
    const bytes = readFileSync(first.json.path, "utf8");
    await tool(...collect, ...[...words].reverse().flat());
    assertEquals(readFileSync(first.json.path, "utf8"), bytes);
    assertEquals(first.json.dispatches[1], { worker: "beta", status: "completed", durationMs: 7 });
    await refused(run, tool, ...collect, ...words.slice(0, 1).flat());
    await refused(run, tool, ...collect, ...words.slice(0, 3).flat());
    await refused(
      run,
      tool,
      ...collect,
      ...words.slice(0, 3).flat(),
      "--result",
      "beta=/nowhere.md",
    );
    await refused(run, tool, ...collect, ...words.flat(), "--result", "zoe=x.md");
    await refused(run, tool, ...collect, ...words.flat(), "--result", result("beta"));
  });

  it("refuses neither or both ways of saying what became of the workers (E-145)", async () => {
    const { run, tool } = await planned();
    assertStringIncludes((await refused(run, tool, ...collect)).stderr, "--await or --dispatch");
    await refused(run, tool, ...collect, "--await", "x.json", "--dispatch", "alpha=error:1");
    await refused(run, tool, "collect-results", "--dispatch", "alpha=error:1");
  });

  it("takes the run from a summary on stdin where nothing else names one", async () => {
    const { run, batch } = await planned();
    const stdin = readFileSync(dispatchBatch(run, batch, () => "UPHELD"), "utf8");
    const words = [...collect, "--await", "-"];
    const { json } = await callTool(words, { stdin });
    assertEquals([json.action, json.runManifestPath], ["collected", run.manifestPath]);
    const other = prepareTestRun(["x"]).manifestPath;
    const named = await callTool([...words, "--run-manifest", other], { stdin });
    assertEquals([named.status, named.stdout], [2, ""]);
    const broken = await callTool(words, { stdin: "{}" });
    assertEquals([broken.status, broken.stdout], [2, ""]);
    assertStringIncludes(broken.stderr, "await summary");
  });

  it("refuses a summary of another run or kind", async () => {
    const { run, tool, batch } = await planned();
    const path = dispatchBatch(run, batch, () => "UPHELD");
    const summary = JSON.parse(readFileSync(path, "utf8"));
    const other = prepareTestRun(["x"]).manifestPath;
    writeFileSync(path, JSON.stringify({ ...summary, runManifestPath: other }));
    assertStringIncludes((await refused(run, tool, ...collect, "--await", path)).stderr, "of run");
    for (const row of summary.workers) row.dispatchKind = "reverify-r2";
    writeFileSync(path, JSON.stringify(summary));
    assertStringIncludes(
      (await refused(run, tool, ...collect, "--await", path)).stderr,
      "reverify-r2",
    );
  });

  it("refuses a bad plan (V-043, E-143)", async () => {
    const { run, tool } = await planned(), path = join(run.projectRoot, "plan.json");
    const plan = { schemaVersion: "1.0", taskKey: "demo/review/src", round: 1 };
    const words = [...collect, "--plan", path, "--dispatch", "alpha=completed:1"];
    for (const dispatches of [undefined, {}, [{ findingIds: [] }], [{ worker: " " }], [7]]) {
      writeFileSync(path, JSON.stringify({ ...plan, dispatches }));
      await refused(run, tool, ...words);
    }
    writeFileSync(path, JSON.stringify({ ...plan, dispatches: [{ worker: "alpha" }] }));
    assertEquals((await tool(...words, "--output", join(run.projectRoot, "r.json"))).status, 0);
  });

  it("refuses other results once a round is applied (V-063, E-171)", async () => {
    const { run, tool, batch } = await planned();
    const summary = dispatchBatch(run, batch, () => "UPHELD");
    await tool(...collect, "--await", summary);
    await tool("apply-round");
    const base = join(run.at(run.manifest.runDirectoryPath), "worker-results");
    writeFileSync(
      join(base, "beta-worker-reverify-r1-discussion-001.md"),
      "### F-001\nVerdict: UNPROVEN\nExplanation: x\n### F-002\nVerdict: UPHELD\nExplanation: x\n",
    );
    const { stderr } = await refused(run, tool, ...collect, "--await", summary);
    assertStringIncludes(stderr, "applied with other results");
  });

  it("changes the work state only at the given revision and under its lock (P-2)", async () => {
    const { run, tool, batch } = await planned();
    await tool(...collect, "--await", dispatchBatch(run, batch, () => "UPHELD"));
    const before = listTree(run.projectRoot);
    const stale = await tool("apply-round", "--if-revision", "7");
    assertEquals([stale.status, stale.stdout], [3, ""]);
    assertEquals(listTree(run.projectRoot), before);
    const applied = await tool("apply-round", "--if-revision", "1");
    assertEquals([applied.status, applied.json.revision], [0, 2]);
  });

  it("tells how to go on where a step is missing", async () => {
    const run = twoWorkers(), tool = toolFor(run);
    assertStringIncludes(
      (await refused(run, tool, "plan-round")).stderr,
      "okstra-convergence seed",
    );
    for (const step of ["collect-findings", "seed"]) await tool(step);
    assertStringIncludes(
      (await refused(run, tool, "apply-round")).stderr,
      "okstra-convergence plan-round",
    );
    await tool("plan-round");
    assertStringIncludes(
      (await refused(run, tool, "apply-round")).stderr,
      "okstra-convergence collect-results",
    );
    assertStringIncludes((await refused(run, tool, "finalize")).stderr, "round 1 is pending");
  });
});

describe("okstra-convergence finalize and validate", () => {
  const contested = async () => {
    const run = twoWorkers(), tool = toolFor(run);
    for (const step of ["collect-findings", "seed", "plan-round"]) await tool(step);
    const { json } = await tool("prompts", "--mode", "adversarial");
    const summary = dispatchBatch(run, json.batchPath, () => "REFUTED\nBasis: overstated");
    await tool("collect-results", "--mode", "adversarial", "--await", summary);
    await tool("apply-round");
    return { run, tool };
  };

  it("skips round 2 with a reason only, and keeps it (V-080, V-081, E-175, E-176)", async () => {
    const { run, tool } = await contested();
    assertStringIncludes((await refused(run, tool, "finalize")).stderr, "--round2-skipped-reason");
    const words = ["finalize", "--round2-skipped-reason", "the release is today"];
    const { json } = await twice(run, () => tool(...words));
    assertEquals(json.round2SkippedReason, "the release is today");
    await twice(run, () => tool("finalize"));
    assertEquals((await tool("plan-round")).json.skippedReason, "the release is today");
    await refused(run, tool, "finalize", "--round2-skipped-reason", "another");
  });

  it("replaces another final state only with --force (V-083, E-186)", async () => {
    const { run, tool } = await contested();
    const { json } = await tool("finalize", "--round2-skipped-reason", "x");
    writeFileSync(json.path, '{"finalState": "converged"}\n');
    assertStringIncludes((await refused(run, tool, "finalize")).stderr, "--force");
    assertEquals((await tool("finalize", "--force")).json.finalState, "contested");
  });

  it("answers no with all issues on stdout (V-084, E-183)", async () => {
    const { run, tool } = await contested();
    const { json } = await tool("finalize", "--round2-skipped-reason", "x");
    const state = JSON.parse(readFileSync(json.path, "utf8"));
    state.findings[0].classification = "refuted";
    state.taskKey = "other/task/key";
    writeFileSync(json.path, JSON.stringify(state));
    const { status, json: answer } = await tool("validate");
    assertEquals([status, answer.action, answer.issues.length], [1, "invalid", 2]);
    assertEquals(answer.issues[0].pointer, "/findings/0/classification");
    rmSync(json.path);
    assertStringIncludes(
      (await refused(run, tool, "validate")).stderr,
      "okstra-convergence finalize",
    );
  });
});

describe("okstra-convergence example", () => {
  const kinds = ["groups", "round-results", "critic-results", "coverage-batch"];

  for (const kind of kinds) {
    it(`prints ${kind}, the same bytes every time, and touches no file (V-010, E-185)`, async () => {
      const first = await callTool(["example", "--kind", kind]);
      assertEquals([
        first.status,
        first.json.schemaVersion,
        first.json.taskKey ?? "example/group/task",
      ], [
        0,
        "1.0",
        "example/group/task",
      ]);
      assertEquals((await callTool(["example", "--kind", kind])).stdout, first.stdout);
    });
  }

  it("refuses another kind and tells the four (V-010)", async () => {
    const { status, stderr } = await callTool(["example", "--kind", "groupz"]);
    assertEquals(status, 2);
    for (const kind of kinds) assertStringIncludes(stderr, kind);
  });

  it("says in its help which kind feeds which command (V-011)", async () => {
    const { stdout } = await callTool(["example", "--help"]);
    for (
      const words of ["seed --groups", "apply-round --results", "critic-results feeds nothing"]
    ) {
      assertStringIncludes(stdout.replace(/\s+/g, " "), words);
    }
  });

  it("tells one story: every kind passes through its own command (V-012, V-013, E-184)", async () => {
    const { projectRoot } = prepareTestRun(["x"]);
    const path = (name: string) => join(projectRoot, name);
    const call = (...words: string[]) => callTool(words, { cwd: projectRoot });
    for (const kind of kinds) {
      writeFileSync(path(`${kind}.json`), (await call("example", "--kind", kind)).stdout);
    }
    const work = ["--work-state", "work.json"];
    assertEquals((await call("seed", "--groups", "groups.json", ...work)).json.action, "seeded");
    assertEquals((await call("plan-round", ...work, "--plan", "plan.json")).json.action, "planned");
    const words = [
      "apply-round",
      ...work,
      "--plan",
      "plan.json",
      "--results",
      "round-results.json",
    ];
    assertEquals((await call(...words)).json.action, "applied");
    const open = await call("report", "--work-state", "work.json");
    assertEquals([open.json.finalState, open.json.agreement.items], [null, 2]);
    const gaps = (file: string) => call("apply-critic-gaps", ...work, "--results", file);
    const critic = await gaps("critic-results.json");
    assertEquals([critic.status, critic.stdout], [2, ""]);
    assertStringIncludes(critic.stderr, "example --kind coverage-batch");
    assertEquals((await gaps("coverage-batch.json")).json.action, "gaps-applied");
    const again = (await gaps("coverage-batch.json")).json;
    assertEquals(again.action, "already-applied");
    assertEquals(again.gaps, [{
      gapId: "G-001",
      classification: "full-consensus",
      admitted: true,
    }]);
    const final = await call("finalize", ...work, "--state", "state.json");
    assertEquals([final.json.finalState, "runManifestPath" in final.json], ["converged", false]);
    assertEquals((await call("validate", "--state", "state.json")).status, 0);
    const report = await call("report", "--state", "state.json", "--format", "text");
    assertStringIncludes(report.stdout, "antigravity-critic");
  });
});

describe("standard streams", () => {
  it("reads an input from - and prints a product for -, its status on stderr (K-007)", async () => {
    const run = twoWorkers();
    const env = { OKSTRA_RUN: run.manifestPath };
    await callTool(["collect-findings"], { env });
    const groups = readFileSync(run.at(run.manifest.convergenceGroupsPath), "utf8");
    const seeded = await callTool(["seed", "--groups", "-"], { env, stdin: groups });
    assertEquals(seeded.json.action, "seeded");
    const before = listTree(run.projectRoot);
    const plan = await callTool(["plan-round", "--plan", "-"], { env });
    assertEquals([plan.json.round, plan.json.action], [1, undefined]);
    assertEquals(JSON.parse(plan.stderr).action, "planned");
    assertEquals(listTree(run.projectRoot), before);
    const refusedCall = await callTool(["seed", "--work-state", "-"], { env });
    assertEquals([refusedCall.status, refusedCall.stdout], [2, ""]);
  });

  it("strips what could deceive a terminal from the table (architecture 4)", async () => {
    const run = prepareTestRun(["alpha"]), tool = toolFor(run);
    recordResult(run, "alpha", formatFindings({ title: "a" }));
    await tool("collect-findings");
    const path = run.at(run.manifest.convergenceGroupsPath);
    const groups = JSON.parse(readFileSync(path, "utf8"));
    groups.groups[0].title = "red\u001b[31m \u202Ereversed";
    writeFileSync(path, JSON.stringify(groups));
    await tool("seed");
    const { stdout } = await tool("report", "--format", "text");
    assertStringIncludes(stdout, "red reversed");
    for (const sign of ["\u001b", "\u202e"]) assert(!stdout.includes(sign));
  });
});
