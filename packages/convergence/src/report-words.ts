import { count } from "./count.ts";
import type { Figure } from "./agreement-figures.ts";
import type { Report, ReportOutcome, ReportRound, ReportVote } from "./report.ts";
import { type Classification, type FinalState, SKIP_REASONS } from "./vocabulary.ts";

/** What each classification says of a finding. */
export const CLASS_MEANINGS: Readonly<Record<Classification, string>> = {
  "full-consensus": "Everybody who may judge it supports it",
  "partial-consensus": "It is supported, nobody opposes it, and somebody said nothing that decides",
  "contested": "Some support it, some oppose it",
  "worker-unique": "Nobody opposes it, and nobody but who reported it supports it",
  "refuted": "Somebody opposes it, and those who reported it gave it up",
  "withdrawn": "Nobody supports it any more, and nobody opposes it",
};

const FINAL_MEANINGS: Readonly<Record<FinalState, string>> = {
  "no-findings": "nobody reported anything",
  "unverified": "nobody voted on what was reported",
  "contested": "at least one finding is contested",
  "converged": "no finding is contested",
};

const SKIP_MEANINGS: Readonly<Record<string, string>> = {
  [SKIP_REASONS.noFindings]: "there are no findings",
  [SKIP_REASONS.singleWorker]: "there is one worker, which reported all findings",
  [SKIP_REASONS.unanimous]: "every worker reported every finding",
  [SKIP_REASONS.noneContested]: "no finding is contested",
  [SKIP_REASONS.noVotes]: "round 1 brought no vote",
};

/** Tells how a convergence ended, in one sentence without its end mark. */
export function tellResult({ finalState }: Pick<Report, "finalState">): string {
  if (finalState === null) return "not finished";
  const meaning = FINAL_MEANINGS[finalState as FinalState];
  return meaning === undefined ? finalState : `${finalState}, ${meaning}`;
}

/** Tells why a round was skipped: a sentence of ours, or the lead's own words. */
export function tellSkipReason(reason: string): string {
  const meaning = Object.hasOwn(SKIP_MEANINGS, reason) ? SKIP_MEANINGS[reason] : undefined;
  return meaning === undefined ? reason : `${meaning} (${reason})`;
}

/** Names a round. */
export function tellRound(round: ReportRound): string {
  return typeof round === "number" ? `round ${round}` : round;
}

/** Tells a vote without its explanation; a vote that was not given is absent, never a side. */
export function tellVote({ verdict, disagreeBasis, status }: ReportVote): string {
  if (verdict === null) return `absent (${status})`;
  return disagreeBasis === null ? verdict : `${verdict} (${disagreeBasis})`;
}

/** Tells what became of a worker in a round. */
export function tellOutcome({ status, asked, voted, durationMs }: ReportOutcome): string {
  return `${status}, ${voted} of ${count(asked, "vote")}, ${(durationMs / 1000).toFixed(1)} s`;
}

/** Tells who stands where, in numbers. */
export function tellTally(
  { tally }: { readonly tally: Report["findings"][number]["tally"] },
): string {
  return `${tally.support.length} for, ${tally.oppose.length} against, ${tally.silent.length} silent`;
}

/** Tells how many votes the figures rest on, and how many are absent. */
export function tellBasis({ votes, agreement }: Report): string {
  const { items, pairableItems, providerFamilies } = agreement;
  return `${votes.asked - votes.absent} of ${
    count(votes.asked, "vote")
  } asked for were cast, ${votes.absent} ` +
    `absent; ${count(items, "finding")} with votes, ${pairableItems} of them with two or more; ` +
    `${count(providerFamilies, "provider")} among the voters`;
}

/** Lists the figures of agreement, each with its name and its value or why it has none. */
export function tellFigures({ agreement }: Report): readonly (readonly [string, string])[] {
  const tell = ({ value, reason }: Figure) => value === null ? `none: ${reason}` : String(value);
  const { value: share, reason } = agreement.percentAgreement;
  return [
    [
      "Percent agreement",
      share === null ? `none: ${reason}` : `${Number((100 * share).toFixed(2))} %`,
    ],
    ["Krippendorff's alpha (nominal)", tell(agreement.krippendorffAlpha)],
    ["Gwet's AC1", tell(agreement.gwetAc1)],
  ];
}

/** Cuts a text after so many characters, and shows that it did. */
export function shorten(text: string, length: number): string {
  const points = [...text.slice(0, 4 * length)];
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : text;
}
