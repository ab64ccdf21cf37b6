// The two stories of a discussion as one script; the tests beside this file look at what it left.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runProgram, toolEnv, toolFolder, withScratch, writeFiles } from "./support.ts";

const TESTDATA = join(ROOT, "test", "testdata");
const WORKERS = ["alpha", "beta", "gamma"];

/** What a story left. */
export interface Story {
  readonly status: number | null;
  readonly stderr: string;
  /** Returns what a step wrote. */
  text(name: string): string;
  /** Returns the answer of a step. */
  // deno-lint-ignore no-explicit-any
  answer(step: string): any;
  /** Returns a document of the n-th run, from 1. */
  // deno-lint-ignore no-explicit-any
  ofRun(run: number, name: string): any;
}

/** Tells a story in a scratch directory and lets a test look at it. */
export function tellStory(
  host: "cli" | "native",
  env: Readonly<Record<string, string>>,
  look: (story: Story) => void,
): Promise<void> {
  return withScratch((scratch) => {
    const project = join(scratch, "project"), out = join(scratch, "out");
    mkdirSync(out);
    const providers = Object.fromEntries(
      WORKERS.map((name) => [name, { argv: ["discussion-worker.mjs", name] }]),
    );
    writeFiles(project, {
      "brief.md": "Look at the reader.\n",
      "providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
      "src/reader.txt": "one\ntwo\nthree\nfour\n",
    });
    const path = `${TESTDATA}:${toolFolder(scratch)}`;
    const { status, stderr } = runProgram(
      ["sh", join(TESTDATA, "discussion-story.sh"), host, out],
      { cwd: project, env: toolEnv(path, env) },
    );
    const read = (file: string) => readFileSync(file, "utf8");
    const state = join(project, ".okstra/tasks/demo/review/reader/runs/discussion");
    look({
      status,
      stderr,
      text: (name) => read(join(out, name)),
      answer: (step) => JSON.parse(read(join(out, `${step}.json`))),
      ofRun: (run, name) => JSON.parse(read(join(state, `${name}-discussion-00${run}.json`))),
    });
  });
}

/** The kinds of records that either story comes to, in their order. */
export const STORY_KINDS: readonly string[] = [
  ...["subject", "material", "cycle", "result", "failure", "recovery"],
  ...["cycle", "result", "result", "question", "claim", "claim", "close"],
  ...["question", "answer", "answer"],
  ...["cycle", "result", "result", "claim", "close", "decision", "revision"],
  ...["reopen", "decision", "revision"],
];
