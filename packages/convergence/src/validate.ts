import type { Issue } from "@okstra/manifest-io/errors";
import { chooseFinalState } from "./classify.ts";
import { checkAbsentWorkers, checkRoster, collectIssues, isObject, isText } from "./checks.ts";
import type { Report } from "./checks.ts";
import { checkCoverage, readCoverage } from "./validate-coverage.ts";
import type { JudgedWord } from "./validate-facts.ts";
import { checkFindings } from "./validate-findings.ts";
import { checkOrigin } from "./validate-origin.ts";
import { checkRounds } from "./validate-rounds.ts";
import { CLASSIFICATIONS, FINAL_STATES, SCHEMA_VERSION } from "./vocabulary.ts";
import { show } from "./votes.ts";

const FIELDS = [
  "schemaVersion",
  "taskKey",
  "finalState",
  "round2SkippedReason",
  "workers",
  "absentWorkers",
  "groupsDigest",
  "workStateDigest",
  "rounds",
  "findings",
  "coverage",
  "counts",
];

/**
 * Returns everything that is wrong with a convergence's final state, one text each; empty if it is valid.
 *
 * Takes any value and never throws, so that a caller needs no other check.
 */
export function validateState(state: unknown): string[] {
  return checkFinalState(state).map(({ message }) => message);
}

/** Returns the same problems as {@linkcode validateState}, each with its place. */
export function checkFinalState(state: unknown): readonly Issue[] {
  const { issues, report } = collectIssues();
  if (!isObject(state)) report([], "the final state is not an object");
  else {
    checkRules(state, report);
    // Last, and only for what no rule objects to, so that one wrong word is reported once.
    if (issues.length === 0) checkOrigin(state, report);
  }
  return issues;
}

/** Returns every rule that a final state breaks, whatever it was made from. */
export function checkStateRules(state: Readonly<Record<string, unknown>>): readonly Issue[] {
  const { issues, report } = collectIssues();
  checkRules(state, report);
  return issues;
}

function checkRules(state: Readonly<Record<string, unknown>>, report: Report): void {
  if (state["schemaVersion"] !== SCHEMA_VERSION) {
    const found = show(state["schemaVersion"]);
    report(["schemaVersion"], `schemaVersion is ${found}, not "${SCHEMA_VERSION}"`);
  }
  if (!isText(state["taskKey"])) report(["taskKey"], "taskKey is missing or blank");
  const unknown = Object.keys(state).filter((name) => !FIELDS.includes(name));
  for (const name of unknown) report([name], `the field ${show(name)} is not known`);
  const roster = checkRoster(state["workers"], report);
  const known = new Set(roster);
  checkAbsentWorkers(state["absentWorkers"], (name) => known.has(name) ? name : null, report);
  const rounds = checkRounds(state["rounds"], roster, report);
  checkSkipReason(state, rounds.has(2), report);
  const coverage = readCoverage(state["coverage"], state["workers"]);
  const words = checkFindings(state["findings"], { roster, rounds, coverage }, report);
  checkCoverage(state["coverage"], coverage, words, report);
  checkVerdict(state, words, coverage?.hasRefusedGap ?? false, report);
}

function checkSkipReason(
  state: Readonly<Record<string, unknown>>,
  hasSecondRound: boolean,
  report: Report,
): void {
  const path = ["round2SkippedReason"], reason = state["round2SkippedReason"];
  if (!Object.hasOwn(state, "round2SkippedReason")) {
    return report(path, "the key round2SkippedReason is missing");
  }
  if (reason !== null && !isText(reason)) {
    return report(path, "round2SkippedReason is neither null nor a text that is not blank");
  }
  if (hasSecondRound && reason !== null) {
    report(path, "round2SkippedReason must be null, since round 2 was applied");
  } else if (!hasSecondRound && reason === null) {
    report(path, "round2SkippedReason must say why there is no round 2");
  }
}

// Judged by the classifications that the votes give, so that one wrong word is reported once.
function checkVerdict(
  state: Readonly<Record<string, unknown>>,
  words: ReadonlyMap<string, JudgedWord> | null,
  hasRefusedGap: boolean,
  report: Report,
): void {
  const found = state["finalState"], counts = state["counts"];
  const isKnown = (FINAL_STATES as readonly unknown[]).includes(found);
  if (!isKnown) {
    report(["finalState"], `finalState ${show(found)} is not one of ${FINAL_STATES.join(", ")}`);
  }
  const isCounts = isObject(counts);
  if (!isCounts) report(["counts"], "counts is not an object");
  if (words === null) return;
  const classifications = [...words.values()].map(({ classification }) => classification);
  const hasVotes = hasRefusedGap || [...words.values()].some((word) => word.hasVotes);
  const right = chooseFinalState({ classifications, hasVotes });
  if (isKnown && found !== right) {
    report(["finalState"], `finalState is ${show(found)}, but the findings make it "${right}"`);
  }
  if (!isCounts) return;
  for (const word of new Set([...CLASSIFICATIONS, ...Object.keys(counts)])) {
    const expected = classifications.filter((other) => other === word).length;
    const counted = Object.hasOwn(counts, word) ? counts[word] : 0;
    if (counted === expected) continue;
    report(["counts", word], `counts.${word} is ${show(counted)}, but there are ${expected}`);
  }
}
