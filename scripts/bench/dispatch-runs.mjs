// What the parts of the dispatch bench share: runs to dispatch, calls whose CPU time is counted, and an await at work.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratch } from "../tools/scratch.mjs";
import { cleanEnv, nodeTool, root } from "./lib.mjs";

const env = { ...cleanEnv(), OKSTRA_BIN_DIR: join(root, "dist/bin") };
const gates = [];

/** The folder of the bench. Workers that wait at a gate in it are let go before it is removed. */
export const scratch = makeScratch("okstra-bench-", { release: () => gates.forEach(open) });

/** Makes a pipe in a project: whoever opens it for reading waits, and costs nothing, until `open` opens it. */
export function makeGate(project) {
  const gate = join(project, "gate");
  spawnSync("mkfifo", [gate]);
  gates.push(gate);
  return gate;
}

/** Lets everybody go who waits at a gate by now. */
export function open(gate) {
  try {
    closeSync(openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody waits there.
  }
}

/** Writes a project with a run of so many workers, all of one shell program, and returns its run manifest. */
export function prepare(name, count, script) {
  const project = join(scratch, name);
  mkdirSync(project);
  writeFileSync(join(project, "brief.md"), "Do nothing for a while.\n");
  const argv = ["/bin/sh", "-c", script, "sh", "{resultPath}", "{projectRoot}"];
  const providers = { schemaVersion: "1.0", providers: { nap: { argv, stdin: "none" } } };
  writeFileSync(join(project, "providers.json"), JSON.stringify(providers));
  const roster = Array.from({ length: count }, (_, i) => ["--worker", `w${i + 1},provider=nap`]);
  const { stdout, stderr, status } = spawnSync(nodeTool("manifest-io"), [
    ...["prepare", "--project-root", project, "--task-key", "bench/of/dispatch"],
    ...["--task-type", "discussion", "--brief", join(project, "brief.md")],
    ...["--provider-file", join(project, "providers.json"), "--backend", "cli-wrapper"],
    ...roster.flat(),
  ], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot prepare a run: status ${status}\n${stderr}`);
  return JSON.parse(stdout).runManifestPath;
}

/** Starts all workers of a run. */
export function start(run) {
  const { status, stderr } = spawnSync(nodeTool("dispatch"), ["start"], {
    env: { ...env, OKSTRA_RUN: run },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot start the workers: status ${status}\n${stderr}`);
}

/**
 * Runs words and returns wall time and the CPU time of everything that was started and waited for, in ms, as the shell's
 * `times` tells, and what was printed.
 */
export function measure(words, more = {}) {
  const out = join(scratch, "out"), began = performance.now();
  const call = '"$@" >"$OUT" 2>"$OUT.err" </dev/null; echo "status $?"; times';
  const shell = spawnSync("sh", ["-c", call, "sh", ...words], {
    env: { ...env, OUT: out, ...more },
    encoding: "utf8",
  });
  const wallMs = performance.now() - began;
  const [status, , children = ""] = shell.stdout.trim().split("\n");
  if (status !== "status 0") {
    throw new Error(`Cannot measure ${words[0]}: ${status}\n${readFileSync(`${out}.err`, "utf8")}`);
  }
  const cpuMs = children.split(" ").map((text) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text);
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  }).reduce((sum, each) => sum + each, 0);
  return { wallMs, cpuMs, stdout: readFileSync(out, "utf8") };
}

/** CPU time of one process so far, in ms (Linux). */
export function cpuOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts `okstra-dispatch await`; returns its process id, and its end, once it says that it waits. */
export async function startAwait(run, words) {
  const child = spawn(process.execPath, [nodeTool("dispatch"), "await", ...words], {
    env: { ...env, OKSTRA_RUN: run },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => said += text);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (!said.includes("WAITING")) {
    if (child.exitCode !== null) {
      throw new Error(`Cannot await the workers: status ${child.exitCode}\n${said}`);
    }
    await sleep(50);
  }
  return { pid: child.pid, ended };
}
