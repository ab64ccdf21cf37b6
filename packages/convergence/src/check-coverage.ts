import { isSameTask } from "@okstra/manifest-io/task-key";
import { bareWorkerId } from "@okstra/manifest-io/identity";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import {
  checkContent,
  type CheckedOutcome,
  checkOutcomes,
  checkTexts,
  collectIssues,
  isObject,
  isText,
} from "./checks.ts";
import type { DocumentPath, Report } from "./checks.ts";
import { listGapVoters } from "./gap-voters.ts";
import { resolveWorker } from "./names.ts";
import { COVERAGE_ROUND, GAP_ID, INVALID_STATUS, SCHEMA_VERSION } from "./vocabulary.ts";
import { checkVote, show } from "./votes.ts";

/**
 * Refuses the critic's own document, which carries no votes.
 *
 * @throws {OkstraError} `critic-results`
 */
export function refuseCriticResults(value: unknown): void {
  if (!isObject(value)) return;
  if (Object.hasOwn(value, "mode") && !Object.hasOwn(value, "candidates")) return;
  throw new OkstraError(
    "critic-results",
    "Cannot apply a critic's own results: nobody has voted on them",
    {
      hint:
        "build a coverage batch: the critic's candidates together with the votes of the analysers; " +
        "okstra-convergence prompts --mode coverage has them vote, then " +
        "okstra-convergence status tells which step is next, and " +
        "okstra-convergence example --kind coverage-batch shows such a batch",
    },
  );
}

/** Lists everything that is wrong with a coverage batch; empty if the work state can take it. */
export function checkCoverageBatch(work: ConvergenceWork, value: unknown): readonly Issue[] {
  const { issues, report } = collectIssues();
  if (!isObject(value)) {
    report([], "the document is not an object");
    return issues;
  }
  for (
    const [name, right] of [["schemaVersion", SCHEMA_VERSION], ["mode", COVERAGE_ROUND]] as const
  ) {
    if (value[name] !== right) report([name], `${name} is ${show(value[name])}, not "${right}"`);
  }
  const taskKey = value["taskKey"];
  if (!isText(taskKey) || !isSameTask(taskKey, work.taskKey)) {
    report(["taskKey"], `the batch is of task ${show(taskKey)}, the work state of ${work.taskKey}`);
  }
  checkTexts(value, ["provider", "modelExecutionValue"], "batch", [], report);
  const check = makeChecker(work, String(value["provider"] ?? ""), report);
  const path = ["dispatches"];
  const outcomes = checkOutcomes(value["dispatches"], path, check, report);
  const gaps = value["gaps"];
  if (!Array.isArray(gaps)) {
    report(["gaps"], "gaps is not an array");
    return issues;
  }
  const asked = new Map(outcomes.map((row) => [row.worker, row])), seen = new Set<string>();
  for (const { findingId } of work.findings) seen.add(findingId);
  gaps.forEach((gap: unknown, i) => checkGap(gap, ["gaps", i], { ...check, asked, seen, report }));
  return issues;
}

interface Checker {
  readonly resolve: (name: string) => string | null;
  readonly stranger: string;
}

// A provider does not judge its own gaps, so its workers are no voters.
function makeChecker(work: ConvergenceWork, provider: string, report: Report): Checker {
  const roster = new Set(work.workers.map(({ worker }) => worker));
  const voters = new Set(listGapVoters(work.workers, provider)), told = new Set<string>();
  const resolve = (name: string): string | null => {
    const worker = resolveWorker(roster, name);
    const isOwn = worker === null ? bareWorkerId(name) === provider : !voters.has(worker);
    if (isOwn && !told.has(name)) {
      told.add(name);
      report(
        [],
        `${name}: it is of the critic's own provider ${provider}, which does not judge its gaps`,
      );
    }
    return worker !== null && voters.has(worker) ? worker : null;
  };
  return { resolve, stranger: "may not vote on these gaps" };
}

interface GapContext extends Checker {
  readonly asked: ReadonlyMap<string, CheckedOutcome>;
  /** Ids that are taken. */
  readonly seen: Set<string>;
  readonly report: Report;
}

function checkGap(gap: unknown, path: DocumentPath, context: GapContext): void {
  const { seen, asked, report } = context;
  if (!isObject(gap)) return report(path, `gap ${Number(path.at(-1)) + 1} is not an object`);
  const id = gap["gapId"], who = isText(id) ? id : `gap ${Number(path.at(-1)) + 1}`;
  if (typeof id !== "string" || !GAP_ID.test(id)) {
    report([...path, "gapId"], `${who}: gapId is not G- and at least three digits`);
  } else if (seen.has(id)) report([...path, "gapId"], `${who}: the id is taken`);
  else seen.add(id);
  checkContent(gap, who, path, report);
  const votes = gap["votes"];
  if (!isObject(votes)) return report([...path, "votes"], `${who}: votes is not an object`);
  const voted = new Set<string>();
  for (const name of Object.keys(votes)) {
    const place = [...path, "votes", name], worker = context.resolve(name);
    const outcome = worker === null ? undefined : asked.get(worker);
    if (worker === null || outcome === undefined) {
      report(place, `${who}, ${name}: dispatches does not name it`);
    } else if (voted.has(worker)) report(place, `${who}, ${name}: the worker votes twice`);
    else if (outcome.status === INVALID_STATUS) {
      report(place, `${who}, ${name}: its answer was invalid, so it has no vote`);
    }
    if (worker !== null) voted.add(worker);
    for (const { message } of checkVote(votes[name])) report(place, `${who}, ${name}: ${message}`);
  }
  for (const { worker, status } of asked.values()) {
    if (status === "completed" && !voted.has(worker)) {
      report([...path, "votes"], `${who}, ${worker}: it completed without a vote`);
    }
  }
}
