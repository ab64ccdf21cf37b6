import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTool, toolFor } from "./testing-cli.ts";
import { dispatchBatch, formatFindings, prepareTestRun, recordResult } from "./io/testing.ts";
import { listTree } from "../../../test/prepared-run.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

/** A run whose convergence is finished: two rounds, silence in the first. */
async function finished() {
  const run = prepareTestRun(["alpha", "beta", "gamma"]), tool = toolFor(run);
  recordResult(run, "alpha", formatFindings({ title: "a1" }, { title: "a2" }));
  recordResult(run, "beta", formatFindings({ title: "b1" }));
  recordResult(run, "gamma", formatFindings());
  const step = async (...words: string[]) => {
    const { status, stderr, json } = await tool(...words);
    assertEquals([status, stderr], [0, ""], words.join(" "));
    return json;
  };
  await step("collect-findings");
  await step("seed");
  for (const mode of ["adversarial", "collaborative"]) {
    await step("plan-round");
    const { batchPath } = await step("prompts", "--mode", mode);
    const words = mode === "adversarial" ? ["REFUTED\nBasis: overstated", "UPHELD"] : ["AGREE"];
    const summary = dispatchBatch(
      run,
      batchPath,
      (worker, id) =>
        worker === "gamma" && mode === "adversarial"
          ? null
          : words[Number(id.slice(2)) % words.length]!,
    );
    await step("collect-results", "--mode", mode, "--await", summary);
    await step("apply-round");
  }
  const { path } = await step("finalize");
  return { run, tool, step, statePath: path as string };
}

describe("okstra-convergence replay", () => {
  it("gives the same work state and the same final bytes again, and writes nothing (V-082)", async () => {
    const { run, step } = await finished(), before = listTree(run.projectRoot);
    const told = await step("replay");
    assertEquals(told.action, "replayed");
    assertEquals(told.compared, ["work-state", "state"]);
    assertEquals([told.rounds, told.finalState, told.issues], [2, "converged", []]);
    assertEquals(listTree(run.projectRoot), before);
  });

  it("needs no work state and no plan", async () => {
    const { run, step, statePath } = await finished();
    for (const name of readdirSync(join(statePath, ".."))) {
      if (/^convergence-(work|plan)-/.test(name)) rmSync(join(statePath, "..", name));
    }
    const told = await step("replay");
    assertEquals([told.action, told.compared], ["replayed", ["state"]]);
    assert(run.projectRoot.length > 0);
  });

  it("tells what differs, with file and place: exit 1", async () => {
    const { tool, statePath } = await finished(), text = readFileSync(statePath, "utf8");
    const differs = async (change: string) => {
      writeFileSync(statePath, change);
      const { status, json } = await tool("replay");
      assertEquals([status, json.action], [1, "differs"]);
      return json.issues;
    };
    const state = JSON.parse(text);
    state.findings[0].summary = "something else";
    assertEquals((await differs(`${JSON.stringify(state, null, 2)}\n`))[0], {
      file: statePath,
      pointer: "/findings/0/summary",
      message: 'the final state has "something else", the inputs give "a1 is wrong"',
      expected: '"a1 is wrong"',
      received: '"something else"',
    });
    assertEquals(
      (await differs(JSON.stringify(JSON.parse(text))))[0].message,
      "the final state has the right content in other bytes",
    );
  });

  it("finds a work state that was changed by hand, although every rule is kept", async () => {
    const { run, tool } = await finished();
    const path = join(
      run.at(run.manifest.convergenceStatePath),
      "..",
      "convergence-work-discussion-001.json",
    );
    const work = JSON.parse(readFileSync(path, "utf8"));
    work.findings[1].rounds[0].votes.beta.explanation = "changed";
    writeFileSync(path, JSON.stringify(work));
    const { status, json } = await tool("replay");
    assertEquals([status, json.issues[0].file, json.issues[0].pointer], [
      1,
      path,
      "/findings/1/rounds/0/votes/beta/explanation",
    ]);
  });

  it("says which input is not there, and takes it from --input", async () => {
    const { run, tool, statePath } = await finished();
    const results = join(statePath, "..", "convergence-results-r1-discussion-001.json");
    const moved = join(run.projectRoot, "elsewhere.json");
    renameSync(results, moved);
    const { status, json } = await tool("replay");
    assertEquals([status, json.action], [1, "not-replayed"]);
    assertStringIncludes(json.issues[0].message, "no file holds the results of round 1 (sha256:");
    assertEquals((await tool("replay", "--input", moved)).json.action, "replayed");
    writeFileSync(results, "{");
    assertEquals((await tool("replay")).status, 1);
    writeFileSync(moved, "{");
    assertEquals((await tool("replay", "--input", moved)).status, 2);
  });

  it("goes as far as the convergence has come", async () => {
    const run = prepareTestRun(["alpha", "beta"]), tool = toolFor(run);
    assertStringIncludes((await tool("replay")).stderr, "okstra-convergence seed");
    recordResult(run, "alpha", formatFindings({ title: "a" }));
    recordResult(run, "beta", formatFindings());
    for (const words of ["collect-findings", "seed", "plan-round"]) await tool(words);
    const { status, json } = await tool("replay");
    assertEquals([status, json.action, json.compared, json.finalState], [
      0,
      "replayed",
      ["work-state"],
      null,
    ]);
    // A plan that was made and not applied is no input.
    assertEquals(json.rounds, 0);
  });
});

describe("inputs with names of their own", () => {
  it("are kept by a run, once, so that it can be replayed without them", async () => {
    const { run, tool, step } = await finished(), folder = join(run.projectRoot, "given");
    const statePath = run.at(run.manifest.convergenceStatePath), state = join(statePath, "..");
    mkdirSync(folder);
    for (const name of ["groups", "results-r1", "results-r2"]) {
      renameSync(
        join(state, `convergence-${name}-discussion-001.json`),
        join(folder, `${name}.json`),
      );
    }
    for (
      const name of [
        "work-discussion-001",
        "plan-r1-discussion-001",
        "plan-r2-discussion-001",
        "discussion-001",
      ]
    ) {
      rmSync(join(state, `convergence-${name}.json`));
    }
    const given = (name: string) => join(folder, `${name}.json`);
    await step("seed", "--groups", given("groups"));
    for (const round of [1, 2]) {
      const plan = (await step("plan-round", "--plan", given(`plan-r${round}`))).path;
      const results = given(`results-r${round}`);
      await step("apply-round", "--plan", plan, "--results", results);
      await step("apply-round", "--plan", plan, "--results", results);
    }
    await step("finalize");
    rmSync(folder, { recursive: true });
    const kept = readdirSync(state).filter((name) => name.startsWith("convergence-input-"));
    assertEquals(kept.length, 5);
    assertEquals((await tool("replay")).json.action, "replayed");
  });

  it("are the caller's own without a run, which names them again", async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "okstra-replay-")));
    const step = async (...words: string[]) => {
      const { status, stderr, json } = await callTool(words, { cwd });
      assertEquals([status, stderr], [0, ""], words.join(" "));
      return json;
    };
    for (const kind of ["groups", "round-results", "coverage-batch"]) {
      writeFileSync(
        join(cwd, `${kind}.json`),
        JSON.stringify(await step("example", "--kind", kind)),
      );
    }
    const work = ["--work-state", "work.json"], groups = ["--groups", "groups.json"];
    await step("seed", ...work, ...groups);
    await step("plan-round", ...work, "--plan", "plan.json");
    await step("apply-round", ...work, "--plan", "plan.json", "--results", "round-results.json");
    await step("apply-critic-gaps", ...work, "--results", "coverage-batch.json");
    await step("finalize", ...work, "--state", "state.json");
    const before = readdirSync(cwd);
    const inputs = ["--input", "round-results.json", "--input", "coverage-batch.json"];
    const told = await step("replay", ...groups, ...work, "--state", "state.json", ...inputs);
    assertEquals([told.action, told.rounds, told.finalState], ["replayed", 1, "converged"]);
    await step("replay", ...groups, "--state", "state.json", ...inputs);
    const without = await callTool(["replay", ...groups, ...work], { cwd });
    assertEquals([without.status, without.json.action], [1, "not-replayed"]);
    assertEquals(readdirSync(cwd), before);
  });
});
