import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTree } from "../../../test/prepared-run.ts";
import { dispatchBatch, formatFindings, prepareTestRun, recordResult } from "./io/testing.ts";
import { callTool, refused, toolFor, twice, twoWorkers } from "./testing-cli.ts";

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

describe("okstra-convergence hints", () => {
  it("name the run in their commands, as status does in its next one, if OKSTRA_RUN does not", async () => {
    const run = twoWorkers(), place = ["--run-manifest", run.manifestPath];
    const tool = (...words: string[]) => callTool([...words, ...place]);
    const told = new Set<string>();
    const check = async (text: string) => {
      const commands = text.match(/okstra-convergence [a-z-]+(?: --run-manifest [^ ;]+)?/g) ?? [];
      assert(commands.length > 0, text);
      for (const command of commands) {
        const [, name = "", ...words] = command.split(" ");
        told.add(name);
        assertEquals(words, place);
        assertEquals((await callTool([name, ...words, "--help"])).status, 0);
      }
    };
    const refuse = async (...words: string[]) => {
      const { stderr } = await refused(run, tool, ...words, "--errors", "json");
      await check(JSON.parse(stderr).hint);
      const bare = await refused(run, toolFor(run), ...words, "--errors", "json");
      assertEquals(JSON.parse(bare.stderr).hint.includes("--run-manifest"), false);
    };
    await check((await tool("status")).json.next);
    assertEquals((await toolFor(run)("status")).json.next, "okstra-convergence collect-findings");
    await refuse("replay");
    await tool("collect-findings");
    await tool("seed");
    await refuse("apply-round");
    await check((await tool("status")).json.next);
    assert(told.size > 2, [...told].join());
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
    const both = await call("report", "--state", "state.json", "--work-state", "work.json");
    assertEquals([both.status, both.stdout], [2, ""]);
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
