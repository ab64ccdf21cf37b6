// Which agents the tests are run with.
import { it } from "node:test";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { agentFolder, AGENTS, DEFAULT_AGENTS } from "../../scripts/agents.d/agents.mjs";
import { makeScratch } from "../support.ts";
import { whyAbsent } from "./command-lines.ts";

/** Names that were asked for: those in the variable `TEST_AGENTS`, or the ones that are installed by default. */
function wantedAgents(): readonly string[] {
  const given = (process.env.TEST_AGENTS ?? "").split(/[\s,]+/).filter((name) => name !== "");
  if (given.length === 0) return DEFAULT_AGENTS;
  const names = given.includes("all") ? Object.keys(AGENTS) : given;
  const unknown = names.filter((name) => !Object.hasOwn(AGENTS, name));
  if (unknown.length > 0) {
    throw new Error(`TEST_AGENTS names unknown agents: ${unknown.join(", ")}`);
  }
  return names;
}

/** Returns why an agent cannot be run here; `false`: it can. */
export function whyNot(name: string): string | false {
  if (!reasons.has(name)) reasons.set(name, whyAbsent(name) || whySandboxFails(name));
  return reasons.get(name)!;
}

const reasons = new Map<string, string | false>();

/** Codex runs tools in a sandbox of the system, which not every container allows. */
function whySandboxFails(name: string): string | false {
  if (name !== "codex") return false;
  const program = join(agentFolder(name), "bin", name);
  const home = makeScratch();
  const { status, stderr } = spawnSync(program, ["sandbox", "--", "true"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: home },
  });
  rmSync(home, { recursive: true });
  return status !== 0 && `codex cannot make its sandbox here: ${stderr.trim().split("\n").at(-1)}`;
}

/** Returns the agents that can be run here. */
export function chosenAgents(): readonly string[] {
  return wantedAgents().filter((name) => whyNot(name) === false);
}

/** Adds a skipped test for each agent that cannot be run here, whose name says why. */
export function describeAbsent(): void {
  for (const reason of wantedAgents().map(whyNot)) {
    if (reason !== false) it(reason, { skip: reason }, () => {});
  }
}
