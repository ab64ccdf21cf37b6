import { readFileSync, writeFileSync } from "node:fs";
import { runApp, testIo, type TestIoOptions } from "@okstra/kit/cli";
import type { Run } from "@okstra/manifest-io/io/run";
import { app } from "./cli.ts";
import { teamStatePath } from "./io/team-state.ts";

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
