import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dispatchBatch } from "../io/testing.ts";
import { refused, toolFor, twice, twoWorkers } from "../testing-cli.ts";

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
