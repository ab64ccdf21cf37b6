import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { formatPointer } from "@okstra/manifest-io/json-pointer";
import { validateShape } from "@okstra/manifest-io/document-kind";
import {
  type ConvergencePlan,
  convergencePlan,
} from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyGaps } from "./apply-gaps.ts";
import { applyRound } from "./apply-round.ts";
import { digestState } from "./digests.ts";
import { finalizeWork, skipSecondRound } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { ANSWERS, stageOf } from "./stage.ts";
import { show } from "./votes.ts";

/** What a convergence comes to if it is gone through again; `state` is null if it is not finished. */
export interface Replayed {
  readonly work: ConvergenceWork;
  readonly state: ConvergenceState | null;
}

/**
 * Goes through a convergence again, from its groups and the inputs that were applied.
 *
 * @param recorded what was recorded: the digests of the inputs, and the lead's reason for skipping round 2
 * @param findInput returns the input with a digest, or `undefined`
 * @throws {OkstraError} `no-input` if an input is not there, or as the steps themselves
 */
export function replayConvergence(
  recorded: ConvergenceWork,
  findInput: (digest: string) => unknown,
): Replayed {
  const require = (digest: string, what: string): unknown => {
    const input = findInput(digest);
    if (input !== undefined) return input;
    throw new OkstraError("no-input", `Cannot replay: no file holds ${what} (${digest})`, {
      hint: "name it with --input FILE",
    });
  };
  const roster = new Set(recorded.workers.map(({ worker }) => worker));
  let work = seedWorkState(require(recorded.groupsDigest, "the groups"), roster);
  for (const { round, planDigest, resultsDigest } of recorded.rounds) {
    const planned = planRound(work);
    // Only a plan that was cut by hand has to be kept.
    const plan = digestState(planned) === planDigest
      ? planned
      : requirePlan(require(planDigest, `the plan of round ${round}`), round);
    work = applyRound(work, plan, require(resultsDigest, `the results of round ${round}`)).work;
  }
  const { coverage, round2SkippedReason: reason } = recorded;
  if (coverage !== null) {
    work = applyGaps(work, require(coverage.batchDigest, "the coverage batch"), reason).work;
  } else if (reason !== null) work = skipSecondRound(work, "finalize", reason);
  const isFinished = ANSWERS[stageOf(work)].finalize === "go";
  return { work, state: isFinished ? finalizeWork(work) : null };
}

function requirePlan(value: unknown, round: number): ConvergencePlan {
  const issues = validateShape(convergencePlan, value);
  if (issues.length === 0) return value as ConvergencePlan;
  throw new OkstraError("bad-plan", `Cannot replay: the plan of round ${round} is damaged`, {
    issues,
    hint: "name a copy of it that is not with --input FILE",
  });
}

const MAX_DIFFERENCES = 20;

/**
 * Lists where a recorded document differs from the one that a replay gives; at most 20 places.
 *
 * @param what names the document in messages
 */
export function listDifferences(what: string, recorded: unknown, replayed: unknown): Issue[] {
  const issues: Issue[] = [];
  const compare = (a: unknown, b: unknown, path: readonly (string | number)[]): void => {
    if (a === b || issues.length >= MAX_DIFFERENCES) return;
    const keys = commonKeys(a, b);
    if (keys !== null) {
      for (const key of keys) compare(fieldOf(a, key), fieldOf(b, key), [...path, key]);
    } else {
      const message = `${what} has ${show(a)}, the inputs give ${show(b)}`;
      issues.push({ pointer: formatPointer(path), message, expected: show(b), received: show(a) });
    }
  };
  compare(recorded, replayed, []);
  return issues;
}

function commonKeys(a: unknown, b: unknown): readonly string[] | null {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return null;
  if (Array.isArray(a) !== Array.isArray(b)) return null;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function fieldOf(value: unknown, key: string): unknown {
  return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : undefined;
}
