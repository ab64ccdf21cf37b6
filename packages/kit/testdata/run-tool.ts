import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { sourceWords } from "../../../test/source-words.ts";

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

/** Returns the words that run the sample tool, or another script. */
export function toolWords(runtime: Runtime, args: readonly string[], script = HELLO): string[] {
  return [...sourceWords(script, runtime), ...args];
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
