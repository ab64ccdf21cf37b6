import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import { classifyGap, tallyVotes } from "./classify.ts";
import { checkTally } from "./validate-judgement.ts";
import { checkOutcomes, checkTexts, isObject, isText } from "./checks.ts";
import { listGapVoters } from "./gap-voters.ts";
import type { DocumentPath, Report } from "./checks.ts";
import type { CoverageFacts, JudgedWord } from "./validate-facts.ts";
import { COVERAGE_ROUND, GAP_ID } from "./vocabulary.ts";
import { checkVote, show } from "./votes.ts";

/** Reads a coverage as far as it is well formed; `null` if there is none. */
export function readCoverage(value: unknown, workers: unknown): CoverageFacts | null {
  if (!isObject(value)) return null;
  const provider = isText(value["provider"]) ? value["provider"] : "";
  const rows = Array.isArray(value["dispatches"]) ? value["dispatches"].filter(isObject) : [];
  const gaps = Array.isArray(value["gaps"]) ? value["gaps"].filter(isObject) : [];
  return {
    provider,
    voters: listGapVoters(workers, provider),
    hasRefusedGap: gaps.some(({ admitted }) => admitted === false),
    asked: new Set(rows.map((row) => row["worker"]).filter(isText)),
  };
}

/** Checks a final state's coverage against its findings. */
export function checkCoverage(
  value: unknown,
  facts: CoverageFacts | null,
  words: ReadonlyMap<string, JudgedWord> | null,
  report: Report,
): void {
  if (value === null) return;
  if (!isObject(value) || facts === null) {
    return report([COVERAGE_ROUND], "coverage is neither null nor an object");
  }
  const path = [COVERAGE_ROUND];
  if (value["mode"] !== COVERAGE_ROUND) {
    report([...path, "mode"], `mode of coverage is ${show(value["mode"])}, not "coverage"`);
  }
  checkTexts(value, ["provider", "modelExecutionValue"], "coverage", path, report);
  const voters = new Set(facts.voters);
  const resolve = (name: string) => voters.has(name) ? name : null;
  const stranger = "may not vote on the gaps";
  checkOutcomes(value["dispatches"], [...path, "dispatches"], { resolve, stranger }, report);
  const gaps = value["gaps"];
  if (!Array.isArray(gaps)) return report([...path, "gaps"], "gaps of coverage is not an array");
  const seen = new Set<string>();
  gaps.forEach((gap: unknown, i) => {
    const place = [...path, "gaps", i];
    checkGap(gap, place, seen, words, report);
    if (isObject(gap) && gap["admitted"] === false) checkRefused(gap, place, facts, report);
  });
  for (const id of words?.keys() ?? []) {
    if (GAP_ID.test(id) && !seen.has(id)) {
      report([...path, "gaps"], `${id}: coverage does not name it`);
    }
  }
}

// A gap that was not admitted is no finding, so that its votes are judged here, where they are kept.
function checkRefused(
  gap: Readonly<Record<string, unknown>>,
  path: DocumentPath,
  { voters, asked }: CoverageFacts,
  report: Report,
): void {
  const votes = gap["votes"], id = String(gap["gapId"]);
  if (votes === undefined) return;
  if (!isObject(votes)) return report([...path, "votes"], `${id}: votes is not an object`);
  const problems = Object.keys(votes).flatMap((worker) => {
    const isAsked = voters.includes(worker) && asked.has(worker);
    const faults = checkVote(votes[worker]).map(({ message }) => message);
    return [...(isAsked ? [] : ["it was not asked"]), ...faults].map((fault) =>
      `${id}: vote of ${worker}: ${fault}`
    );
  });
  for (const message of problems) report([...path, "votes"], message);
  if (problems.length > 0) return;
  const right = tallyVotes(voters, new Set(), [{ votes: votes as Record<string, Vote> }]);
  if (classifyGap(right) !== "refuted") {
    report([...path, "votes"], `${id}: its votes do not refute it, but it was not admitted`);
  }
  checkTally(gap["tally"], right, id, [...path, "tally"], report);
}

function checkGap(
  gap: unknown,
  path: DocumentPath,
  seen: Set<string>,
  words: ReadonlyMap<string, JudgedWord> | null,
  report: Report,
): void {
  const id = isObject(gap) ? gap["gapId"] : undefined;
  if (!isObject(gap) || typeof id !== "string" || !GAP_ID.test(id)) {
    return report(path, "a gap of coverage is not an object with a gapId");
  }
  if (seen.has(id)) return report([...path, "gapId"], `${id}: coverage names the gap twice`);
  seen.add(id);
  if (words === null) return;
  const word = words.get(id), admitted = gap["admitted"];
  if (admitted !== (word !== undefined)) {
    const state = word === undefined ? "it is no finding" : "it is a finding";
    report([...path, "admitted"], `${id}: admitted is ${show(admitted)}, but ${state}`);
  }
  const right = word?.classification ?? "refuted";
  if (gap["classification"] === right) return;
  const found = show(gap["classification"]);
  report([...path, "classification"], `${id}: coverage calls it ${found}, it is "${right}"`);
}
