// The project that the story of the command reference is told in.
import { join } from "node:path";
import { type Finished, ROOT, runProgram, writeFiles } from "./support.ts";

const TESTDATA = join(ROOT, "test", "testdata");

/** The time at which the story takes place, as `SOURCE_DATE_EPOCH` has it. */
export const STORY_EPOCH = "1767225600";

/** Writes a brief, providers, and sources with faults. */
export function writeStoryProject(project: string): void {
  const entry = (name: string) => ({ argv: [join(TESTDATA, "script-worker.mjs"), name] });
  writeFiles(project, {
    "brief.md": "Review the texts.\n",
    "providers.json": JSON.stringify({
      schemaVersion: "1.0",
      providers: { "lint-a": entry("alpha"), "lint-b": entry("beta") },
    }),
    "src/a.txt": "fine\nBUG one\nfine\n",
    "src/b.txt": "odd\nfine\nBUG two\n",
  });
}

/** Tells the story in a project, with the tools that the environment's PATH names. */
export function runStory(project: string, env: Record<string, string>): Finished {
  return runProgram(["sh", join(TESTDATA, "story.sh")], { cwd: project, env });
}
