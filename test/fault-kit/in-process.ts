// Runs the wrapper in this process on programs that misbehave.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import type { StatusSidecar } from "../../packages/manifest-io/src/schemas/status-sidecar.ts";
import { environment } from "../../packages/kit/src/host.ts";
import { runWrapper } from "../../packages/wrapper-status/src/mod.ts";
import { withScratch, writeFiles } from "../support.ts";
import { program } from "./bench.ts";
import { listBelonging } from "./processes.ts";

/** Times that keep tests short, and are long enough for a loaded machine. */
const TIMINGS = { pollMs: 50, heartbeatMs: 200, graceMs: 400, exitGraceMs: 200 };

/** What a run of the wrapper left. */
export interface FaultRun {
  readonly exitStatus: number;
  readonly sidecar: StatusSidecar;
}

/** A project with a prompt, in which programs are run. */
export interface FaultBench {
  readonly directory: string;
  readonly promptPath: string;
  at(name: string): string;
  read(name: string): string;
  bytes(name: string): Uint8Array;
  /** Runs a program of this kit, in the project's folder, as the command after `--`. */
  run(words: readonly string[], options?: Record<string, string | string[]>): Promise<FaultRun>;
  /** Runs a command line as that of a provider whose events are of a format. */
  runProvider(words: readonly string[], options?: ProviderOptions): Promise<FaultRun>;
}

/** How a provider's command line is run. */
export interface ProviderOptions {
  readonly eventStream?: string | null;
  readonly model?: string;
  readonly worktree?: string;
  readonly idle?: string;
  readonly sessionId?: string;
  /** Called for every line that is shown to a person. */
  readonly show?: (line: string) => void;
}

/** Calls `body` with a new project. */
export function withFaults(
  body: (bench: FaultBench) => Promise<void>,
  prompt: string | Uint8Array = "**Result Path:** out/result.md\n\nWork.\n",
  names: { project?: string; prompt?: string } = {},
): Promise<void> {
  return withScratch(async (scratch) => {
    const directory = join(scratch, names.project ?? "project");
    const at = (name: string) => join(directory, name);
    const promptPath = at(names.prompt ?? "prompt.md");
    mkdirSync(at("out"), { recursive: true });
    writeFiles(directory, { [names.prompt ?? "prompt.md"]: prompt });
    const context = {
      env: () => undefined,
      environment,
      absolute: (path: string) => path.startsWith("/") ? path : at(path),
      cwd: directory,
      now: () => new Date(),
      show: () => {},
      timings: TIMINGS,
    };
    const finish = ({ exitStatus, sidecar }: FaultRun): FaultRun => {
      // What the caller was told is what stands on disk, and it is the end.
      assertEquals(JSON.parse(readFileSync(`${promptPath}.status.json`, "utf8")), sidecar);
      assertEquals(sidecar.isTerminal, true);
      return { exitStatus, sidecar };
    };
    const run: FaultBench["run"] = async ([name = "", ...words], options = {}) =>
      finish(
        await runWrapper({
          positionals: [],
          command: [program(name), ...words],
          options: { prompt: promptPath, ...options },
        }, context),
      );
    const runProvider: FaultBench["runProvider"] = async ([name = "", ...words], options = {}) => {
      const { eventStream = null, model = "none", worktree = "", idle = "", sessionId, show } =
        options;
      const providers = { faulty: { argv: [program(name), ...words], eventStream } };
      writeFiles(directory, {
        ".okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
      });
      return finish(
        await runWrapper({
          positionals: [directory, model, promptPath, worktree, "analyser", idle],
          command: [],
          options: {
            "provider": "faulty",
            "session-id": sessionId,
            "presentation": show ? "live" : "quiet",
          },
        }, { ...context, ...(show ? { show } : {}) }),
      );
    };
    await body({
      directory,
      promptPath,
      at,
      read: (name) => readFileSync(at(name), "utf8"),
      bytes: (name) => new Uint8Array(readFileSync(at(name))),
      run,
      runProvider,
    });
    assertEquals(listBelonging(directory), []);
  });
}
