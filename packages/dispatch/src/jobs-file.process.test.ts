import { describe, it } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { assertEquals, assertMatch } from "@std/assert";
import { firstEntry, makeFirstRun, prepareQuestions } from "./test-batch.ts";
import { withRun } from "./test-run.ts";

describe("okstra-dispatch run --jobs-file", () => {
  it("run carries out a jobs file as it does the batch that it was made from (D-003, D-020)", () =>
    withRun({ alpha: "ok", beta: "second-try" }, async (run) => {
      const batch = prepareQuestions(run, ["alpha", "beta"]);
      writeFileSync(run.at("jobs.json"), (await run.call(["jobs", "--batch", batch])).stdout);
      const { code, summary, stderr } = await run.wait(["run", "--jobs-file", "jobs.json"]);
      assertEquals(code, 0, stderr);
      assertEquals(summary.workers.map((it) => `${it.workerId} ${it.dispatchKind} ${it.attempt}`), [
        "alpha discussion-question 1",
        "beta discussion-question 2",
      ]);
      assertEquals(run.workers(), ["alpha not-run", "beta not-run"]);
      const kept = await run.wait(["run", "--batch", batch]);
      assertEquals([kept.code, run.rows().length], [0, 3]);
      const { json } = await run.call(["why", "--worker", "alpha"]);
      assertEquals((json as { next: string | null }).next, null);
    }));

  it("run of a run of version 1 writes rows of version 1, and neither attempts nor audits (D-025, W-018, T-056)", () =>
    withRun({ alpha: "environment", beta: "second-try" }, async (run) => {
      makeFirstRun(run);
      const { code, stderr, summary } = await run.wait(["run"]);
      assertEquals(code, 0, stderr);
      assertEquals(summary.workers.map((it) => `${it.workerId} ${it.status} ${it.attempt}`), [
        "alpha completed 1",
        "beta completed 2",
      ]);
      const [row] = run.rows();
      assertEquals([row?.schemaVersion, row?.workerId, row?.dispatchId, row?.invocationId], [
        1,
        "alpha",
        undefined,
        undefined,
      ]);
      assertEquals(run.workers(), ["alpha completed", "beta completed"]);
      assertEquals([run.attempts(), summary.mutationAudits], [[], []]);
      const variables = readFileSync(run.at("environment"), "utf8");
      assertEquals(variables.includes("OKSTRA_DISPATCH_ID"), false);
      assertMatch(variables, /OKSTRA_ATTEMPT=1\n/);
      assertEquals((await run.wait(["run"])).code, 0);
      assertEquals(run.rows().length, 3);
    }));

  it("run of entries of version 1 goes by their prompts (T-005, T-006)", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      makeFirstRun(run);
      const file = { workers: [firstEntry(run, "beta"), firstEntry(run, "alpha")] };
      writeFileSync(run.at("jobs.json"), JSON.stringify(file));
      const { code, summary, stderr } = await run.wait(["run", "--jobs-file", "jobs.json"]);
      assertEquals(code, 0, stderr);
      assertEquals(summary.workers.map((it) => it.workerId), ["beta", "alpha"]);
      assertEquals(run.rows().map((row) => row["origin"]), [
        { option: "jobs-file", path: run.at("jobs.json") },
        { option: "jobs-file", path: run.at("jobs.json") },
      ]);
    }));
});
