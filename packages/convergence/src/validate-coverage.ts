import { checkOutcomes, checkTexts, isObject, isText } from "./checks.ts";
import { listGapVoters } from "./gap-voters.ts";
import type { DocumentPath, Report } from "./checks.ts";
import type { CoverageFacts, JudgedWord } from "./validate-facts.ts";
import { COVERAGE_ROUND, GAP_ID } from "./vocabulary.ts";
import { show } from "./votes.ts";

/** Reads a coverage as far as it is well formed; `null` if there is none. */
export function readCoverage(value: unknown, workers: unknown): CoverageFacts | null {
  if (!isObject(value)) return null;
  const provider = isText(value["provider"]) ? value["provider"] : "";
  const rows = Array.isArray(value["dispatches"]) ? value["dispatches"].filter(isObject) : [];
  return {
    provider,
    voters: listGapVoters(workers, provider),
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
  gaps.forEach((gap: unknown, i) => checkGap(gap, [...path, "gaps", i], seen, words, report));
  for (const id of words?.keys() ?? []) {
    if (GAP_ID.test(id) && !seen.has(id)) {
      report([...path, "gaps"], `${id}: coverage does not name it`);
    }
  }
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
