import { compareText } from "@okstra/manifest-io/json-text";
import { classifyFinding, classifyGap, type Tally, tallyVotes } from "./classify.ts";
import { isObject, isText } from "./checks.ts";
import type { DocumentPath, Report } from "./checks.ts";
import type { CheckedRound, JudgedWord } from "./validate-facts.ts";
import { CLASSIFICATIONS } from "./vocabulary.ts";
import { show } from "./votes.ts";

/** What a finding's classification follows from. */
export interface Judgement {
  readonly voters: readonly string[];
  readonly isGap: boolean;
  readonly discoverers: ReadonlySet<string>;
  readonly votes: readonly CheckedRound[];
}

/** Checks that a finding's classification and tally are those that its votes give, and returns the right one. */
export function checkJudgement(
  finding: Readonly<Record<string, unknown>>,
  who: string,
  path: DocumentPath,
  { voters, isGap, discoverers, votes }: Judgement,
  report: Report,
): JudgedWord {
  const right = tallyVotes(voters, isGap ? new Set() : discoverers, votes);
  const classification = isGap ? classifyGap(right) : classifyFinding(right);
  const found = finding["classification"];
  if (!(CLASSIFICATIONS as readonly unknown[]).includes(found)) {
    const known = CLASSIFICATIONS.join(", ");
    const message = `${who}: classification ${
      show(found)
    } is not one of ${known}; it is "${classification}"`;
    report([...path, "classification"], message);
  } else if (found !== classification) {
    const message = `${who}: classification is ${
      show(found)
    }, but its votes make it "${classification}"`;
    report([...path, "classification"], message);
  }
  if (isGap && classification === "refuted") {
    report(path, `${who}: a refuted gap is not admitted as a finding`);
  }
  checkTally(finding["tally"], right, who, [...path, "tally"], report);
  const hasVotes = votes.some((round) => Object.keys(round.votes).length > 0);
  return { classification, hasVotes };
}

/** Checks that a tally is the one that votes give, in whatever order its lists are. */
export function checkTally(
  value: unknown,
  right: Tally,
  who: string,
  path: DocumentPath,
  report: Report,
): void {
  if (!isObject(value)) return report(path, `${who}: tally is not an object`);
  for (const name of ["support", "oppose", "silent"] as const) {
    const list = value[name];
    const isSame = Array.isArray(list) && list.length === right[name].length &&
      list.every(isText) &&
      [...list].sort(compareText).every((worker, i) => worker === right[name][i]);
    if (isSame) continue;
    const message = `${who}: tally.${name} is ${show(list)}, but its votes give ${
      show(right[name])
    }`;
    report([...path, name], message);
  }
}
