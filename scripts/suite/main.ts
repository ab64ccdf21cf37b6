// scripts/test [--tests-only] [--root DIR] [PART-OF-A-FILE-NAME…]: runs everything, or the named test files alone.
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { denoPath } from "../tools/deno-path.mjs";
import { parseWords } from "../tools/parse-words.mjs";
import { type Job, type Setting, staticJobs, testJobs } from "./jobs.ts";
import { countResults, formatCounts, type Result } from "./results.ts";
import { makeTestFolder } from "./test-folder.ts";

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const words = parseWords("test", {
  allowPositionals: true,
  options: {
    "tests-only": { type: "boolean", default: false },
    root: { type: "string", default: repository },
  },
});

/** Variables that belong to the caller's session: a run it works on, a pane it sits in, its ways with Node.js and colour. */
const FOREIGN =
  /^(OKSTRA_.*|CMUX_.*|TMUX|TMUX_PANE|NODE_TEST_.*|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SOURCE_DATE_EPOCH|FORCE_COLOR)$/;

/** The environment of the tests: nothing of the caller's session may decide their outcome, and nothing of theirs stay. */
function cleanEnvironment(scratch: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !FOREIGN.test(name)) env[name] = value;
  }
  const denoDir = env.DENO_DIR ?? `${repository}/node_modules/.cache/deno`;
  return {
    ...env,
    TMPDIR: scratch,
    DENO_DIR: denoDir,
    DENO_NO_PACKAGE_JSON: "1",
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
}

/** Runs jobs, so many at a time, and tells of each when it is done; results keep the order of the jobs. */
async function runJobs(jobs: readonly Job[], workers: number): Promise<Result[]> {
  const results: Result[][] = jobs.map(() => []);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < jobs.length) {
      const index = next++;
      const job = jobs[index]!;
      const start = Date.now();
      try {
        results[index] = await job.run();
      } catch (error) {
        results[index] = [{
          name: job.label,
          status: "failed",
          text: (error as Error).stack ?? String(error),
        }];
      }
      const counts = countResults(results[index]!);
      const seconds = ((Date.now() - start) / 1000).toFixed(1);
      console.log(
        `${counts.failed === 0 ? "ok    " : "FAILED"} ${job.label}: ${
          formatCounts(counts)
        } (${seconds} s)`,
      );
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return results.flat();
}

if (words !== null) await main(words);

/** Runs what the words name, and tells what failed. */
async function main({ values, positionals }: NonNullable<typeof words>): Promise<void> {
  const scratch = makeTestFolder("okstra-test-");
  const setting: Setting = {
    repository,
    root: values.root,
    denoPath: denoPath(),
    scratch,
    env: cleanEnvironment(scratch),
  };
  const testsOnly = values["tests-only"] || positionals.length > 0;
  const jobs = [...(testsOnly ? [] : staticJobs(setting)), ...testJobs(setting, positionals)];
  // One more than there are processors: tests that start programs wait for most of their time.
  const results = await runJobs(jobs, Math.max(3, Math.min(5, availableParallelism() + 1)));

  for (const result of results.filter((result) => result.status === "failed")) {
    console.log(`\nFAILED: ${result.name}\n${result.text.trimEnd().replace(/^/gm, "  ")}`);
  }
  for (const result of results.filter((result) => result.status === "skipped")) {
    console.log(`skipped: ${result.name}`);
  }
  const counts = countResults(results);
  if (results.length === 0) console.log("FAILED: no test file has such a name");
  console.log(`\n${formatCounts(counts)}`);
  process.exitCode = counts.failed === 0 && results.length > 0 ? 0 : 1;
}
