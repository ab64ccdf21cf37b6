import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realPath } from "@okstra/kit/host";
import { runApp, testIo } from "@okstra/kit/cli";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readEvents } from "@okstra/manifest-io/io/events";
import { type PrepareOptions, prepareRun } from "@okstra/manifest-io/io/prepare";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { readTeamState } from "@okstra/team-state/io/team-state";
import { removeTree } from "../../../test/remove-tree.mjs";
import { app } from "./cli.ts";

/** Directory with a wrapper that does what its worker's model says. */
export const FAKE_WRAPPERS = fileURLToPath(new URL("../testdata/bin", import.meta.url));

/** A provider file of shell programs, for tests with the real wrapper. */
export const TEST_PROVIDERS = fileURLToPath(new URL("../testdata/providers.json", import.meta.url));

/** How a call of the tool ended. */
export interface CallResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  readonly json: unknown;
}

/** A prepared run in a directory of its own. */
export class TestRun {
  readonly root: string;
  readonly run: Run;
  readonly #env: Record<string, string>;

  /** @param models scenario of each worker of the roster, in its order */
  constructor(models: Readonly<Record<string, string>>, change: Partial<PrepareOptions> = {}) {
    this.root = realPath(mkdtempSync(join(tmpdir(), "okstra-dispatch-")));
    const providers = join(this.root, "providers.json");
    const table = { fake: { argv: ["true"] }, claude: { argv: ["true"] } };
    writeFileSync(providers, JSON.stringify({ schemaVersion: "1.0", providers: table }));
    const prepared = prepareRun({
      projectRoot: this.root,
      taskKey: "t/u/v",
      taskType: "discussion",
      brief: "Look.\n",
      workers: Object.entries(models).map(([id, model]) => `${id},provider=fake,model=${model}`),
      leadRuntime: "external",
      backend: "cli-wrapper",
      providerFile: providers,
      now: "2026-01-01T00:00:00Z",
      ...change,
    });
    this.run = openRun(prepared.runManifestPath);
    this.#env = {
      OKSTRA_RUN: this.run.manifestPath,
      OKSTRA_BIN_DIR: FAKE_WRAPPERS,
      SOURCE_DATE_EPOCH: "1767225600",
      PATH: process.env["PATH"] ?? "",
      // The real wrapper finds the packages that Deno has cached for these tests.
      ...(process.env["DENO_DIR"] ? { DENO_DIR: process.env["DENO_DIR"] } : {}),
    };
  }

  at(path: string): string {
    return join(this.root, path);
  }

  /** Calls the tool in this process. */
  async call(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    stdin?: string,
    terminals: readonly (0 | 1 | 2)[] = [],
  ): Promise<CallResult> {
    const io = testIo({
      cwd: this.root,
      env: { ...this.#env, ...env },
      terminals,
      ...(stdin === undefined ? {} : { stdin }),
    });
    const code = await runApp(app, [...words], io);
    const json = io.stdout === "" ? null : JSON.parse(io.stdout);
    return { code, stdout: io.stdout, stderr: io.stderr, json };
  }

  /** Calls `await` or `run`, with a time that ends a test that hangs. */
  async wait(words: readonly string[]): Promise<CallResult & { readonly summary: AwaitSummary }> {
    const result = await this.call([...words, "--timeout", "120", "--poll", "0.05"]);
    return { ...result, summary: result.json as AwaitSummary };
  }

  state(): TeamState {
    return readTeamState(this.run);
  }

  rows(): readonly DispatchRow[] {
    return this.state().workerDispatches ?? [];
  }

  /** `worker status` of every worker row. */
  workers(): readonly string[] {
    return this.state().workers.map((row) => `${row.workerId} ${row.status}`);
  }

  /** `type worker attempt` of every lead event. */
  events(): readonly string[] {
    return readEvents(this.run).map(({ eventType, details }) =>
      `${eventType} ${details["workerId"]} ${details["attempt"]}`
    );
  }

  /** `invocation attempt status` of every recorded attempt. */
  attempts(): readonly string[] {
    return listAttempts(this.run).map((row) => `${row.invocationRef} ${row.attempt} ${row.status}`);
  }

  /** Lines that the wrappers left. */
  trace(): readonly string[] {
    const path = this.at("trace");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  }

  /** Every file below the project with its content, lock files left out. */
  files(): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(this.root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !entry.name.endsWith(".lock")) found[path] = readFileSync(path, "utf8");
    }
    return found;
  }

  remove(): void {
    removeTree(this.root);
  }
}

/** Runs a test with a prepared run and removes it afterwards. */
export async function withRun(
  models: Readonly<Record<string, string>>,
  test: (run: TestRun) => Promise<void> | void,
  change: Partial<PrepareOptions> = {},
): Promise<void> {
  const run = new TestRun(models, change);
  try {
    await test(run);
  } finally {
    run.remove();
  }
}

/** Makes a condition true by waiting; fails after a minute. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (let i = 0; i < 3000; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never happened: ${what}`);
}
