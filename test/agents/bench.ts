// A project whose workers are real agents, and a model server that they talk to.
import { spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assertEquals } from "@std/assert";
import type { AwaitSummary } from "../../packages/manifest-io/src/schemas/await-summary.ts";
import type { StatusSidecar } from "../../packages/manifest-io/src/schemas/status-sidecar.ts";
import { listBelonging } from "../fault-kit/processes.ts";
import { type Finished, ROOT, toolFolder, withScratch, writeFiles } from "../support.ts";
import { equipAgents } from "./command-lines.ts";
import { type ModelServer, startModelServer } from "./model/server.ts";

/** The project that the agents work in. */
export interface AgentBench {
  readonly project: string;
  readonly server: ModelServer;
  /** Variables of every call: a home of its own, and nothing of the caller's but what tools need to start. */
  readonly env: Record<string, string>;
  /** Runs a command in the project, with the variables above. */
  call(words: readonly string[]): Promise<Finished>;
  /** Runs a command that must succeed, and returns the document it prints. */
  ask(...words: readonly string[]): Promise<Record<string, unknown>>;
  readJson(path: string): unknown;
}

/** What agents are there, and what the model plays for them. */
export interface BenchOptions {
  readonly agents: readonly string[];
  readonly scenario: string;
  readonly isPatient?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

/** The project that the scripted model has something to say about. */
const SAMPLE = join(ROOT, "scripts", "demo-agents.d", "sample");

/** Calls `body` with a new project; afterwards nobody may be left who works in it. */
export function withAgents(
  options: BenchOptions,
  body: (bench: AgentBench) => Promise<void>,
): Promise<void> {
  return withScratch(async (scratch) => {
    const server = await startModelServer();
    try {
      const project = join(scratch, "project");
      cpSync(SAMPLE, project, { recursive: true });
      writeFiles(project, options.files ?? {});
      const path = [toolFolder(scratch), dirname(nodePath()), "/usr/bin", "/bin"].join(":");
      const setting = { ...options, origin: server.origin, folder: scratch, path };
      const env = { ...denoVariables(), ...equipAgents(setting) };
      const call = (words: readonly string[]) => run(words, project, env);
      await body({
        project,
        server,
        env,
        call,
        async ask(...words) {
          const { status, stdout, stderr } = await call(words);
          assertEquals(status, 0, `${words.join(" ")}: ${stderr}`);
          return JSON.parse(stdout) as Record<string, unknown>;
        },
        readJson: (path) => JSON.parse(readFileSync(join(project, path), "utf8")) as unknown,
      });
      assertEquals(listBelonging(scratch), []);
    } finally {
      await server.close();
    }
  });
}

/** Where `node` is, also under Deno. */
function nodePath(): string {
  if (!("Deno" in globalThis)) return process.execPath;
  const folders = (process.env.PATH ?? "").split(":");
  return join(folders.find((folder) => existsSync(join(folder, "node"))) ?? "/usr/bin", "node");
}

/** What Deno needs to run the tools' sources with a home of its own. */
function denoVariables(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => name.startsWith("DENO_"));
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]));
}

/** Runs a program to its end without stopping the server in this process. */
function run(
  words: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(words[0]!, words.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "", stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** What one worker came to. */
export interface Outcome {
  readonly status: string;
  readonly failureClass: string | null;
  readonly timeout: string | null;
  readonly reason: string;
  readonly attempts: number;
  readonly sidecar: StatusSidecar;
}

/** A dispatch of every agent as a worker of its own name. */
export interface Dispatched {
  readonly exitStatus: number | null;
  readonly runManifestPath: string;
  readonly stderr: string;
  readonly summary: AwaitSummary;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** Prepares a run with one worker for each agent, and runs it. */
export async function dispatchAgents(
  bench: AgentBench,
  agents: readonly string[],
  options: readonly string[] = [],
): Promise<Dispatched> {
  const runManifestPath = await prepareRun(bench, agents.map((name) => `${name},provider=${name}`));
  const { status, stdout, stderr } = await bench.call([
    ...["okstra-dispatch", "run", "--run-manifest", runManifestPath, "--poll", "0.2"],
    ...options,
  ]);
  if (stdout === "") throw new Error(`dispatch ended with ${status}: ${stderr}`);
  const summary = JSON.parse(stdout) as AwaitSummary;
  return {
    exitStatus: status,
    runManifestPath,
    stderr,
    summary,
    outcomes: readOutcomes(bench, summary),
  };
}

/** Prepares an analysis with the given workers; returns the path of its run manifest. */
export async function prepareRun(bench: AgentBench, workers: readonly string[]): Promise<string> {
  const prepared = await bench.ask(
    ...[
      "okstra-manifest-io",
      "prepare",
      "--task-key",
      "demo/review/cart",
      "--task-type",
      "analysis",
    ],
    // Named, since a folder above may have an .okstra of its own.
    ...["--project-root", ".", "--brief", "brief.md", "--backend", "cli-wrapper"],
    ...(existsSync(join(bench.project, "providers.json"))
      ? ["--provider-file", "providers.json"]
      : []),
    ...workers.flatMap((worker) => ["--worker", worker]),
  );
  return prepared.runManifestPath as string;
}

/** Reads what the workers of a summary came to, from the summary and from their status. */
export function readOutcomes(bench: AgentBench, summary: AwaitSummary): Record<string, Outcome> {
  return Object.fromEntries(summary.workers.map((row) => {
    const prompt = `${row.workerId}-worker-prompt-analysis-001.md`;
    const sidecar = bench.readJson(
      `.okstra/tasks/demo/review/cart/runs/analysis/prompts/${prompt}.status.json`,
    ) as StatusSidecar;
    return [row.workerId, {
      status: row.status,
      failureClass: sidecar.failureClass,
      timeout: sidecar.timeout,
      reason: row.reason,
      attempts: row.attempt,
      sidecar,
    }];
  }));
}
