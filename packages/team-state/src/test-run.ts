import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runApp, testIo, type TestIoOptions } from "@okstra/kit/cli";
import { type PrepareOptions, prepareRun } from "@okstra/manifest-io/io/prepare";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { app } from "./cli.ts";
import { teamStatePath } from "./io/team-state.ts";

/** Prepares a run of two workers, `alpha` and `beta`, in a new project; for tests only. */
export function prepareTestRun(options: Partial<PrepareOptions> = {}): Run {
  const projectRoot = realpathSync(mkdtempSync(join(tmpdir(), "okstra-team-")));
  const providerFile = join(projectRoot, "providers.json");
  const providers = { lint: { argv: ["true"] } };
  writeFileSync(providerFile, JSON.stringify({ schemaVersion: "1.0", providers }));
  const { runManifestPath } = prepareRun({
    projectRoot,
    taskKey: "demo/review/src",
    taskType: "discussion",
    brief: "Look at everything.\n",
    workers: ["alpha,provider=lint,model=m-1", "beta,provider=lint"],
    leadRuntime: "external",
    backend: "cli-wrapper",
    providerFile,
    now: "2026-01-31T09:05:00Z",
    ...options,
  });
  return openRun(runManifestPath);
}

/** Runs one command on a run as a host would; for tests only. */
export async function call(run: Run, words: readonly string[], options: TestIoOptions = {}) {
  const env = { OKSTRA_RUN: run.manifestPath, ...options.env };
  const io = testIo({ cwd: run.projectRoot, now: "2026-01-31T10:00:00Z", ...options, env });
  const status = await runApp(app, [...words], io);
  return {
    status,
    stdout: io.stdout,
    stderr: io.stderr,
    get output() {
      return JSON.parse(io.stdout);
    },
  };
}

/** Reads a run's team state as it is on disk; for tests only. */
export const readState = (run: Run) => JSON.parse(readFileSync(teamStatePath(run), "utf8"));

/** Rewrites a JSON file; for tests only. */
// deno-lint-ignore no-explicit-any
export function editJson(path: string, change: (value: any) => unknown): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

/** Lists every file below a directory with its bytes, locks left out; for tests only. */
export function listTree(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true }) as string[]) {
    const path = join(directory, name);
    if (statSync(path).isFile() && !name.endsWith(".lock")) {
      files[name] = readFileSync(path, "latin1");
    }
  }
  return files;
}
