// Real agents against a model on this machine: what our tools make of each way in which it can go.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import type { ProviderInput } from "../../packages/manifest-io/src/schemas/provider-entry.ts";
import { BUILT_IN_PROVIDERS } from "../../packages/manifest-io/src/provider-table.ts";
import { RUNTIME } from "../support.ts";
import { dispatchAgents, type Dispatched, type Outcome, withAgents } from "./bench.ts";
import { chosenAgents, describeAbsent } from "./chosen.ts";

/** What is expected of a worker: its status, and the class of its failure. */
type Expected = readonly [status: string, failureClass: string | null];

interface Case {
  readonly scenario: string;
  readonly expected: Expected;
  /** Where an agent does not tell, or does something else. */
  readonly others?: Readonly<Record<string, Expected>>;
  readonly attempts: number;
  readonly options?: readonly string[];
  /** Whether Deno runs it too: the tools are the same sources there, so a few tell whether all of it works. */
  readonly onDeno?: true;
}

/** Agents that try again by themselves for minutes or for ever, and have no setting against it. */
const PATIENT: readonly string[] = ["copilot", "gemini", "opencode", "qwen"];
/** Where they do. */
const RETRIED: readonly string[] = ["429", "429-retry-after", "quota", "500", "cut", "ended-early"];

/** Those whose events tell a Retry-After of two seconds, claude's up to a quarter too much. */
const TELLS_RETRY_AFTER: readonly string[] = ["claude", "opencode"];

const once = ["--no-retry"], soon = ["--idle-timeout", "4"];
const TIMED_OUT: Expected = ["timeout", "timeout"];

const CASES: readonly Case[] = [
  { scenario: "words-only", expected: ["error", "no-result"], attempts: 2 },
  { scenario: "401", expected: ["error", "auth"], attempts: 1, onDeno: true },
  { scenario: "403", expected: ["error", "permission"], attempts: 1 },
  { scenario: "404", expected: ["error", "model"], attempts: 1 },
  { scenario: "429", expected: ["error", "rate-limited"], attempts: 2 },
  {
    scenario: "429-retry-after",
    expected: ["error", "rate-limited"],
    attempts: 1,
    options: once,
  },
  { scenario: "quota", expected: ["error", "quota"], attempts: 1 },
  { scenario: "500", expected: ["error", "server"], attempts: 1, options: once },
  { scenario: "overflow", expected: ["error", "context-overflow"], attempts: 1 },
  { scenario: "cut", expected: ["error", "server"], attempts: 1, options: once },
  {
    scenario: "ended-early",
    expected: ["error", "server"],
    // It asks again, without a stream, and gets words without work.
    others: { claude: ["error", "no-result"] },
    attempts: 1,
    options: once,
  },
  { scenario: "hang", expected: TIMED_OUT, attempts: 1, options: soon, onDeno: true },
  { scenario: "hang-in-stream", expected: TIMED_OUT, attempts: 1, options: soon },
  { scenario: "comments-in-stream", expected: TIMED_OUT, attempts: 1, options: soon },
  { scenario: "endless-tool", expected: TIMED_OUT, attempts: 1, options: soon },
];

const NO_TOKENS = { inputTokens: 0, outputTokens: 0 };
const agents = chosenAgents();
const patience = agents.some((name) => PATIENT.includes(name)) ? ["--total-timeout", "40"] : [];
const skip = agents.length === 0 && "no agent is installed";

/** Compares what became of every worker, and what holds for each whatever became of it. */
function assertOutcomes(
  { outcomes, exitStatus }: Dispatched,
  { scenario, expected, others = {}, attempts }: Case,
): void {
  const shown = ({ status, failureClass, reason }: Outcome) =>
    `${status} ${failureClass}: ${reason}`;
  for (const name of agents) {
    const outcome = outcomes[name]!, { status, failureClass, timeout } = outcome;
    const isPatience = timeout === "total" && PATIENT.includes(name) && RETRIED.includes(scenario);
    const wanted = isPatience ? [...TIMED_OUT, 1] : [...others[name] ?? expected, attempts];
    assertEquals([status, failureClass, outcome.attempts], wanted, `${name}: ${shown(outcome)}`);
    assertEquals([outcome.sidecar.stage, outcome.sidecar.groupEmpty], ["exited", true], name);
    assert(outcome.reason.length > 12, `${name}: "${outcome.reason}" tells nobody what happened`);
  }
  assertEquals(exitStatus, 1);
}

describeAbsent();

// They wait more than they work.
describe("real agents", { skip, concurrency: 2 }, () => {
  it("write their results by a tool, which are collected and converge; their tokens are told (P-10)", () =>
    withAgents({ agents, scenario: "work" }, async (bench) => {
      const { exitStatus, outcomes, runManifestPath, stderr } = await dispatchAgents(bench, agents);
      assertEquals(exitStatus, 0, stderr);
      for (const name of agents) {
        const { status, attempts, sidecar } = outcomes[name]!;
        assertEquals([status, attempts, sidecar.failureClass], ["completed", 1, null], name);
        assertEquals([sidecar.exitCode, sidecar.groupEmpty], [0, true], name);
        const text = readFileSync(sidecar.completionPaths[0]!, "utf8");
        assertStringIncludes(text, `as ${name} sees it`);
      }
      const run = ["--run-manifest", runManifestPath];
      const used = await bench.ask("okstra-team-state", "usage", ...run) as {
        workers: { workerId: string; usage: typeof NO_TOKENS | null; sources: string[] }[];
      };
      for (const { workerId, usage, sources } of used.workers) {
        // Copilot's events tell none, its session file does.
        const [source] = sources;
        const kind = workerId === "copilot" ? "session file" : "";
        assertMatch(source ?? "", new RegExp(`^${workerId} .*${kind}`));
        const { inputTokens, outputTokens } = usage ?? NO_TOKENS;
        assert(
          inputTokens >= 200 && outputTokens >= 40,
          `${workerId}: ${inputTokens}, ${outputTokens}`,
        );
      }
      assertEquals((await bench.call(["okstra-manifest-io", "validate-run", ...run])).status, 0);
      const sessions = await bench.ask("okstra-team-state", "sessions", ...run);
      assertMatch(JSON.stringify(sessions), /session/);

      await bench.ask("okstra-convergence", "collect-findings", ...run);
      await bench.ask("okstra-convergence", "seed", ...run);
      const plan = await bench.ask("okstra-convergence", "plan-round", ...run);
      assertEquals(plan.action, agents.length > 1 ? "planned" : "skipped");
    }));

  for (const each of CASES) {
    if (RUNTIME === "deno" && !each.onDeno) continue;
    const { scenario, expected: [status, failureClass], options = [] } = each;
    it(`end as ${status}, ${failureClass}, if the model plays ${scenario} (${failureClass === "timeout" ? "P-9, P-20" : failureClass === "no-result" ? "P-10" : "P-14"})`, () =>
      withAgents({ agents, scenario }, async (bench) => {
        const dispatched = await dispatchAgents(bench, agents, [
          ...options,
          ...(RETRIED.includes(scenario) ? patience : []),
        ]);
        assertOutcomes(dispatched, each);
        const explain = (name: string) =>
          bench.ask(
            ...["okstra-dispatch", "why", "--worker", name],
            ...["--run-manifest", dispatched.runManifestPath],
          ) as Promise<{ why: string; next: string | null }>;
        assertMatch((await explain(agents[0]!)).next ?? "", /^\S+ \S/);
        if (scenario !== "429-retry-after") return;
        for (const name of agents) {
          const { sidecar: { retryAfterMs, failureClass } } = dispatched.outcomes[name]!;
          if (failureClass !== "rate-limited") continue; // it still tried when its time was over
          const isTold = TELLS_RETRY_AFTER.includes(name);
          const fits = isTold
            ? retryAfterMs! >= 2000 && retryAfterMs! <= 2500
            : retryAfterMs === null;
          assert(fits, `${name}: ${retryAfterMs}`);
          const rule = isTold ? "as it asked for 2" : "a back-off of ours after a refusal";
          assertStringIncludes((await explain(name)).why, rule);
        }
      }));
  }
});

/** A built-in provider with other words in the place of some of its own, and with more variables. */
function changedProvider(
  name: string,
  words: readonly string[],
  others: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): ProviderInput {
  const entry = BUILT_IN_PROVIDERS[name]!, { argv } = entry, at = argv.indexOf(words[0]!);
  assertEquals(argv.slice(at, at + words.length), [...words], name);
  return {
    ...entry,
    argv: [...argv.slice(0, at), ...others, ...argv.slice(at + words.length)],
    env: { ...entry.env, set: { ...entry.env?.set, ...variables } },
  };
}

const CLAUDE_LEAVE = ["--permission-mode", "acceptEdits", "--allowedTools"];
const ASK = JSON.stringify({ edit: "ask", bash: "ask" });

/** The agents that refuse tools, each so that it refuses the one by which the result is written. */
const REFUSING: Readonly<Record<string, () => ProviderInput>> = {
  claude: () => changedProvider("claude", [...CLAUDE_LEAVE, "Bash,Edit,Glob,Grep,Read,Write"]),
  codex: () => changedProvider("codex", ["workspace-write"], ["read-only"]),
  copilot: () => changedProvider("copilot", ["--allow-all-tools"]),
  gemini: () => changedProvider("gemini", ["yolo"], ["plan"]),
  opencode: () => changedProvider("opencode", ["--auto"], [], { OPENCODE_PERMISSION: ASK }),
  // Its stricter modes take the tools away, so that no call is left to refuse: a rule against the place does it.
  qwen: () =>
    changedProvider("qwen", ["yolo"], ["yolo", "--exclude-tools", "Edit(**/worker-results/**)"]),
};

describe("real agents that may not write", {
  skip: skip || (RUNTIME === "deno" && "Node runs it"),
}, () => {
  const able = agents.filter((name) => Object.hasOwn(REFUSING, name));
  if (agents.includes("pi")) {
    it("pi refuses nothing", { skip: "pi has no permissions and no sandbox: it runs every tool" });
  }

  it("are not believed: the exit status is 0, and the result is not there (P-10)", {
    skip: able.length === 0 && "no agent that refuses tools is installed",
  }, () => {
    const providers = Object.fromEntries(able.map((name) => [name, REFUSING[name]!()]));
    const file = JSON.stringify({ schemaVersion: "1.0", providers });
    return withAgents(
      { agents: able, scenario: "work", files: { "providers.json": file } },
      async (bench) => {
        const { exitStatus, outcomes, runManifestPath } = await dispatchAgents(bench, able, [
          ...["--total-timeout", "60"],
        ]);
        assertEquals(exitStatus, 1);
        for (const name of able) {
          const { status, failureClass, attempts, sidecar, reason } = outcomes[name]!;
          // What its sandbox forbids is told by codex to its model alone, so it is asked once more.
          const expected = name === "codex" ? ["no-result", 2] : ["permission", 1];
          const found = [status, failureClass, attempts];
          assertEquals(found, ["error", ...expected], `${name}: ${reason}`);
          assertEquals([sidecar.exitCode, sidecar.missingCompletionPaths.length], [0, 1], name);
          assertEquals([sidecar.timeout, sidecar.groupEmpty], [null, true], name);
          if (name === "codex") continue;
          assertMatch(reason, /without its result: .*; it was refused a tool: \S/, name);
          const { why, next } = await bench.ask(
            ...["okstra-dispatch", "why", "--worker", name, "--run-manifest", runManifestPath],
          ) as { why: string; next: string | null };
          assertStringIncludes(why, "it fails again as long as that is so (permission)");
          assertMatch(
            why,
            new RegExp(`; once that is mended: okstra-dispatch run .*--worker ${name}$`),
          );
          assertMatch(next ?? "", /^okstra-wrapper-status explain /);
        }
      },
    );
  });
});
