import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The runtimes that a tool must behave the same on. */
export const RUNTIMES = ["node", "deno"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** The repository. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const HELLO = fileURLToPath(new URL("./hello.ts", import.meta.url));
const ENV = {
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "",
  DENO_NO_UPDATE_CHECK: "1",
};

let denoPath: string | undefined;

function findDeno(): string {
  if ("Deno" in globalThis) return process.execPath;
  return spawnSync("node", [`${ROOT}scripts/tools/deno-path.mjs`], { encoding: "utf8" }).stdout
    .trim();
}

let bundles: string | undefined;

/** Bundles a script as the tools are published for Node; the bundles go when this process ends. */
function bundle(script: string): string {
  if (bundles === undefined) {
    const folder = bundles = mkdtempSync(join(tmpdir(), "kit-bundles-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  const path = join(bundles, basename(script).replace(/\.ts$/, ".cjs"));
  if (existsSync(path)) return path;
  const options = ["--bundle", "--platform=node", "--target=node20.16", "--format=cjs", "--minify"];
  const words = [script, ...options, "--log-level=error", `--outfile=${path}`];
  const { status, stderr } = spawnSync(`${ROOT}node_modules/.bin/esbuild`, words, {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`esbuild failed: ${stderr}`);
  return path;
}

/** Returns the words that run the sample tool, or another script. */
export function toolWords(runtime: Runtime, args: readonly string[], script = HELLO): string[] {
  return runtime === "node"
    ? ["node", bundle(script), ...args]
    : [denoPath ??= findDeno(), "run", "--allow-all", "--no-check", "--quiet", script, ...args];
}

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the sample tool to its end. */
export function runTool(
  runtime: Runtime,
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Outcome {
  const [file = "", ...words] = toolWords(runtime, args);
  const { status, stdout, stderr } = spawnSync(file, words, {
    cwd: ROOT,
    env: { ...ENV, ...options.env },
    encoding: "utf8",
    ...(options.input === undefined
      ? { stdio: ["ignore", "pipe", "pipe"] }
      : { input: options.input }),
  });
  return { status, stdout, stderr };
}

/** Runs a shell script in which `$TOOL` is the sample tool (unquoted, several words). */
export function runShell(
  runtime: Runtime,
  script: string,
  env: Record<string, string> = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script], {
    cwd: ROOT,
    env: { ...ENV, TOOL: toolWords(runtime, []).join(" "), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Starts a program; `ended` gives its outcome. */
export function start(words: readonly string[]): { child: ChildProcess; ended: Promise<Outcome> } {
  const [file = "", ...args] = words;
  const child = spawn(file, args, { cwd: ROOT, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
  return { child, ended };
}
