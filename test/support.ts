// What the tests that cross packages share: the tools as commands of the runtime that runs the test, scratch
// directories, and listings of everything below one.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeTree } from "./remove-tree.mjs";

/** The repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The runtime that runs this test, and so the tools of this test. */
export const RUNTIME: Runtime = "Deno" in globalThis ? "deno" : "node";

/** What the tools run on. */
export type Runtime = "node" | "deno";

/** Skips on Deno what starts the tools of every runtime wherever it runs: the second time it would do the same again. */
export const ONCE = { skip: RUNTIME === "node" ? false : "the same programs are started on Node" };

export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

/** Creates a scratch directory. */
export function makeScratch(): string {
  return mkdtempSync(join(tmpdir(), "okstra-test-"));
}

/** Runs `body` in a scratch directory that is removed afterwards. */
export async function withScratch<T>(body: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = makeScratch();
  try {
    return await body(folder);
  } finally {
    removeTree(folder);
  }
}

/** Writes files below a folder, by relative path. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Writes a program that the shell can start. */
export function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

let deno = RUNTIME === "deno" ? process.execPath : "";

/** Returns the path of Deno itself: the command of its package is a script, which a signal would end in its place. */
export function denoPath(): string {
  const script = join(ROOT, "scripts", "tools", "deno-path.mjs");
  return deno ||= execFileSync("node", [script], { encoding: "utf8" }).trim();
}

/** Returns the words that run what the build made of a tool for Deno. */
export function denoWords(tool: string, options: readonly string[] = []): string[] {
  const module = join(ROOT, "dist", "deno", `okstra-${tool}.mjs`);
  return [denoPath(), "run", "-A", "--no-config", ...options, module];
}

/** The tools of a folder: those that are built for a runtime, or the sources, which Deno runs, too. */
export type ToolForm = Runtime | "sources";

/**
 * Returns a folder for PATH with the six tools: the Node bundles, or programs that run what is built for Deno, which
 * starts three times as fast as the sources do. The folder lies below `scratch` for Deno.
 */
export function toolFolder(scratch: string, form: ToolForm = RUNTIME): string {
  if (form === "node") return join(ROOT, "dist", "bin");
  const folder = join(scratch, `${form}-bin`);
  for (const tool of TOOLS) {
    const words = form === "deno"
      ? denoWords(tool)
      : [denoPath(), "run", "-A", join(ROOT, "packages", tool, "src", "main.ts")];
    const line = words.map((word) => `'${word}'`).join(" ");
    writeProgram(join(folder, `okstra-${tool}`), `#!/bin/sh\nexec ${line} "$@"\n`);
  }
  return folder;
}

/** The environment of a tool: that of the test, with nothing of a run in it. */
export function toolEnv(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(OKSTRA_|NO_COLOR$|FORCE_COLOR$|NODE_TEST_)/.test(name)) {
      env[name] = value;
    }
  }
  return { ...env, PATH: `${folder}:${env.PATH}`, ...more };
}

/** What a finished program left. */
export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export function runProgram(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string>; stdin?: string },
): Finished {
  const [program, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program!, args, {
    cwd: options.cwd,
    env: options.env,
    input: options.stdin ?? "",
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Starts a program in a process group of its own; `kill` ends the whole group with SIGKILL. */
export function startProgram(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): { done: Promise<number | null>; kill(): void } {
  const [program, ...args] = command;
  const child = spawn(program!, args, { ...options, detached: true, stdio: "ignore" });
  return {
    done: new Promise((resolve) => child.on("close", (code) => resolve(code))),
    kill: () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // it has ended already
      }
    },
  };
}

/** Lists all paths below a folder, relative to it and sorted; directories end in `/`. */
export function listTree(folder: string): string[] {
  const walk = (prefix: string): string[] =>
    readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
      const path = `${prefix}${entry.name}`;
      return entry.isDirectory() ? [`${path}/`, ...walk(`${path}/`)] : [path];
    });
  return walk("").sort();
}

/** Describes all that is below a folder, so that two looks can be compared: path → what is there. */
export function snapshotTree(folder: string): Record<string, string> {
  return Object.fromEntries(
    listTree(folder).map((path) => {
      const info = lstatSync(join(folder, path));
      const mode = (info.mode & 0o7777).toString(8);
      if (info.isSymbolicLink()) return [path, `link to ${readlinkSync(join(folder, path))}`];
      if (!info.isFile()) return [path, mode];
      const digest = createHash("sha256").update(readFileSync(join(folder, path))).digest("hex");
      return [path, `${mode} ${digest}`];
    }),
  );
}
