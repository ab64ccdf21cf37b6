import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTree } from "../../../../test/prepared-run.ts";
import { EXAMPLES } from "../examples.ts";
import { dispatchBatch, prepareTestRun, recordSummary } from "../io/testing.ts";
import { callTool, refused, toolFor, twoWorkers } from "../testing-cli.ts";

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

  it("is to be collected again once an answer is there that was absent", async () => {
    const { run, tool, batch } = await planned();
    const next = async () => (await tool("status")).json.next;
    const summary = dispatchBatch(run, batch, (worker) => worker === "beta" ? "SURE" : "UPHELD");
    recordSummary(run, summary);
    await tool(...collect, "--await", summary, "--on-invalid", "absent");
    assertEquals(await next(), "okstra-convergence apply-round");
    dispatchBatch(run, batch, () => "UPHELD");
    assertStringIncludes(await next(), "collect-results --mode adversarial --await -");
    await tool(...collect, "--await", summary);
    assertEquals(await next(), "okstra-convergence apply-round");
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

  it("refuses to apply a round that is skipped, and says so", async () => {
    const { run, tool, batch } = await planned();
    await tool(...collect, "--await", dispatchBatch(run, batch, () => "UPHELD"));
    for (const step of ["apply-round", "plan-round"]) await tool(step);
    const { stderr } = await refused(run, tool, "apply-round");
    assertStringIncludes(stderr, "Cannot apply round 2: it is skipped (no-contested-findings)");
  });

  it("tells how to go on where the groups name workers that are none of the run", async () => {
    const run = twoWorkers(), tool = toolFor(run), { taskKey } = run;
    const groups = join(run.projectRoot, "groups.json");
    const next = async () => (await tool("status")).json.next;
    writeFileSync(groups, JSON.stringify({ ...EXAMPLES.groups, taskKey }));
    await tool("seed", "--groups", groups);
    const { json } = await tool("plan-round");
    assertEquals(await next(), "okstra-convergence prompts --mode adversarial");
    const results = json.path.replace("convergence-plan-r1", "convergence-results-r1");
    writeFileSync(results, JSON.stringify(EXAMPLES["round-results"]));
    assertEquals(await next(), "okstra-convergence apply-round");
    assertEquals((await tool("apply-round")).status, 0);
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
      "okstra-convergence status tells which step is next",
    );
    assertStringIncludes((await refused(run, tool, "finalize")).stderr, "round 1 is pending");
  });
});
