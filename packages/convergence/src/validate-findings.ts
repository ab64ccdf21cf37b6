import { checkContent, checkTexts, isObject, isText } from "./checks.ts";
import type { DocumentPath, Report } from "./checks.ts";
import type { AskedByRound, CoverageFacts, JudgedWord } from "./validate-facts.ts";
import { checkJudgement } from "./validate-judgement.ts";
import { checkFindingRounds } from "./validate-votes.ts";
import { FINDING_ID, GAP_ID } from "./vocabulary.ts";

/** What the findings of a final state are checked against. */
export interface FindingContext {
  readonly roster: readonly string[];
  readonly rounds: AskedByRound;
  readonly coverage: CoverageFacts | null;
}

/**
 * Checks the findings of a final state and returns the classification that each one's votes give.
 *
 * `null` if some finding is so malformed that no statement about all of them is possible.
 */
export function checkFindings(
  value: unknown,
  context: FindingContext,
  report: Report,
): ReadonlyMap<string, JudgedWord> | null {
  if (!Array.isArray(value)) {
    report(["findings"], "findings is not an array");
    return null;
  }
  const words = new Map<string, JudgedWord>(), voted = new Map<string, Set<string>>();
  let isComplete = true;
  value.forEach((finding: unknown, i) => {
    const path = ["findings", i];
    const word = checkFinding(finding, path, { ...context, words, voted, report }, i + 1);
    if (word === null) isComplete = false;
  });
  checkAnswered(context.rounds, voted, words, report);
  return isComplete ? words : null;
}

interface FindingCheck extends FindingContext {
  readonly words: Map<string, JudgedWord>;
  /** Key of a round and finding → workers that voted. */
  readonly voted: Map<string, Set<string>>;
  readonly report: Report;
}

function checkFinding(
  finding: unknown,
  path: DocumentPath,
  check: FindingCheck,
  number: number,
): JudgedWord | null {
  const { report, words, roster, coverage } = check;
  if (!isObject(finding)) {
    report(path, `finding ${number} is not an object`);
    return null;
  }
  const id = finding["findingId"], who = isText(id) ? id : `finding ${number}`;
  const isGap = typeof id === "string" && GAP_ID.test(id);
  if (!isGap && !(typeof id === "string" && FINDING_ID.test(id))) {
    report([...path, "findingId"], `${who}: findingId is neither F- nor G- and three digits`);
    return null;
  }
  if (words.has(id)) {
    report([...path, "findingId"], `${who}: the id stands twice`);
    return null;
  }
  checkContent(finding, who, path, report);
  checkTexts(finding, ["originWorker"], who, path, report);
  const discoverers = checkDiscoverers(finding, who, path, isGap ? null : roster, report);
  const votes = checkFindingRounds(finding["rounds"], who, path, { ...check, isGap, discoverers });
  if (votes === null || discoverers === null) return null;
  if (isGap && coverage === null) {
    // Nobody knows then who could vote on the gap, so nothing follows from its votes.
    report(path, `${who}: a gap without coverage`);
    return null;
  }
  const voters = isGap ? coverage!.voters : roster;
  const word = checkJudgement(finding, who, path, { voters, isGap, discoverers, votes }, report);
  words.set(id, word);
  return word;
}

function checkDiscoverers(
  finding: Readonly<Record<string, unknown>>,
  who: string,
  path: DocumentPath,
  roster: readonly string[] | null,
  report: Report,
): ReadonlySet<string> | null {
  const value = finding["discoveredBy"], place = [...path, "discoveredBy"];
  if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) {
    report(place, `${who}: discoveredBy is not an array of at least one worker`);
    return null;
  }
  const names = new Set<string>(value);
  if (names.size < value.length) report(place, `${who}: discoveredBy names a worker twice`);
  const origin = finding["originWorker"];
  if (isText(origin) && !names.has(origin)) {
    report([...path, "originWorker"], `${who}: originWorker ${origin} is not in discoveredBy`);
  }
  for (const name of names) {
    if (roster === null || roster.includes(name)) continue;
    report(place, `${who}: ${name} is not in workers`);
  }
  return names;
}

function checkAnswered(
  rounds: AskedByRound,
  voted: ReadonlyMap<string, ReadonlySet<string>>,
  words: ReadonlyMap<string, JudgedWord>,
  report: Report,
): void {
  for (const [round, asked] of rounds) {
    for (const [worker, { status, findingIds, path }] of asked) {
      for (const id of findingIds) {
        const hasVote = voted.get(`${round} ${id}`)?.has(worker) ?? false;
        if (status === "completed" && !hasVote) {
          report(path, `${id}: ${worker} completed round ${round} without a vote`);
        } else if (!words.has(id) && status !== "completed") {
          report(
            path,
            `${id}: ${worker} was asked about it in round ${round}, but it is no finding`,
          );
        }
      }
    }
  }
}
