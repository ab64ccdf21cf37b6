// Installs agent command lines; see ../agents-setup.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { parseNames, parseWords } from "../tools/parse-words.mjs";
import { agentFolder, AGENTS, agentsFolder, DEFAULT_AGENTS } from "./agents.mjs";

/** A failure that is told in words. */
class Failure extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** Somebody wants all of it to end. */
class Interruption extends Error {
  constructor(signal) {
    super(`Cannot go on: interrupted by ${signal}`);
    this.hint = "what is installed is kept; give the command again for the others";
    this.status = 128 + constants.signals[signal];
  }
}

function tell({ message, hint }) {
  process.stderr.write(`agents-setup: error: ${message}\n`);
  if (hint) process.stderr.write(`agents-setup: hint: ${hint}\n`);
}

/** Reads the command line; null if it is wrong, which is told. */
function readArguments() {
  const words = parseWords("agents-setup", {
    allowPositionals: true,
    options: { "time-limit": { type: "string", default: "600" } },
  }, ["time-limit"]);
  if (words === null) return null;
  const { values, positionals } = words, all = Object.keys(AGENTS);
  const names = positionals.includes("all")
    ? all
    : parseNames("agents-setup", [...new Set(positionals)], all);
  const deadline = Date.now() + Number(values["time-limit"]) * 1000;
  return names && { names: names.length > 0 ? names : DEFAULT_AGENTS, deadline };
}

const programOf = (name) => join(agentFolder(name), "bin", name);

/** Installs one agent if it is not there, and returns the path of its program. */
async function install(name, deadline) {
  const folder = agentFolder(name);
  if (existsSync(programOf(name))) return programOf(name);
  process.stderr.write(`agents-setup: installing ${name} ${AGENTS[name].version}\n`);
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    await fill(draft, name, deadline);
    // Only a whole and tried installation gets the name.
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(programOf(name))) throw error; // else another call was faster
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return programOf(name);
}

const REACHABLE = "the npm registry must be reachable (npm ping)";
const NPM_FAILURES = {
  late: ["the time limit has passed", `${REACHABLE}, or give more time: --time-limit SECONDS`],
  ENOENT: ["npm is not on PATH", "it comes with Node.js"],
};

async function fill(draft, name, deadline) {
  const { version, packages, program, node } = AGENTS[name];
  writeFileSync(join(draft, "package.json"), '{ "private": true }\n');
  const args = [
    ...["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"],
    ...["--no-update-notifier", "--package-lock=false", "--loglevel=error", "--prefix", draft],
    // Without a network this ends in seconds.
    ...["--fetch-retries=1", "--fetch-retry-mintimeout=1000"],
    ...packages,
    ...(node ? [node.spec] : []),
  ];
  const { status, output } = await run("npm", args, draft, deadline);
  if (status !== 0) {
    const [state, hint] = NPM_FAILURES[status] ?? [
      `npm ended with ${status}`,
      typeof status === "number" ? REACHABLE : "it was ended from outside; give the command again",
    ];
    throw new Failure(
      `Cannot install ${name} ${version}: ${state}`,
      `${firstWords(output)}${hint}`,
    );
  }
  const target = join(draft, "node_modules", program);
  if (!existsSync(target)) {
    throw new Failure(
      `Cannot use ${name} ${version}: its package has no program for ${process.platform} ${process.arch}`,
    );
  }
  mkdirSync(join(draft, "bin"));
  const link = join(draft, "bin", name);
  if (node === undefined) {
    chmodSync(target, 0o755);
    symlinkSync(join("..", "node_modules", program), link);
  } else {
    const own = node ? `"$here/node_modules/${node.name}/bin/node"` : "node";
    if (node) chmodSync(join(draft, "node_modules", node.name, "bin", "node"), 0o755);
    writeFileSync(
      link,
      '#!/bin/sh\nhere=$(dirname -- "$(dirname -- "$0")")\n' +
        `exec ${own} "$here/node_modules/${program}" "$@"\n`,
    );
    chmodSync(link, 0o755);
  }
  // With a home of its own: a first start may write there.
  const tried = await run(link, ["--version"], draft, deadline, { HOME: draft });
  if (tried.status !== 0 || !tried.output.includes(version)) {
    throw new Failure(
      `Cannot use ${name} ${version}: --version ended with ${tried.status}`,
      firstWords(tried.output),
    );
  }
}

const firstWords = (output) => {
  const [line] = output.trim().split("\n");
  return line ? `it said ${JSON.stringify(line.slice(0, 300))}; ` : "";
};

/** No timer is longer: one that was asked for more would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Runs a program; its status is `late` if it had to be ended. Throws an `Interruption` if there was one. */
function run(program, args, cwd, deadline, env = {}) {
  return new Promise((resolve, reject) => {
    let output = "", isLate = false, interruption = null;
    // Before there is anything that an interruption would leave behind.
    const interrupted = (signal) => {
      interruption = new Interruption(signal);
      end();
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // it has ended
      }
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => output += text);
    }
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, Math.min(LONGEST_MS, Math.max(0, deadline - Date.now())));
    const finish = (status) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      if (interruption) reject(interruption);
      else resolve({ status, output });
    };
    child.on("error", (error) => finish(error.code));
    child.on("close", (code, signal) => finish(isLate ? "late" : code ?? signal));
  });
}

/**
 * Does the work under the lock of the folder, in a further process, so that the system frees the lock whatever happens.
 * Returns the exit status, or null if there is no such program: then only the rename keeps two calls apart.
 */
function runLocked(deadline) {
  if (process.env.OKSTRA_AGENTS_LOCKED === "1") return null;
  const seconds = Math.max(1, Math.ceil((deadline - Date.now()) / 1000));
  // An interruption is for the process that works.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => {});
  const words = [join(agentsFolder(), ".lock"), process.execPath, ...process.argv.slice(1)];
  const { status, signal, error } = spawnSync("flock", ["-w", `${seconds}`, "-E", "75", ...words], {
    stdio: "inherit",
    env: { ...process.env, OKSTRA_AGENTS_LOCKED: "1" },
  });
  if (error) return null;
  if (status === 75) {
    tell({
      message: `Cannot lock "${agentsFolder()}": another agents-setup holds it`,
      hint: "wait for it, or give more time: --time-limit SECONDS",
    });
    return 1;
  }
  return status ?? 128 + constants.signals[signal];
}

/** Removes what calls that were killed have left. */
function removeDrafts() {
  for (const entry of readdirSync(agentsFolder())) {
    if (entry.includes(".draft-")) {
      rmSync(join(agentsFolder(), entry), { recursive: true, force: true });
    }
  }
}

async function installAll({ names, deadline }) {
  let failed = 0;
  for (const name of names) {
    try {
      const program = await install(name, deadline);
      process.stdout.write(`${name} ${AGENTS[name].version} ${program}\n`);
    } catch (error) {
      if (error instanceof Interruption) {
        tell(error);
        return error.status;
      }
      if (!(error instanceof Failure) && typeof error.code !== "string") throw error;
      failed++;
      tell(
        error instanceof Failure ? error : {
          message: `Cannot install ${name}: ${error.message}`,
          hint: `is there room in ${agentsFolder()}, and may you write there?`,
        },
      );
    }
  }
  return failed === 0 ? 0 : 1;
}

async function main() {
  const wanted = readArguments();
  if (wanted === null) return 2;
  if (wanted.names.every((name) => existsSync(programOf(name)))) return await installAll(wanted);
  try {
    mkdirSync(agentsFolder(), { recursive: true });
  } catch (error) {
    tell({
      message: `Cannot make the folder "${agentsFolder()}": ${error.message}`,
      hint: "XDG_CACHE_HOME names another place",
    });
    return 1;
  }
  const status = runLocked(wanted.deadline);
  if (status !== null) return status;
  if (process.env.OKSTRA_AGENTS_LOCKED === "1") removeDrafts();
  return await installAll(wanted);
}

process.exitCode = await main();
