// A convergence by hand: results and answers are files, and every step is a call of the tool.
import type { Bench } from "./bench.ts";
import type { RunFiles } from "./run-files.ts";

const TOOL = "okstra-convergence";

/** Writes results of workers that report a finding at one place each, and collects them. */
export async function collectFindings(
  bench: Bench,
  places: Readonly<Record<string, string>>,
  // deno-lint-ignore no-explicit-any
): Promise<{ run: RunFiles; groups: any }> {
  const workers = Object.keys(places);
  const run = await bench.prepare(Object.fromEntries(workers.map((name) => [name, ["true"]])));
  for (const worker of workers) {
    bench.write({ [`${worker}.md`]: formatFinding(worker, places[worker]!) });
  }
  const results = workers.flatMap((worker) => ["--result", `${worker}=${worker}.md`]);
  const groups = await bench.ok([TOOL, "collect-findings", ...results]);
  return { run, groups };
}

/** Seeds a convergence with the findings of workers that report one each. */
export async function seedFindings(
  bench: Bench,
  places: Readonly<Record<string, string>>,
): Promise<RunFiles> {
  const { run } = await collectFindings(bench, places);
  await bench.ok([TOOL, "seed"]);
  return run;
}

/** Formats the result of a worker with one finding. */
export function formatFinding(worker: string, place: string): string {
  return `# Findings\n\n### F-001: of ${worker}\nCategory: fault\nEvidence:\n- \`${place}\` — it is so\n` +
    `Tickets: none\nSummary: ${worker} says so.\n`;
}

/** Plans a round, makes its prompts, and writes the answer of each worker about each finding that it is asked about. */
export async function askRound(
  bench: Bench,
  mode: string,
  answer: (worker: string, findingId: string) => string,
): Promise<string[]> {
  const { dispatches } = await bench.ok([TOOL, "plan-round"]);
  await bench.ok([TOOL, "prompts", "--mode", mode]);
  return (dispatches as { worker: string; findingIds: string[] }[]).flatMap((
    { worker, findingIds },
  ) => {
    const name = `${worker}-${mode}.md`;
    bench.write({ [name]: findingIds.map((id) => answer(worker, id)).join("\n") });
    return ["--dispatch", `${worker}=completed:1000`, "--result", `${worker}=${name}`];
  });
}

/** Formats a vote. */
export function formatVote(findingId: string, word: string, basis = "none"): string {
  return `### ${findingId}\nVerdict: ${word}\nBasis: ${basis}\nExplanation: I have looked.\n`;
}

/** Takes in the answers of a round. */
export async function applyRound(
  bench: Bench,
  mode: string,
  answers: readonly string[],
  more: readonly string[] = [],
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const collected = await bench.ok([TOOL, "collect-results", "--mode", mode, ...answers, ...more]);
  await bench.ok([TOOL, "apply-round"]);
  return collected;
}
