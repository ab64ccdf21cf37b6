import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import { classifyFinding, tallyVotes } from "./classify.ts";
import { isObject } from "./checks.ts";
import type { DocumentPath, Report } from "./checks.ts";
import type { AskedByRound, CheckedRound, CoverageFacts } from "./validate-facts.ts";
import { COVERAGE_ROUND } from "./vocabulary.ts";
import { checkVote, show } from "./votes.ts";

/** What the votes of one finding are checked against. */
export interface VoteContext {
  readonly roster: readonly string[];
  readonly rounds: AskedByRound;
  readonly coverage: CoverageFacts | null;
  readonly isGap: boolean;
  readonly discoverers: ReadonlySet<string> | null;
  readonly voted: Map<string, Set<string>>;
  readonly report: Report;
}

/**
 * Checks the rounds of one finding and returns them; `null` if a vote is so malformed that nothing follows from it.
 */
export function checkFindingRounds(
  value: unknown,
  who: string,
  path: DocumentPath,
  context: VoteContext,
): readonly CheckedRound[] | null {
  const { isGap, report } = context;
  if (!Array.isArray(value)) {
    report([...path, "rounds"], `${who}: rounds is not an array`);
    return null;
  }
  if (isGap && value.length !== 1) {
    report([...path, "rounds"], `${who}: a gap has exactly one row of votes`);
  }
  const checked: CheckedRound[] = [];
  let isSound = true, last = 0;
  value.forEach((row: unknown, i) => {
    const place = [...path, "rounds", i];
    if (!isObject(row) || !isObject(row["votes"])) {
      report(place, `${who}: a row of rounds is not an object with votes`);
      isSound = false;
      return;
    }
    const { round } = row;
    const isRight = isGap ? round === COVERAGE_ROUND : context.rounds.has(round as number);
    if (!isRight) {
      report([...place, "round"], `${who}: there is no round ${show(round)} for it`);
      isSound = false;
      return;
    }
    if (!isGap && (round as number) <= last) {
      report([...place, "round"], `${who}: its rounds do not ascend at round ${round}`);
      isSound = false;
      return;
    }
    if (!isGap) last = round as number;
    if (!checkVotes(row["votes"], round as number, who, place, context)) isSound = false;
    else if (round === 2) checkWasContested(who, place, checked, context);
    checked.push({ round: round as number, votes: row["votes"] as Record<string, Vote> });
  });
  return isSound ? checked : null;
}

function checkVotes(
  votes: Readonly<Record<string, unknown>>,
  round: number | "coverage",
  who: string,
  path: DocumentPath,
  { roster, rounds, coverage, isGap, discoverers, voted, report }: VoteContext,
): boolean {
  let isSound = true;
  const key = `${round} ${who}`, workers = voted.get(key) ?? new Set<string>();
  voted.set(key, workers);
  const known = new Set(isGap ? coverage?.voters ?? roster : roster),
    asked = rounds.get(round as number);
  for (const worker of Object.keys(votes)) {
    workers.add(worker);
    const fault = (message: string) => report([...path, "votes", worker], `${who}: ${message}`);
    const problems = checkVote(votes[worker]);
    for (const { message } of problems) fault(`vote of ${worker}: ${message}`);
    if (problems.some(({ field }) => field === "" || field === "verdict")) isSound = false;
    const own = asked?.get(worker);
    if (!known.has(worker)) fault(`${worker} may not vote on it`);
    else if (isGap ? coverage !== null && !coverage.asked.has(worker) : own === undefined) {
      fault(`${worker} votes in round ${round}, which did not ask it`);
    } else if (!isGap && !own!.findingIds.has(who)) {
      fault(`${worker} was not asked about it in round ${round}`);
    } else if (own?.status === "invalid") {
      fault(`the answer of ${worker} was invalid, so it has no vote`);
    }
    if (round === 1 && discoverers?.has(worker)) {
      fault(`${worker} votes in round 1 on what it reported itself`);
    }
  }
  return isSound;
}

function checkWasContested(
  who: string,
  path: DocumentPath,
  before: readonly CheckedRound[],
  { roster, discoverers, report }: VoteContext,
): void {
  if (discoverers === null) return;
  const word = classifyFinding(tallyVotes(roster, discoverers, before));
  if (word === "contested") return;
  report(path, `${who}: round 2 voted on it, but after round 1 it was "${word}"`);
}
