// The demo: a whole discussion of three real agents, from the first run to a completed revision.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../fault-kit/bench.ts";
import { listBelonging } from "../fault-kit/processes.ts";
import {
  listTree,
  ROOT,
  runProgram,
  RUNTIME,
  toolEnv,
  withScratch,
  writeFiles,
} from "../support.ts";
import { whyNot } from "./chosen.ts";

const DEMO = join(ROOT, "scripts", "demo-agents");
const RUN = ".okstra/tasks/demo/review/cart/runs/discussion";
const NAMES = ["codex", "claude", "pi"];

const absent = NAMES.map(whyNot).filter((reason) => reason !== false);
const skip = RUNTIME === "deno" ? "the demo runs the built tools" : absent[0] ?? false;
// A temporary folder of its own shows what the demo leaves there.
const env = (scratch: string) => toolEnv(join(ROOT, "dist", "bin"), { TMPDIR: scratch });

interface State {
  readonly finalState: string;
  readonly findings: readonly {
    readonly findingId: string;
    readonly discoveredBy: readonly string[];
    readonly classification: string;
  }[];
}

describe("scripts/demo-agents", { skip }, () => {
  it("takes three agents and a critic through two rounds, gaps, questions and a decision to a revision", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project");
      const { status, stdout, stderr } = runProgram([DEMO, project], {
        cwd: scratch,
        env: env(scratch),
      });
      assertEquals(status, 0, stderr);
      const readJson = (path: string) => JSON.parse(readFileSync(join(project, path), "utf8"));
      const state = readJson(`${RUN}/state/convergence-discussion-001.json`) as State;
      assertEquals(
        state.findings.map(({ findingId, discoveredBy, classification }) =>
          [findingId, ...discoveredBy, classification].join(" ")
        ),
        [
          "F-001 codex claude full-consensus",
          "F-002 codex contested",
          "F-003 claude pi full-consensus",
          "F-004 pi full-consensus",
          "G-001 codex-critic full-consensus",
        ],
      );
      const call = (...words: string[]) => {
        const task = words[0] === "okstra-discussion" ? ["--task-key", "demo/review/cart"] : [];
        const finished = runProgram([...words, ...task], {
          cwd: project,
          env: {
            ...env(scratch),
            OKSTRA_RUN: join(project, RUN, "manifests/run-manifest-discussion-001.json"),
          },
        });
        assertEquals(finished.status, 0, `${words.join(" ")}: ${finished.stderr}`);
        return finished.stdout;
      };
      const discussion = JSON.parse(call("okstra-discussion", "status")) as Record<string, unknown>;
      assertEquals([discussion.phase, discussion.completedRevision], ["completed", "RV-0001"]);
      call("okstra-discussion", "replay");
      call("okstra-convergence", "replay");
      const shown = call("okstra-discussion", "show");
      for (
        const said of [
          "An empty cart has no first item",
          "May a cart be empty at all?",
          "an empty list",
        ]
      ) {
        assertStringIncludes(shown, said);
      }
      const { workers } = JSON.parse(call("okstra-team-state", "usage")) as {
        workers: { workerId: string; attempts: unknown[]; unknownAttempts: number }[];
      };
      assertEquals(
        workers.map(({ workerId, attempts, unknownAttempts }) =>
          `${workerId} ${attempts.length} ${unknownAttempts}`
        ),
        ["codex 3 0", "claude 5 0", "pi 4 0", "critic 1 0"],
      );
      const listed = /below .*:\n((?: {2}\..*\n)+)/.exec(stdout)![1]!.trim().split(/\n\s*/);
      const there = new Set(listTree(project));
      for (const path of listed) assert(there.has(path), path);
      assertEquals(listBelonging(scratch), []);
      assertEquals(listTree(scratch).filter((path) => !/^(project|tsx-\d+)\//.test(path)), []);
    }));

  it("ends the workers with it if it is ended", () =>
    withScratch(async (scratch) => {
      const child = spawn(DEMO, [join(scratch, "project")], {
        cwd: scratch,
        env: env(scratch),
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => said += text);
      const ended = new Promise((resolve) => child.on("close", resolve));
      await until(() => said.includes("STARTED pi initial"), "the workers start");
      process.kill(-child.pid!, "SIGTERM");
      assertEquals(await ended, 143);
      assertEquals(listBelonging(scratch), []);
    }));

  it("touches nothing in a directory that holds something", () =>
    withScratch((scratch) => {
      writeFiles(scratch, { "project/mine.txt": "mine\n" });
      const { status, stdout, stderr } = runProgram([DEMO, "project"], {
        cwd: scratch,
        env: env(scratch),
      });
      assertEquals([status, stdout], [2, ""]);
      assertMatch(stderr, /error: Cannot use "project": it is not empty\n.*hint: /);
      assertEquals(listTree(scratch), ["project/", "project/mine.txt"]);
    }));
});
