import { describe, it } from "node:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { batchName } from "@okstra/manifest-io/run-names";
import { discussionRecords } from "@okstra/manifest-io/task-key";
import { appendDispatch, teamStatePath } from "@okstra/team-state/io/team-state";
import { writeQuestions } from "../test-batch.ts";
import { type TestRun, withRun } from "../test-run.ts";
import type { WhyPayload } from "./why.ts";

const TWO = { alpha: "ok", beta: "ok" };
const DIRECTORY = ".okstra/tasks/t/u/v/runs/discussion";

function beginDiscussion(run: TestRun): void {
  const path = run.at(discussionRecords("t/u/v", undefined));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "{}\n");
}

/** Writes the batch of a cycle, as `okstra-discussion cycle-open` does, and returns its path. */
function openCycle(run: TestRun): string {
  const { batch } = writeQuestions(run, ["alpha", "beta"], { "dispatch-kind": "initial" });
  const name = batchName("discussion-research-r-0001", "discussion", "001");
  const path = join(dirname(teamStatePath(run.run)), name);
  const invocations = batch.invocations.map((each) => ({
    ...each,
    prompt: `${DIRECTORY}/prompts/${each["worker-id"]}-worker-prompt-discussion-001.md`,
  }));
  writeFileSync(path, JSON.stringify({ invocations }));
  return path;
}

/** Records that the roster's own prompt of a worker went out, and what came of it. */
function addRosterRow(run: TestRun, workerId: string): void {
  appendDispatch(run.run, [{
    assignmentRef: `initial/${workerId}`,
    kind: "initial",
    invocationId: `discussion-${workerId}-001`,
    dispatchId: `discussion-${workerId}-001:attempt-1`,
    promptPath: run.run.at(`${DIRECTORY}/prompts/${workerId}-worker-prompt-discussion-001.md`),
    attempt: 1,
    status: "completed",
  }]);
}

describe("refuseAsked()", () => {
  it("refuses the bare brief once the discussion has begun, and names cycle-open (D-003)", () =>
    withRun(TWO, async (run) => {
      assertEquals((await run.call(["plan"])).code, 0, "nobody discusses yet");
      beginDiscussion(run);
      const before = run.files();
      for (const words of [["plan"], ["start"], ["run"], ["jobs"], ["start", "--worker", "beta"]]) {
        const { code, stdout, stderr } = await run.call(words);
        assertEquals([code, stdout], [2, ""], words.join(" "));
        const who = words.length === 1 ? "alpha, beta" : "beta";
        assertStringIncludes(stderr, `Cannot plan a dispatch for ${who} without a batch: the disc`);
        assertStringIncludes(stderr, "hint: okstra-discussion cycle-open\n");
      }
      const { next } = (await run.call(["why", "--worker", "beta"])).json as WhyPayload;
      assertStringIncludes(next!, "okstra-discussion cycle-open ");
      assertEquals(run.files(), before);
    }));

  it("names of a batch that lies ready only whom it is about (D-003)", () =>
    withRun({ ...TWO, gamma: "ok" }, async (run) => {
      const path = openCycle(run), before = run.files();
      for (const words of [["--worker", "gamma", "--worker", "beta"], []]) {
        const { code, stderr } = await run.call(["start", ...words]);
        assertEquals(code, 2);
        const who = words.length === 0 ? "alpha, beta" : "beta";
        assertStringIncludes(
          stderr,
          `Cannot plan a dispatch for ${who} without a batch: "${path}"`,
        );
        const named = words.length === 0 ? "" : " --worker beta";
        assertStringIncludes(stderr, `hint: okstra-dispatch start${named} --batch ${path}\n`);
      }
      for (const verb of ["plan", "jobs", "run"]) {
        const { stderr } = await run.call([verb]);
        assertStringIncludes(stderr, `hint: okstra-dispatch ${verb} --batch ${path}\n`);
      }
      assertEquals(run.files(), before);
    }));

  it("lets those be dispatched that take part in no cycle, and those that were dispatched before", () =>
    withRun({ alpha: "ok" }, async (run) => {
      beginDiscussion(run);
      assertEquals((await run.call(["plan", "--worker", "critic"])).code, 0);
      assertEquals((await run.call(["plan", "--worker", "alpha"])).code, 2);
      addRosterRow(run, "alpha");
      assertEquals((await run.call(["plan", "--worker", "alpha"])).code, 0);
    }, { workers: ["alpha,provider=fake,model=ok", "critic,provider=fake,model=ok,role=critic"] }));
});

describe("refuseTaken()", () => {
  it("leads from the batch of a cycle to what came of the bare brief, and to the others (D-003)", () =>
    withRun(TWO, async (run) => {
      addRosterRow(run, "alpha");
      const path = openCycle(run), before = run.files();
      const { code, stderr } = await run.call(["start", "--batch", path]);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        "Cannot plan a dispatch for alpha: discussion-alpha-001 went out with the same prompt before",
      );
      const settle = "put what came of it on record: okstra-discussion settle\n";
      const others = `okstra-dispatch start --worker beta --batch ${path}`;
      assertStringIncludes(stderr, `hint: dispatch the others: ${others}; ${settle}`);
      const only = await run.call(["start", "--batch", path, "--worker", "alpha"]);
      assertStringIncludes(only.stderr, `hint: ${settle}`);
      assertEquals((await run.call(["plan", "--batch", path, "--worker", "beta"])).code, 0);
      assertEquals(run.files(), before);
    }));
});
