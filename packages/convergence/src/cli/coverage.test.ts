import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { materializePrompts } from "@okstra/manifest-io/io/prompts";
import type { Run } from "@okstra/manifest-io/io/run";
import { listTree, prepareTestRun } from "../../../../test/prepared-run.ts";
import { dispatchBatch, formatFindings, recordResult, recordSummary } from "../io/testing.ts";
import { refused, type Tool, toolFor, twice } from "../testing-cli.ts";

const GAP = {
  summary: "nobody looked at two currencies",
  category: "coverage",
  ticketIds: [],
  originEvidence: "prices are added",
  evidenceArtifacts: [{ path: "src/x.ts", locator: "6-8", excerpt: null }],
};

/** A run whose critic is of the provider of one of the three analysers; its rounds are over. */
async function settled(...workers: string[]): Promise<{ run: Run; tool: Tool }> {
  const run = prepareTestRun({
    workers: ["alpha,provider=claude", "beta,provider=codex", "gamma,provider=pi", ...workers],
  });
  const tool = toolFor(run);
  for (const worker of ["alpha", "beta", "gamma"]) {
    recordResult(run, worker, formatFindings({ title: "one", place: "src/x.ts:1" }));
  }
  const { json } = await tool("collect-findings");
  await tool("collect-findings", "--join", json.near[0].join);
  await tool("seed");
  return { run, tool };
}

/** Has the critic answer; `change` makes another document of the one that was asked for. */
async function criticize(
  run: Run,
  tool: Tool,
  change: (asked: Record<string, unknown>) => unknown,
  words: readonly string[] = [],
): Promise<string> {
  const { json } = await tool("prompts", "--mode", "critic", ...words);
  const batchPath = json.batchPath as string;
  const batch = JSON.parse(readFileSync(batchPath, "utf8"));
  const options = { batch, batchPath, delivery: "include", now: new Date(0) } as const;
  const { invocations: [invocation] } = materializePrompts(run, options);
  const { promptPath, workerId, workerResultPath } = invocation!;
  const [, form] = /^```json\n([\s\S]*?)\n```$/m.exec(readFileSync(promptPath, "utf8"))!;
  const path = recordResult(run, workerId, "x", {
    kind: "critique",
    invocationId: invocation!.invocationId,
    dispatchId: `${invocation!.invocationId}:attempt-1`,
    origin: { option: "batch", path: batchPath },
    workerResultPath,
  });
  const answer = change(JSON.parse(form!));
  writeFileSync(path, "x");
  writeFileSync(
    workerResultPath,
    typeof answer === "string" ? answer : JSON.stringify(answer, null, 2),
  );
  return json.worker;
}

const withGaps = (...ids: string[]) => (asked: Record<string, unknown>) => ({
  ...asked,
  candidates: ids.map((gapId) => ({ gapId, ...GAP })),
});
const VOTE = ["prompts", "--mode", "coverage"], COLLECT = ["collect-results", "--mode", "coverage"];

describe("a critic's gaps", () => {
  it("go from the critic over the votes of other providers into the final state (V-072, V-075)", async () => {
    const { run, tool } = await settled("critic,provider=claude,role=critic");
    assertEquals(await criticize(run, tool, withGaps("G-001", "G-002")), "critic");
    const { json: asked } = await twice(run, () => tool(...VOTE));
    assertEquals([asked.action, asked.gaps, asked.instructionPaths.length], ["prepared", 2, 2]);
    const instruction = readFileSync(asked.instructionPaths[0], "utf8");
    assertMatch(instruction, /^# Votes on the gaps: beta\n/);
    assertStringIncludes(instruction, "> nobody looked at two currencies");
    const summary = dispatchBatch(
      run,
      asked.batchPath,
      (worker, id) =>
        id === "G-001" ? "AGREE" : worker === "beta" ? "UNVERIFIED" : "DISAGREE\nBasis: overstated",
    );
    const { json } = await twice(run, () => tool(...COLLECT, "--await", summary));
    assertEquals([json.votes, json.gaps], [{ asked: 4, cast: 4, absent: 0 }, 2]);
    assertStringIncludes((await tool("status")).json.next, "apply-critic-gaps");
    const applied = await tool("apply-critic-gaps");
    assertStringIncludes((await tool("status")).json.next, "finalize");
    assertEquals(applied.json.gaps, [
      { gapId: "G-001", classification: "full-consensus", admitted: true },
      { gapId: "G-002", classification: "refuted", admitted: false },
    ]);
    // Every step may be repeated afterwards.
    for (const words of [["prompts", "--mode", "critic"], VOTE, [...COLLECT, "--await", summary]]) {
      assertEquals((await tool(...words)).status, 0, words.join(" "));
    }
    assertEquals((await tool("apply-critic-gaps")).json.action, "already-applied");
    assertEquals((await tool("finalize")).status, 0);
    assertEquals((await tool("validate")).status, 0);
    assertEquals((await tool("replay")).status, 0);
  });

  it("count a voter that failed or wrote nonsense as absent, if asked to (V-073)", async () => {
    const { run, tool } = await settled();
    await criticize(run, tool, withGaps("G-001"), ["--worker", "alpha"]);
    const { json: asked } = await tool(...VOTE);
    const summary = dispatchBatch(
      run,
      asked.batchPath,
      (worker) => worker === "beta" ? null : "SURE",
    );
    await refused(run, tool, ...COLLECT, "--await", summary);
    const { json } = await tool(...COLLECT, "--await", summary, "--on-invalid", "absent");
    assertEquals(
      json.dispatches.map(({ worker, status }: Record<string, string>) => `${worker} ${status}`),
      ["beta timeout", "gamma invalid"],
    );
    recordSummary(run, summary);
    const next = async () => (await tool("status")).json.next;
    assertStringIncludes(await next(), "apply-critic-gaps");
    dispatchBatch(run, asked.batchPath, (worker) => worker === "beta" ? null : "AGREE");
    assertStringIncludes(await next(), "collect-results --mode coverage --await -");
    dispatchBatch(run, asked.batchPath, (worker) => worker === "beta" ? null : "SURE");
    const applied = await tool("apply-critic-gaps");
    assertEquals(applied.json.gaps[0].classification, "worker-unique");
  });

  it("are those that were voted on: not others that the critic named since (P-11)", async () => {
    const { run, tool } = await settled("critic,provider=claude,role=critic");
    await criticize(run, tool, withGaps("G-001"));
    const { json: asked } = await tool(...VOTE);
    const summary = dispatchBatch(run, asked.batchPath, () => "AGREE");
    const batch = `${run.manifest.runDirectoryPath}/state/critique-batch-discussion-001.json`;
    const { invocations: [entry] } = JSON.parse(readFileSync(run.at(batch), "utf8"));
    const path = run.at(entry.result), answer = readFileSync(path, "utf8");
    writeFileSync(path, answer.replace(GAP.summary, "something else"));
    const { stderr } = await refused(run, tool, ...COLLECT, "--await", summary);
    assertStringIncludes(stderr, "beta was asked about other ones");
    writeFileSync(path, answer);
    assertEquals((await tool(...COLLECT, "--await", summary)).status, 0);
  });

  it("are on record too if there are none, or nobody else to ask (V-076)", async () => {
    const none = await settled("critic,provider=claude,role=critic");
    // Many an agent puts a fence around a document, whatever it is told.
    const fenced = (asked: Record<string, unknown>) =>
      `\`\`\`json\n${JSON.stringify({ ...asked, candidates: [] }, null, 2)}\n\`\`\`\n`;
    await criticize(none.run, none.tool, fenced);
    const { json } = await twice(none.run, () => none.tool(...VOTE));
    assertEquals([json.action, json.skippedReason], ["skipped", "no-gaps"]);
    assertEquals((await none.tool("apply-critic-gaps")).json.gaps, []);
    const run = prepareTestRun({
      workers: ["alpha,provider=claude", "critic,provider=claude,role=critic"],
    });
    const tool = toolFor(run);
    recordResult(run, "alpha", formatFindings());
    for (const step of ["collect-findings", "seed"]) await tool(step);
    await criticize(run, tool, withGaps("G-001"));
    assertEquals((await tool(...VOTE)).json.skippedReason, "no-voters");
    const applied = (await tool("apply-critic-gaps")).json;
    assertEquals(applied.gaps[0].classification, "worker-unique");
  });

  it("are refused with every problem if the critic's answer is not what was asked for (V-073)", async () => {
    for (
      const [change, said] of [
        [() => "# Findings", /no JSON|not JSON|unexpected|expected/i],
        [() => ({ candidates: 1 }), /candidates is not an array/],
        [withGaps("G-1"), /gapId is not G-/],
        [withGaps("G-001", "G-001"), /the id is taken/],
        [(asked: object) => ({ ...asked, provider: "qwen", candidates: [] }), /provider is "qwen"/],
        [(asked: object) => ({ ...asked, taskKey: "a/b/c", candidates: [] }), /of task "a\/b\/c"/],
      ] as const
    ) {
      const { run, tool } = await settled("critic,provider=claude,role=critic");
      await criticize(run, tool, change as (asked: object) => unknown);
      const { stderr } = await refused(run, tool, ...VOTE);
      assertMatch(stderr, said);
      await refused(run, tool, ...COLLECT, "--dispatch", "beta=error:1");
    }
  });

  it("are skipped without a trace if the answer does not parse and is to count as none, and tell how to ask again (V-073)", async () => {
    const { run, tool } = await settled("critic,provider=claude,role=critic");
    await criticize(run, tool, withGaps("G-1", "G-002"));
    const before = listTree(run.projectRoot);
    const { status, json } = await tool(...VOTE, "--on-invalid", "absent");
    const { action, skippedReason, gaps, invalid: [invalid, ...more] } = json;
    assertEquals([status, action, skippedReason, gaps], [0, "skipped", "invalid", 0]);
    assertEquals([invalid.worker, more], ["critic", []]);
    assertMatch(invalid.problems[0].message, /gapId is not G-/);
    assertMatch(invalid.again.batchPath, /critique-batch-discussion-001\.json$/);
    assertMatch(
      invalid.again.reject,
      /^okstra-team-state result reject .*--dispatch-id \S+:attempt-1 --superseded-by \S+:attempt-2 /,
    );
    assertEquals(listTree(run.projectRoot), before);
    const { stderr } = await refused(run, tool, ...VOTE, "--on-invalid", "refuse");
    assertStringIncludes(stderr, "hint: have it tried again: okstra-team-state result reject ");
    await refused(run, tool, "prompts", "--mode", "critic", "--on-invalid", "absent");
    const early = await refused(run, tool, "apply-critic-gaps");
    assertStringIncludes(early.stderr, "okstra-convergence status tells which step is next");
    await criticize(run, tool, withGaps("G-001"));
    assertEquals((await tool(...VOTE, "--on-invalid", "absent")).json.action, "prepared");
  });

  it("need a critic, its answer, and options of their own (V-071)", async () => {
    const { run, tool } = await settled();
    assertStringIncludes(
      (await refused(run, tool, "prompts", "--mode", "critic")).stderr,
      "--worker ID",
    );
    await refused(run, tool, "prompts", "--mode", "critic", "--worker", "zoe");
    await refused(run, tool, "prompts", "--mode", "critic", "--plan", "x.json");
    await refused(run, tool, ...VOTE, "--worker", "alpha");
    assertStringIncludes((await refused(run, tool, ...VOTE)).stderr, "prompts --mode critic");
    await tool("prompts", "--mode", "critic", "--worker", "alpha");
    assertStringIncludes(
      (await refused(run, tool, ...VOTE)).stderr,
      "no result of the critic alpha",
    );
    await refused(run, tool, ...COLLECT, "--dispatch", "beta=error:1", "--plan", "x.json");
  });
});
