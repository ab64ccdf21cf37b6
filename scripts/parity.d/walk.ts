// Every command of every tool with words that work: the ways of the fault kit, each in a project of its own.
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { until } from "../../test/fault-kit/bench.ts";
import { openCmux } from "../../test/fault-kit/panes.ts";
import { isRunning, listBelonging } from "../../test/fault-kit/processes.ts";
import { listCommands } from "../../test/fault-kit/walk/commands.ts";
import { WAYS } from "../../test/fault-kit/walk/everything.ts";
import { type Step, Walk } from "../../test/fault-kit/walk/walk.ts";

/** What a call printed, and how it ended. */
export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls a tool, in a folder, with more variables and with standard input. */
export type Call = (
  words: readonly string[],
  how: { readonly cwd: string; readonly env: Record<string, string>; readonly stdin: string },
) => Said;

/**
 * Walks all ways, in folders below `project`, and returns what each call printed, by its words.
 *
 * @param bin where the tools are
 * @throws {Error} if a call does not end as its way says, or a command is not called
 */
export async function walkEverything(
  project: string,
  bin: string,
  call: Call,
): Promise<[string, Said][]> {
  const told: [string, Said][] = [];
  for (const [i, way] of WAYS.entries()) {
    const folder = join(project, `way-${i + 1}`);
    mkdirSync(folder, { recursive: true });
    // What it keeps is not the tools' work.
    const state = join(dirname(bin), "cmux-state");
    rmSync(state, { recursive: true, force: true });
    const cmux = openCmux({ folder: dirname(bin), tools: bin }, state);
    const walk: Walk = new Walk(folder, cmux.env, async (step) => {
      const said = await makeStep(walk, step, call);
      const number = String(told.length + 1).padStart(3, "0");
      told.push([`${number} ${step.words.join(" ")}`, said]);
      return step.prints === "json" ? JSON.parse(said.stdout) : null;
    });
    await way.walk(walk);
  }
  const isCalled = (command: string) =>
    told.some(([name]) => `${name.slice("000 ".length)} `.startsWith(`${command} `));
  const missed = listCommands().filter((command) => !isCalled(command));
  if (missed.length > 0) throw new Error(`Cannot compare ${missed.join(", ")}: no way calls it`);
  return told;
}

async function makeStep(walk: Walk, step: Step, call: Call): Promise<Said> {
  const said = call(step.words, { cwd: walk.project, env: walk.env, stdin: step.stdin });
  if (said.status !== step.status) {
    const words = step.words.join(" ");
    throw new Error(`Cannot go on behind ${words}: status ${said.status}\n${said.stderr}`);
  }
  // What a start has started ends by itself, and what it leaves would come a moment sooner or later.
  const left = () =>
    listBelonging(walk.project).filter(({ line }) => !/^(flock|sleep) /.test(line));
  await until(() => left().every(({ pid }) => !isRunning(pid)), "the end of workers");
  return said;
}
