import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment } from "@okstra/kit/host";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { runWrapper, type WrapperContext, type WrapperResult } from "./io/run-wrapper.ts";
import type { Timings } from "./io/supervise.ts";
import type { RunWords } from "./run-request.ts";
import { sourceWords } from "../../../test/source-words.ts";

/** Returns the words that start this tool from its source, by the runtime of the test. */
export const wrapperCommand = (): readonly string[] =>
  sourceWords(fileURLToPath(new URL("main.ts", import.meta.url)));

/** Times that keep tests short; the grace is long enough for a loaded machine. */
export const testTimings: Timings = {
  pollMs: 50,
  heartbeatMs: 40,
  graceMs: 300,
  exitGraceMs: 150,
};

/** A directory with a prompt, and ways to run children on it. */
export interface Bench {
  readonly directory: string;
  readonly promptPath: string;
  at(name: string): string;
  read(name: string): string;
  sidecar(): StatusSidecar;
  /** Runs a shell script as the child, in the bench's directory. */
  shell(
    script: string,
    options?: RunWords["options"],
    changes?: Partial<WrapperContext>,
  ): Promise<WrapperResult>;
  run(words: RunWords, changes?: Partial<WrapperContext>): Promise<WrapperResult>;
}

/** Calls `body` with a new bench and removes it afterwards. */
export async function withBench(
  body: (bench: Bench) => void | Promise<void>,
  prompt: string | Uint8Array = "Do the work.\n",
  promptName = "prompt.md",
): Promise<void> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "wrapper-status-")));
  const at = (name: string) => join(directory, name), promptPath = at(promptName);
  writeFileSync(promptPath, prompt);
  const read = (name: string) => readFileSync(at(name), "utf8");
  const run = (words: RunWords, changes: Partial<WrapperContext> = {}) =>
    runWrapper(words, {
      env: () => undefined,
      environment,
      absolute: (path) => path.startsWith("/") ? path : at(path),
      cwd: directory,
      now: () => new Date("2026-01-31T09:05:00Z"),
      show: () => {},
      timings: testTimings,
      ...changes,
    });
  try {
    await body({
      directory,
      promptPath,
      at,
      read,
      sidecar: () => JSON.parse(read(`${promptName}.status.json`)) as StatusSidecar,
      shell: (script, options = {}, changes = {}) =>
        run({
          positionals: [],
          command: ["sh", "-c", script],
          options: { prompt: promptPath, ...options },
        }, changes),
      run,
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
