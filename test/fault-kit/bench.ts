// Where a fault is injected: a project of its own, the tools as a user calls them, and a look at all that is left.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { runApp, testIo } from "../../packages/kit/src/cli.ts";
import { removeTree } from "../remove-tree.mjs";
import { app as manifestIo } from "../../packages/manifest-io/src/cli.ts";
import {
  denoWords,
  RUNTIME,
  snapshotTree,
  toolEnv,
  toolFolder,
  type ToolForm,
  writeFiles,
} from "../support.ts";
import { assertEnded, endNow, isRunning, listBelonging } from "./processes.ts";
import { RunFiles } from "./run-files.ts";

/** How a program ended. */
export interface Ended {
  /** `null`: a signal ended it. */
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What stands on its standard error so far. */
  said(): string;
  kill(signal?: NodeJS.Signals): void;
}

/** How a program is started. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What stands on its standard input; `open`: a pipe into which nothing comes and that nobody closes. */
  readonly stdin?: string | { readonly kind: "open" };
}

/** A program of this kit. */
export function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

/** A provider as a provider file has it: a command line, or an entry. */
export type Provider = readonly (string | readonly string[])[] | Readonly<Record<string, unknown>>;

/** Longer than anything takes here, also on a machine that does many other things. */
const LIMIT_MS = 90_000;

/** Waits until a condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !condition();) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await sleep(20);
  }
}

/** Waits a moment. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A project, the tools, and everything that was started. */
export class Bench {
  /** The folder of all that belongs to this bench; the project lies in it. */
  readonly folder: string;
  readonly project: string;
  readonly tools: string;
  readonly #started: Running[] = [];
  /** What a tool is told by the environment, beside what the kit's caller has. */
  env: Record<string, string> = {};

  constructor(folder: string, form: ToolForm = RUNTIME) {
    this.folder = realpathSync(folder);
    this.project = join(this.folder, "project");
    this.tools = toolFolder(this.folder, form);
    // A project that is none yet is looked for in the folders above, of which a machine may have any.
    mkdirSync(join(this.project, ".okstra"), { recursive: true });
  }

  /** Returns the path of a file of the project. */
  at(name: string): string {
    return join(this.project, name);
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8");
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    writeFiles(this.project, files);
  }

  /** Starts a program; the first word is looked up where the tools are. */
  start(words: readonly string[], options: StartOptions = {}): Running {
    const [name = "", ...rest] = words;
    const env: Record<string, string> = { ...toolEnv(this.tools), ...this.env };
    for (const [key, value] of Object.entries(options.env ?? {})) {
      if (value === undefined) delete env[key];
      else env[key] = value;
    }
    const child = spawn(name.startsWith("okstra-") ? join(this.tools, name) : name, rest, {
      cwd: options.cwd ?? this.project,
      env,
      stdio: "pipe",
      detached: true,
    });
    let stdout = "", stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
    child.stdin.on("error", () => {});
    const { stdin = "" } = options;
    if (typeof stdin === "string") child.stdin.end(stdin);
    const running: Running = {
      pid: child.pid!,
      ended: new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (status, signal) => {
          child.stdin.destroy();
          resolve({ status, signal, stdout, stderr });
        });
      }),
      said: () => stderr,
      kill: (signal = "SIGKILL") => {
        try {
          process.kill(-child.pid!, signal);
        } catch {
          // it has ended already
        }
      },
    };
    this.#started.push(running);
    return running;
  }

  /** Runs a program to its end; one that hangs is ended, and is a failure. */
  async call(words: readonly string[], options: StartOptions = {}): Promise<Ended> {
    const running = this.start(words, options);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      running.kill();
    }, LIMIT_MS);
    const ended = await running.ended;
    clearTimeout(timer);
    if (isLate) throw new Error(`it hangs: ${words.join(" ")}\n${ended.stderr}`);
    return ended;
  }

  /** Runs a tool that has to succeed, and returns the document that it prints. */
  // deno-lint-ignore no-explicit-any
  async ok(words: readonly string[], options: StartOptions = {}): Promise<any> {
    const { status, stdout, stderr } = await this.call(words, options);
    assertEquals(status, 0, `${words.join(" ")}\n${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs a tool that has to say no (exit 1), and returns the document that it prints. */
  // deno-lint-ignore no-explicit-any
  async no(words: readonly string[], options: StartOptions = {}): Promise<any> {
    const { status, stdout, stderr } = await this.call(words, options);
    assertEquals(status, 1, `${words.join(" ")}\n${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  /**
   * Runs a tool that has to refuse: nothing on standard output, the words of the contract on standard error, a hint,
   * and nothing changed on disk.
   *
   * @returns standard error
   */
  async refuse(
    words: readonly string[],
    status: number,
    error: RegExp,
    options: StartOptions = {},
  ): Promise<string> {
    const before = this.snapshot();
    const ended = await this.call(words, options);
    assertEquals([ended.status, ended.stdout], [status, ""], `${words.join(" ")}\n${ended.stderr}`);
    assertMatch(ended.stderr, /^okstra-[a-z-]+: error: \S/m);
    assertMatch(ended.stderr, error);
    assert(!/^\s+at /m.test(ended.stderr), `a stack is shown: ${ended.stderr}`);
    assertEquals(this.snapshot(), before, `${words.join(" ")} changed something`);
    return ended.stderr;
  }

  /** Returns the words that run a tool with a hook of this kit loaded before it. */
  hooked(hook: string, [tool = "", ...words]: readonly string[]): string[] {
    const path = fileURLToPath(new URL(hook, import.meta.url));
    if (RUNTIME === "node") return ["node", "--require", path, join(this.tools, tool), ...words];
    return [...denoWords(tool.slice("okstra-".length), ["--preload", path]), ...words];
  }

  /** Lets the workers of this bench have a wrapper with a hook of this kit loaded before it. */
  hookWrapper(hook: string): void {
    const name = "okstra-wrapper-status", folder = join(this.folder, "hooked");
    const words = this.hooked(hook, [name]).map((word) => `'${word}'`).join(" ");
    writeFiles(folder, { [name]: `#!/bin/sh\nexec ${words} "$@"\n` });
    chmodSync(join(folder, name), 0o755);
    this.env = { ...this.env, OKSTRA_BIN_DIR: folder };
  }

  /** Prepares a run whose workers have a provider each, and makes it the run that tools are called for. */
  async prepare(
    providers: Readonly<Record<string, Provider>>,
    options: readonly string[] = [],
  ): Promise<RunFiles> {
    const entry = (it: Provider) => Array.isArray(it) ? { argv: it } : it;
    this.write({
      "brief.md": "Look at the texts.\n",
      "providers.json": JSON.stringify({
        schemaVersion: "1.0",
        providers: Object.fromEntries(
          Object.entries(providers).map(([name, each]) => [`of-${name}`, entry(each)]),
        ),
      }),
    });
    const defaults = [["--task-key", "fault/kit/run"], ["--backend", "cli-wrapper"]];
    // What is prepared is no part of a fault, so it is done in this process.
    const io = testIo({
      cwd: this.project,
      env: { ...toolEnv(this.tools), ...this.env },
      now: new Date().toISOString(),
    });
    const status = await runApp(manifestIo, [
      ...["prepare", "--task-type", "discussion"],
      ...["--brief", "brief.md", "--provider-file", "providers.json"],
      ...Object.keys(providers).flatMap((name) => ["--worker", `${name},provider=of-${name}`]),
      ...defaults.filter(([name = ""]) => !options.includes(name)).flat(),
      ...options,
    ], io);
    assertEquals(status, 0, io.stderr);
    const printed = JSON.parse(io.stdout);
    this.env = { ...this.env, OKSTRA_RUN: printed.runManifestPath };
    return new RunFiles(printed);
  }

  /** Describes everything in the project but locks. */
  snapshot(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(snapshotTree(this.project)).filter(([path]) => !path.endsWith(".lock")),
    );
  }

  /** Asserts that nothing in the project tells of an unfinished write. */
  assertNoLeftovers(): void {
    assertEquals(Object.keys(this.snapshot()).filter((path) => /\.tmp$/.test(path)), []);
  }

  /** Ends what was started and removes the folder; fails if anything but that was still running. */
  async close(isFailed: boolean): Promise<void> {
    for (const running of this.#started) running.kill();
    await Promise.all(this.#started.map((running) => running.ended.catch(() => {})));
    let left = listBelonging(this.folder);
    // A wrapper lives for a moment after its last word.
    for (let i = 0; i < 100 && left.length > 0 && !isFailed; i++) {
      await sleep(100);
      left = listBelonging(this.folder);
    }
    for (const { pid } of left) endNow(pid);
    await until(() => left.every(({ pid }) => !isRunning(pid)), "the end of what was left");
    removeTree(this.folder);
    if (!isFailed) assertEquals(left.map(({ line }) => line), [], "processes were left behind");
  }

  /** Ends processes that a fault left on purpose, and waits for their end. */
  async end(pids: readonly number[]): Promise<void> {
    for (const pid of pids) endNow(pid);
    await until(() => pids.every((pid) => !isRunning(pid)), "their end");
    assertEnded(pids);
  }

  exists(name: string): boolean {
    return existsSync(this.at(name));
  }
}
