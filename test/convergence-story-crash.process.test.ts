// Ends every command of a convergence with SIGKILL between the temporary file and each of its renames.
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  denoWords,
  listTree,
  ROOT,
  runProgram,
  RUNTIME,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
} from "./support.ts";

const HOOK = join(ROOT, "test", "testdata", "kill-at-rename.cjs");

const finding = (title: string) =>
  `# Findings\n\n### F-001: ${title}\nCategory: c\nEvidence:\n- \`x:1\` — seen\nSummary: ${title}\n`;
const blocks = (ids: readonly string[], word: string) =>
  ids.map((id) => `### ${id}\nVerdict: ${word}\nBasis: overstated\nExplanation: looked\n`).join(
    "\n",
  );

const FILES = {
  "alpha.md": finding("one"),
  "beta.md": finding("two"),
  "alpha-r1.md": blocks(["F-002"], "REFUTED"),
  "beta-r1.md": blocks(["F-001"], "REFUTED"),
};

const collect = ["collect-results", "--mode", "adversarial"];
const outcome = ["--dispatch", "alpha=completed:5", "--dispatch", "beta=completed:6"];
const results = ["--result", "alpha=alpha-r1.md", "--result", "beta=beta-r1.md"];
/** The commands of a whole convergence, each with how many documents it writes. */
const STEPS: readonly (readonly [readonly string[], number])[] = [
  [["collect-findings", "--result", "alpha=alpha.md", "--result", "beta=beta.md"], 1],
  [["seed"], 1],
  [["plan-round"], 1],
  [["prompts", "--mode", "adversarial"], 3],
  [[...collect, ...outcome, ...results], 1],
  [["apply-round"], 1],
  // The work state with the reason, then the final state.
  [["finalize", "--round2-skipped-reason", "no time"], 2],
];

/** Starts a convergence tool with the hook. */
function runHooked(
  words: readonly string[],
  project: string,
  env: Readonly<Record<string, string>>,
): { status: number | null; stderr: string } {
  const command = RUNTIME === "node"
    ? ["node", "--require", HOOK, join(ROOT, "dist", "bin", "okstra-convergence")]
    : denoWords("convergence", ["--preload", HOOK]);
  return runProgram([...command, ...words], {
    cwd: project,
    env: { ...toolEnv("/nowhere"), ...env },
  });
}

/** Reads every file below a folder but locks; what killed writers left is `temporary`. */
function readTree(folder: string) {
  const names = listTree(folder).filter((name) => !name.endsWith("/") && !name.endsWith(".lock"));
  const isTemporary = (name: string) => /\/\.[^/]*\.tmp$/.test(`/${name}`);
  return {
    files: new Map(
      names.filter((name) => !isTemporary(name)).map((name) =>
        [name, readFileSync(join(folder, name), "utf8")] as const
      ),
    ),
    temporary: names.filter(isTemporary),
  };
}

describe("a convergence whose commands are killed", () => {
  it("keeps every document old or new, and goes on as if nothing had happened (P-3, V-004)", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project"), saved = join(scratch, "saved");
      mkdirSync(project);
      writeFiles(project, FILES);
      const prepared = runProgram([
        join(toolFolder(scratch), "okstra-manifest-io"),
        ...["prepare", "--task-key", "demo/review/src", "--task-type", "discussion"],
        ...["--brief", "alpha.md", "--backend", "cli-wrapper", "--provider-file", "providers.json"],
        ...["--worker", "alpha,provider=lint", "--worker", "beta,provider=lint"],
      ], { cwd: withProviders(project), env: toolEnv(toolFolder(scratch)) });
      assertEquals(prepared.status, 0, prepared.stderr);
      const run = { OKSTRA_RUN: JSON.parse(prepared.stdout).runManifestPath as string };
      for (const [words, writes] of STEPS) {
        const label = words[0]!, before = readTree(project).files;
        const restore = (from: string, to: string) => {
          rmSync(to, { recursive: true, force: true });
          cpSync(from, to, { recursive: true });
        };
        for (const name of readTree(project).temporary) rmSync(join(project, name));
        restore(project, saved);
        const count = join(scratch, "count");
        const whole = runHooked(words, project, { ...run, OKSTRA_TEST_COUNT: count });
        assertEquals([whole.status, whole.stderr], [0, ""], label);
        assertEquals(Number(readFileSync(count, "utf8")), writes, `${label} renames`);
        const after = readTree(project).files;
        for (let at = 1; at <= writes; at++) {
          restore(saved, project);
          const killed = runHooked(words, project, { ...run, OKSTRA_TEST_KILL_AT: String(at) });
          assert(killed.status !== 0, `${label} was not killed at rename ${at}`);
          const { files, temporary } = readTree(project);
          assertEquals(temporary.length, 1, `${label} leaves its temporary file`);
          let changed = 0;
          for (const [name, text] of files) {
            if (text === before.get(name)) continue;
            assertEquals(
              text,
              after.get(name),
              `${label}, killed at ${at}: ${name} is neither old nor new`,
            );
            changed++;
          }
          assertEquals(changed, at - 1, `${label}, killed at ${at}: documents written`);
          const again = runHooked(words, project, run);
          assertEquals([again.status, again.stderr], [0, ""], label);
          assertEquals(readTree(project).files, after, `${label} again`);
        }
      }
      assert(existsSync(run.OKSTRA_RUN));
    }));
});

function withProviders(project: string): string {
  const providers = { lint: { argv: ["sh", "-c", "true"] } };
  writeFiles(project, {
    "providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
  });
  return project;
}
