import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatFindings, prepareTestRun, recordResult, updateTeam } from "../io/testing.ts";
import { refused, toolFor, twoWorkers } from "../testing-cli.ts";

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
    assertStringIncludes((await tool("status")).json.next, "okstra-discussion status");
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
    const other = prepareTestRun(["x"]);
    const outside = join(other.projectRoot, "alpha.md");
    const inClone = join(other.projectRoot, other.manifest.runDirectoryPath, "alpha.md");
    for (const path of [outside, inClone]) {
      writeFileSync(path, formatFindings({ title: "a" }));
      const { json } = await tool("collect-findings", "--result", `alpha-worker=${path}`);
      assertEquals(json.findings, 1);
      const groups = JSON.parse(readFileSync(json.path, "utf8"));
      assertEquals(groups.groups[0].sources[0].resultPath, path);
    }
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

  it("says how a worker whose result does not parse is asked again, or goes on without it", async () => {
    const run = prepareTestRun(["alpha", "beta", "gamma"]), tool = toolFor(run);
    recordResult(run, "alpha", formatFindings({ title: "a" }));
    recordResult(run, "beta", "all is well", {
      assignmentRef: "initial/beta",
      origin: { option: "batch", path: "/p/my batch.json" },
    });
    const absent = ["collect-findings", "--absent", "gamma"];
    const { hint } = JSON.parse((await refused(run, tool, ...absent, "--errors", "json")).stderr);
    const reject = `okstra-team-state result reject --run-manifest ${run.manifestPath} ` +
      "--dispatch-id initial-beta-001:attempt-1 " +
      "--superseded-by initial-beta-001:attempt-2 " +
      "--reason 'its text does not parse: 1 problem, the first in line 1'";
    assertEquals(
      hint,
      `have it tried again: ${reject} && ` +
        "okstra-dispatch run --batch '/p/my batch.json' --worker beta && okstra-discussion settle" +
        "; or go on without: okstra-convergence collect-findings --absent gamma --absent beta",
    );
    const joined = await refused(run, tool, ...absent, "--join", "alpha:F-001,beta-worker:F-001");
    assertEquals(joined.stderr.includes("--join"), false);
    const { json } = await tool(...absent, "--on-invalid", "absent", "--groups", "-");
    assertEquals(json.absentWorkers, ["beta", "gamma"]);
    const { json: told } = await tool(...absent, "--on-invalid", "absent");
    assertEquals([told.absent, told.invalid.length], [["beta", "gamma"], 1]);
    assertEquals(told.invalid[0].again, { reject, batchPath: "/p/my batch.json" });
    assertEquals(told.invalid[0].problems[0].line, 1);
    const named = run.at(`${run.manifest.runDirectoryPath}/own.md`);
    writeFileSync(named, "nothing");
    const own = await refused(run, tool, ...absent, "--result", `beta-worker=${named}`);
    assertStringIncludes(own.stderr, "correct the file that --result names");
    assertStringIncludes(own.stderr, "collect-findings --absent gamma --absent beta");
  });

  it("names no discussion to the run of another task", async () => {
    const run = prepareTestRun(["alpha"], "analysis"), tool = toolFor(run);
    const origin = { option: "batch", path: "/b.json" };
    recordResult(run, "alpha", "all is well", { origin });
    const { stderr } = await refused(run, tool, "collect-findings");
    assertStringIncludes(stderr, "--worker alpha; or go on without");
  });

  it("takes no result that was rejected (T-050)", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    recordResult(run, "alpha", formatFindings({ title: "a" }));
    recordResult(run, "beta", "all is well");
    updateTeam(run, (team) => ({
      ...team,
      agentResultLinks: [{
        dispatchId: "initial-beta-001:attempt-1",
        resultPath: "r.md",
        supersededBy: "initial-beta-001:attempt-2",
        rejectionReason: "x",
      }],
    }));
    const { stderr } = await refused(run, tool, "collect-findings");
    assertStringIncludes(stderr, "no result of beta is on record");
    assertStringIncludes(stderr, "okstra-dispatch why --worker beta; or go on without: ");
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
