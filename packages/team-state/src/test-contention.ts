import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Run } from "@okstra/manifest-io/io/run";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { teamStatePath } from "./io/team-state.ts";
import type { Runtime } from "../../../test/support.ts";
import { sourceWords } from "../../../test/source-words.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** What a process that changes the document is made with. */
export type Contender = "node" | "deno" | "shell" | "python";

/** Starts a program of this package on one of the runtimes; for tests only. */
export function startSource(
  runtime: Runtime,
  file: string,
  ...words: string[]
): ChildProcess {
  const [command = "", ...rest] = sourceWords(path(file), runtime);
  return spawn(command, [...rest, ...words], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Returns why contenders of a sort cannot run here, or false if they can; for tests only. */
export function lacksPeer(contender: "shell" | "python"): string | false {
  const programs = contender === "shell" ? ["jq", "flock"] : ["python3"];
  const missing = programs.filter((program) =>
    spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0
  );
  return missing.length === 0 ? false : `${missing.join(" and ")} is not installed`;
}

/** How processes contend for a document. */
export interface Contention {
  readonly run: Run;
  readonly contenders: readonly Contender[];
  /** Changes that each process makes. */
  readonly changes: number;
  /** How many processes are killed, each at a random moment, and replaced by another one. */
  readonly kills?: number;
  /** Longest time between two kills. */
  readonly killEveryMs?: number;
}

/** What came of it. */
export interface ContentionReport {
  /** Every change that its process reported as done, `<name> <number>`. */
  readonly done: readonly string[];
  /** Exit codes and signals of processes that ended otherwise than well or killed by us. */
  readonly failures: readonly string[];
  readonly kills: number;
  /** How often the document was read meanwhile, whole each time. */
  readonly reads: number;
  /** Done changes that are not in the document. */
  readonly lost: readonly string[];
  readonly state: TeamState;
}

/** Lets processes change one document at once while it is read in a loop; for tests only. */
export async function contend(contention: Contention): Promise<ContentionReport> {
  const { run, contenders, changes, kills = 0, killEveryMs = 100 } = contention;
  const done: string[] = [], failures: string[] = [];
  const working = new Set<ChildProcess>();
  let killed = 0, started = 0, isOver = false;

  async function runOne(at: number): Promise<void> {
    const name = `c${at}x${started++}`, worker = `w${at}`;
    const child = startContender(contenders[at]!, run, name, worker, changes);
    createInterface({ input: child.stdout! }).on("line", (line) => {
      working.add(child);
      done.push(line);
    });
    // Only then all lines have been read.
    const [code, signal] = await once(child, "close");
    working.delete(child);
    if (signal === "SIGKILL") return await runOne(at);
    if (code !== 0) failures.push(`${contenders[at]} ${name}: ${code ?? signal}`);
  }

  async function killSome(): Promise<void> {
    while (killed < kills && !isOver) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * killEveryMs));
      // One that is still loading would die without having touched the document.
      const victims = [...working];
      const victim = victims[Math.floor(Math.random() * victims.length)];
      if (victim?.kill("SIGKILL")) killed++;
    }
  }

  const all = Promise.all(contenders.map((_, at) => runOne(at))).finally(() => isOver = true);
  const killing = killSome();
  let reads = 0, revision = 0;
  try {
    while (!isOver) {
      const state = readState(run);
      if ((state.revision ?? 0) < revision) failures.push(`revision ${state.revision} came back`);
      revision = state.revision ?? 0;
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } finally {
    isOver = true;
  }
  await Promise.all([all, killing]);
  const state = readState(run);
  return { done, failures, kills: killed, reads, state, lost: findLost(state, done) };
}

function startContender(
  contender: Contender,
  run: Run,
  name: string,
  worker: string,
  changes: number,
): ChildProcess {
  if (contender === "node" || contender === "deno") {
    return startSource(
      contender,
      "testdata/mutate.ts",
      run.manifestPath,
      name,
      worker,
      String(changes),
    );
  }
  const [command, file] = contender === "shell"
    ? ["sh", "testdata/mutate.sh"]
    : ["python3", "testdata/mutate.py"];
  return spawn(command, [path(file), teamStatePath(run), name, String(changes)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const readState = (run: Run): TeamState => JSON.parse(readFileSync(teamStatePath(run), "utf8"));

/** Lists the changes that a document does not show; the numbers are those of `testdata/mutate.ts`. */
function findLost(state: TeamState, done: readonly string[]): readonly string[] {
  const rows = new Map(state.workerDispatches?.map((row) => [row.dispatchId, row]));
  const marks = new Set(state["peerMarks"] as string[] | undefined);
  const workers = new Map(state.workers.map((row) => [row.workerId, row]));
  return done.filter((mark) => {
    if (marks.has(mark)) return false;
    const [name = "", number = ""] = mark.split(" "), n = Number(number);
    if (n % 4 === 1) return !rows.has(mark);
    if (n % 4 === 2) return rows.get(`${name} ${n - 1}`)?.reason !== mark;
    // Its own process or the one that replaced it moved the worker on.
    const at = /^c(\d+)x(\d+)$/.exec(name);
    const now = /^c\d+x(\d+) (\d+)$/.exec(workers.get(`w${at?.[1]}`)?.reason ?? "");
    if (now === null) return true;
    const [, life = "", last = ""] = now;
    return life === at?.[2] ? Number(last) < n : Number(life) < Number(at?.[2]);
  });
}

/** Names a worker for each contender, as `prepare` takes them; for tests only. */
export const contentionWorkers = (contenders: readonly Contender[]): string[] =>
  contenders.map((_, at) => `w${at},provider=lint`);
