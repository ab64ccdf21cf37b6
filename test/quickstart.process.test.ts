// The first command of the README: what it finds, that it can be run again, cut short, and run without network.
import { after, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Finished,
  listTree,
  makeScratch,
  ROOT,
  runProgram,
  RUNTIME,
  startProgram,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
  writeProgram,
} from "./support.ts";

const QUICKSTART = join(ROOT, "scripts", "quickstart");
const SAMPLE = join(ROOT, "scripts", "quickstart.d", "sample");
const RUN_FOLDER = ".okstra/tasks/quickstart/review/sources/runs/discussion";
const TASK = ["--task-key", "quickstart/review/sources"];
// The tools of a user who installed them for Deno; on Node those of the repository, which the script builds.
const deno = RUNTIME === "deno" ? makeScratch() : null;
const tools = deno === null ? join(ROOT, "dist", "bin") : toolFolder(deno);
const COMMAND = deno === null ? [QUICKSTART] : [QUICKSTART, "--tools", tools];
after(() => deno === null || rmSync(deno, { recursive: true }));
const env = (): Record<string, string> => toolEnv(tools);

function quickstart(project: string, prefix: string[] = []): Finished {
  return runProgram([...prefix, ...COMMAND, project], { cwd: ROOT, env: env() });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

interface State {
  readonly finalState: string;
  readonly findings: readonly {
    readonly category: string;
    readonly classification: string;
    readonly discoveredBy: readonly string[];
    readonly evidenceArtifacts: readonly { path: string; locator: string }[];
    readonly rounds: readonly {
      votes: Record<string, { verdict: string; disagreeBasis: string | null }>;
    }[];
  }[];
}

function readState(project: string, seq: string): State {
  return readJson(
    join(project, RUN_FOLDER, "state", `convergence-discussion-${seq}.json`),
  ) as State;
}

/** One line for each finding: category, place, who found it, and what became of it. */
function summarize(state: State): string[] {
  return state.findings.map((
    { category, classification, discoveredBy, evidenceArtifacts: [place] },
  ) => `${category} ${place!.path}:${place!.locator} ${discoveredBy.join("+")} ${classification}`);
}

const canUnshare = spawnSync("unshare", ["-n", "true"]).status === 0;
const skipOffline = canUnshare ? false : "this process may not leave the network";

describe("scripts/quickstart", () => {
  // Run once, for the test that looks at what it finds, and for the one that runs it again where it left off.
  const scratch = makeScratch(), project = join(scratch, "it's $HOME");
  after(() => rmSync(scratch, { recursive: true }));
  cpSync(SAMPLE, project, { recursive: true });
  const prefix = canUnshare ? ["unshare", "-n"] : [];
  const told = quickstart(project, prefix);

  it("finds the known faults of the sample, lets the linters judge them, and tells where everything lies", () => {
    const { status, stdout, stderr } = told;
    assertEquals(status, 0, stderr);
    const state = readState(project, "001");
    assertEquals(summarize(state), [
      "no-unused-vars src/basket.js:5 deno+oxlint+biome full-consensus",
      "no-debugger src/basket.js:7 deno+oxlint+biome full-consensus",
      "no-duplicate-case src/basket.js:20 deno+oxlint+biome full-consensus",
      "require-await src/basket.js:27 deno worker-unique",
      "no-dupe-keys src/basket.js:28 deno+oxlint+biome full-consensus",
      "no-debugger src/greeting.js:1 deno worker-unique",
      "no-empty src/rates.ts:9 deno worker-unique",
      "no-explicit-any src/rates.ts:15 deno+biome partial-consensus",
      "valid-typeof src/rates.ts:16 deno+oxlint+biome full-consensus",
      "no-debugger src/greeting.js:4 oxlint+biome contested",
      "no-eval src/rates.ts:8 oxlint+biome partial-consensus",
      "eqeqeq src/basket.js:10 biome worker-unique",
    ]);
    const disputed = state.findings.find(({ classification }) => classification === "contested")!;
    assertEquals(
      disputed.rounds.map(({ votes }) => [votes.deno!.verdict, votes.deno!.disagreeBasis]),
      [["disagree", "evidence-missing"], ["disagree", "evidence-missing"]],
    );
    assertStringIncludes(stdout, "contested");
    const listed = /below .*:\n((?: {2}\..*\n)+)/.exec(stdout)![1]!.trim().split(/\n\s*/);
    const there = new Set(listTree(project));
    assert(listed.length >= 7, stdout);
    for (const path of listed) assert(there.has(path), path);
    const next = /^Go on with:\n([^]*)/m.exec(stdout)![1]!.trim().split(/\n */);
    const calls = [next[0]!, ...next.filter((line) => /^okstra-(?!.* less$)/.test(line))];
    assertEquals([calls.length, next.at(-1)!.includes("/quickstart' ")], [4, true], stdout);
    const followed = runProgram(["sh", "-ec", calls.join("\n")], { cwd: scratch, env: env() });
    assertEquals([followed.status, followed.stderr], [0, ""]);
    assertStringIncludes(followed.stdout, '"ok": true');
  });

  it(
    "makes run 002 in the same directory, without a network",
    { skip: skipOffline },
    () => {
      const again = quickstart(project, prefix);
      for (const [{ status, stdout, stderr }, seq] of [[told, "001"], [again, "002"]] as const) {
        assertEquals(status, 0, stderr);
        assertStringIncludes(stdout, `run-manifest-discussion-${seq}.json`);
      }
      assertEquals(summarize(readState(project, "002")), summarize(readState(project, "001")));
      const status = runProgram(["okstra-discussion", "status", ...TASK], {
        cwd: project,
        env: env(),
      });
      const { phase, cycles, completedRevision } = JSON.parse(status.stdout) as {
        phase: string;
        cycles: { status: string }[];
        completedRevision: string;
      };
      assertEquals([phase, completedRevision], ["completed", "RV-0002"]);
      assertEquals(cycles.map((cycle) => cycle.status), ["closed", "closed"]);
    },
  );

  it("reviews a directory without a fault or without a source", () =>
    withScratch((scratch) => {
      writeFiles(scratch, { "good.ts": "export const good = 1;\n" });
      const { status, stdout, stderr } = quickstart(scratch);
      assertEquals(status, 0, stderr);
      assertStringIncludes(stdout, "no-findings");
      assertEquals(readState(scratch, "001").finalState, "no-findings");
    }));

  it("exits 4 and writes nothing if a linter is not installed", () =>
    withScratch((scratch) => {
      const copy = join(scratch, "repository");
      cpSync(join(ROOT, "scripts"), join(copy, "scripts"), { recursive: true });
      writeProgram(join(copy, "scripts", "build"), "#!/bin/sh\n");
      writeFiles(copy, {
        "package.json": '{ "type": "module" }',
        "node_modules/README": "one linter is missing",
      });
      for (const name of ["deno", "oxlint"]) {
        symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
      }
      symlinkSync(join(ROOT, "dist"), join(copy, "dist"));
      const project = join(scratch, "project");
      cpSync(SAMPLE, project, { recursive: true });
      const before = listTree(project);
      const { status, stdout, stderr } = runProgram(
        [join(copy, "scripts", "quickstart"), project],
        { cwd: scratch, env: env() },
      );
      assertEquals([status, stdout], [4, ""], stderr);
      assertMatch(
        stderr,
        /^quickstart: error: Cannot ask biome: it is not installed\nquickstart: hint: /m,
      );
      assertEquals(listTree(project), before);
    }));
});

/** A pseudo-random sequence in [0, 1) from a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Ends every process that works in a folder: what a quickstart started outlives it otherwise. */
function killBelow(folder: string): void {
  for (let round = 0; round < 3; round++) {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) {
          process.kill(Number(pid), "SIGKILL");
        }
      } catch {
        // it has ended, or is another user's
      }
    }
  }
}

/** Counts what the tools have made in a project so far. */
function countFiles(project: string): number {
  try {
    return readdirSync(join(project, ".okstra"), { recursive: true }).length;
  } catch {
    return 0; // it is not there yet, or a part of it is gone meanwhile
  }
}

/** Asserts that every JSON file below a folder is one whole document, and every line of a JSONL file too. */
function assertValidJson(folder: string): void {
  for (const path of listTree(folder)) {
    const text = /\.jsonl?$/.test(path) ? readFileSync(join(folder, path), "utf8") : "";
    if (path.endsWith(".json")) assertEquals(typeof JSON.parse(text), "object", path);
    if (path.endsWith(".jsonl")) {
      assert(text.endsWith("\n"), `${path} ends in half a line`);
      for (const line of text.trimEnd().split("\n")) {
        assertEquals(typeof JSON.parse(line), "object", path);
      }
    }
  }
}

describe("scripts/quickstart that is killed", { skip: process.platform !== "linux" }, () => {
  const SEED = RUNTIME === "node" ? 2 : 3;
  const next = random(SEED);
  // A whole run leaves more than a hundred files and folders; each part of them gets a moment.
  const moments = [0, 1, 2].map((part) => Math.round(20 + (part + next()) * 28));

  moments.forEach((count, i) => {
    // The workers outlive their dispatcher in the first case, and die with it in the others.
    const all = i > 0;
    it(`leaves valid JSON with ${count} files and folders${all ? ", its workers killed too" : ""}, and works when run again (seed ${SEED})`, () =>
      withScratch(async (scratch) => {
        const project = join(scratch, "project");
        cpSync(SAMPLE, project, { recursive: true });
        const child = startProgram([...COMMAND, project], { cwd: ROOT, env: env() });
        let isOver = false;
        const over = child.done.then(() => isOver = true);
        while (!isOver && countFiles(project) < count) await sleep(10);
        assert(!isOver, "it ended by itself");
        child.kill();
        await over;
        if (all) killBelow(project);
        assertValidJson(project);
        const { status, stderr } = quickstart(project);
        assertEquals(status, 0, stderr);
        assertValidJson(project);
        const verified = runProgram(["okstra-discussion", "verify", ...TASK], {
          cwd: project,
          env: env(),
        });
        assertEquals([verified.status, verified.stderr], [0, ""]);
      }));
  });
});
