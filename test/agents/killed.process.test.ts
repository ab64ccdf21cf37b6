// Real agents that are ended from outside while a tool of theirs runs, and an agent that works for ever.
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import type { AwaitSummary } from "../../packages/manifest-io/src/schemas/await-summary.ts";
import { until } from "../fault-kit/bench.ts";
import { assertEnded, listBelonging } from "../fault-kit/processes.ts";
import { RUNTIME } from "../support.ts";
import {
  type AgentBench,
  dispatchAgents,
  type Outcome,
  prepareRun,
  readOutcomes,
  withAgents,
} from "./bench.ts";
import { chosenAgents, describeAbsent } from "./chosen.ts";

const agents = chosenAgents();
const skip = process.platform !== "linux"
  ? "processes can be listed on Linux only"
  : RUNTIME === "deno"
  ? "Node runs it"
  : agents.length === 0 && "no agent is installed";

/** The processes of tools that never end, which work in the project. */
function endlessTools(project: string): number[] {
  return listBelonging(project).filter(({ line }) => line === "tail -f /dev/null ")
    .map(({ pid }) => pid);
}

/** Starts all agents, and returns once a tool of each runs. */
async function startEndless(bench: AgentBench): Promise<string[]> {
  const path = await prepareRun(bench, agents.map((name) => `${name},provider=${name}`));
  const run = ["--run-manifest", path];
  await bench.ask("okstra-dispatch", "start", ...run);
  await until(
    () => endlessTools(bench.project).length === agents.length,
    `a tool of each of ${agents.join(", ")} runs`,
  );
  return run;
}

async function awaitOutcomes(bench: AgentBench, run: readonly string[]): Promise<Outcome[]> {
  const { stdout, stderr } = await bench.call([
    ...["okstra-dispatch", "await", ...run, "--no-retry", "--poll", "0.2", "--timeout", "60"],
  ]);
  if (stdout === "") throw new Error(stderr);
  const outcomes = readOutcomes(bench, JSON.parse(stdout) as AwaitSummary);
  return agents.map((name) => outcomes[name]!);
}

/** Kills a process of each worker, as its status names it, with no warning. */
function killEach(bench: AgentBench, whom: "child" | "wrapper"): void {
  const folder = ".okstra/tasks/demo/review/cart/runs/analysis/prompts";
  for (const name of agents) {
    const path = `${folder}/${name}-worker-prompt-analysis-001.md.status.json`;
    const sidecar = bench.readJson(path) as Record<string, { pid: number }>;
    process.kill(sidecar[whom]!.pid, "SIGKILL");
  }
}

describeAbsent();

describe("real agents with a tool that never ends", { skip }, () => {
  const withEndless = (body: (bench: AgentBench, run: readonly string[]) => Promise<void>) =>
    withAgents({ agents, scenario: "endless-tool" }, async (bench) => {
      const run = await startEndless(bench), tools = endlessTools(bench.project);
      await body(bench, run);
      assertEnded(tools);
    });

  it("leave no tool behind if they are killed, and that is what is told (P-20)", () =>
    withEndless(async (bench, run) => {
      killEach(bench, "child");
      for (const { status, failureClass, reason, sidecar } of await awaitOutcomes(bench, run)) {
        assertEquals([status, failureClass, sidecar.signal], ["error", "crash", "SIGKILL"]);
        assertMatch(reason, /SIGKILL/);
        assertEquals(sidecar.groupEmpty, true);
      }
    }));

  it("are ended with their tools by the next await if their wrapper was killed (P-5, P-20)", () =>
    withEndless(async (bench, run) => {
      killEach(bench, "wrapper");
      const summary = await awaitOutcomes(bench, run);
      assertEquals(summary.map(({ status }) => status), agents.map(() => "error"));
      for (const { reason } of summary) assertMatch(reason, /wrapper|lost|gone/);
    }));

  it("are ended with their tools by teardown --kill (P-4, P-20)", () =>
    withEndless(async (bench, run) => {
      await bench.ask("okstra-dispatch", "teardown", "--kill", ...run);
      const state = await bench.ask("okstra-team-state", "show", ...run) as {
        workers: { status: string }[];
      };
      assertEquals(state.workers.map(({ status }) => status), agents.map(() => "error"));
    }));
});

describe("a real agent that works for ever", { skip }, () => {
  it("is ended after the total time, although it is never silent (P-19)", () =>
    withAgents({ agents, scenario: "endless-work" }, async (bench) => {
      const limits = ["--total-timeout", "6", "--idle-timeout", "60"];
      const { outcomes } = await dispatchAgents(bench, agents, limits);
      for (const { status, timeout, reason, sidecar } of agents.map((name) => outcomes[name]!)) {
        assertEquals([status, timeout, sidecar.groupEmpty], ["timeout", "total", true], reason);
        assertMatch(reason, /not done within 6 s/);
      }
    }));
});
