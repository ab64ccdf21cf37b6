import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import { type Agreement, measureAgreement } from "./agreement.ts";
import { countClassifications, type Tally } from "./classify.ts";
import { listSkipped, type Skipped } from "./report-skipped.ts";
import { COVERAGE_ROUND } from "./vocabulary.ts";

/** A round of votes: 1, 2, or that on a critic's gaps. */
export type ReportRound = number | typeof COVERAGE_ROUND;

/** What one worker said of a finding in one round; `verdict` is null if it was asked and gave no vote. */
export interface ReportVote {
  readonly round: ReportRound;
  readonly worker: string;
  readonly verdict: string | null;
  readonly disagreeBasis: string | null;
  /** Word for word; null without a vote. */
  readonly explanation: string | null;
  /** What became of the worker in that round. */
  readonly status: string;
}

/** A place that a finding rests on: `path` or `path:lines`, and the words found there. */
export interface ReportEvidence {
  readonly place: string;
  readonly excerpt: string | null;
}

/** One finding in a report. */
export interface ReportFinding {
  readonly findingId: string;
  readonly title: string;
  readonly summary: string;
  readonly category: string;
  readonly ticketIds: readonly string[];
  /** The places of the evidence, each once. */
  readonly where: readonly string[];
  readonly evidence: readonly ReportEvidence[];
  readonly originEvidence: string;
  readonly foundBy: readonly string[];
  /** Of everybody who was asked, in the order of rounds. */
  readonly votes: readonly ReportVote[];
  readonly classification: string;
  readonly tally: Tally;
}

/** A worker of the roster; `reported` is null if its findings are absent. */
export interface ReportWorker {
  readonly worker: string;
  readonly provider: string;
  readonly reported: number | null;
}

/** What became of one worker in one round. */
export interface ReportOutcome {
  readonly round: ReportRound;
  readonly worker: string;
  readonly status: string;
  readonly durationMs: number;
  readonly asked: number;
  readonly voted: number;
  /** Why its answer could not be read as votes. */
  readonly problems: readonly string[];
}

/** A critic's gap that was not admitted as a finding. */
export interface RefusedGap {
  readonly gapId: string;
  readonly summary: string;
  readonly votes: readonly ReportVote[];
}

/** What became of all findings, as far as the convergence has come. */
export interface Report {
  readonly taskKey: string;
  /** Null while the convergence is not finished. */
  readonly finalState: string | null;
  readonly round2SkippedReason: string | null;
  readonly workers: readonly ReportWorker[];
  readonly rounds: readonly ReportRound[];
  readonly outcomes: readonly ReportOutcome[];
  readonly findings: readonly ReportFinding[];
  readonly refusedGaps: readonly RefusedGap[];
  readonly counts: Readonly<Record<string, number>>;
  /** How many votes were asked for, and how many of them are absent. */
  readonly votes: { readonly asked: number; readonly absent: number };
  readonly skipped: readonly Skipped[];
  readonly agreement: Agreement;
}

/** Builds the report of a final state, or of a work state whose convergence goes on. */
export function buildReport(document: ConvergenceState | ConvergenceWork): Report {
  const asked = listAsked(document), { absentWorkers = [], coverage } = document;
  const findings = document.findings.map((finding) => reportFinding(finding, asked));
  const refusedGaps = (coverage?.gaps ?? []).filter(({ admitted }) => !admitted).map((
    { gapId, summary = "", votes = {} },
  ) => ({ gapId, summary, votes: votesOf(votes, asked.get(COVERAGE_ROUND) ?? []) }));
  const told = [...findings, ...refusedGaps].flatMap(({ votes }) => votes);
  const outcomes = [...asked].flatMap(([round, rows]) =>
    rows.map(({ worker, status, durationMs, problems }): ReportOutcome => {
      const own = told.filter((vote) => vote.round === round && vote.worker === worker);
      const voted = own.filter(({ verdict }) => verdict !== null).length;
      return { round, worker, status, durationMs, asked: own.length, voted, problems };
    })
  );
  const facts = {
    finalState: "finalState" in document ? String(document.finalState) : null,
    round2SkippedReason: document.round2SkippedReason,
    rounds: [...asked.keys()],
    workers: document.workers.map(({ worker, provider }): ReportWorker => ({
      worker,
      provider,
      reported: absentWorkers.includes(worker)
        ? null
        : findings.filter(({ foundBy }) => foundBy.includes(worker)).length,
    })),
    outcomes,
    refusedGaps,
  };
  return {
    taskKey: document.taskKey,
    ...facts,
    findings,
    counts: countClassifications(document.findings.map(({ classification }) => classification)),
    votes: {
      asked: told.length,
      absent: told.filter(({ verdict }) => verdict === null).length,
    },
    skipped: listSkipped(facts),
    agreement: measureAgreement(
      document.findings,
      new Map(document.workers.map(({ worker, provider }) => [worker, provider])),
    ),
  };
}

/** A worker that was asked in a round, and about what; `null`: about everything of that round. */
interface Asked {
  readonly round: ReportRound;
  readonly worker: string;
  readonly status: string;
  readonly durationMs: number;
  readonly problems: readonly string[];
  readonly findingIds: ReadonlySet<string> | null;
}

type AskedByRound = ReadonlyMap<ReportRound, readonly Asked[]>;

function listAsked({ rounds, coverage }: ConvergenceState | ConvergenceWork): AskedByRound {
  const row = (
    round: ReportRound,
    { worker, status, durationMs, problems = [] }: Outcome,
    findingIds: readonly string[] | null,
  ): Asked => ({
    round,
    worker,
    status,
    durationMs,
    problems: problems.map(({ line, message }) =>
      line === null ? message : `line ${line}: ${message}`
    ),
    findingIds: findingIds === null ? null : new Set(findingIds),
  });
  const asked = new Map<ReportRound, readonly Asked[]>(rounds.map(({ round, dispatches }) => [
    round,
    dispatches.map((outcome) => row(round, outcome, outcome.findingIds)),
  ]));
  if (coverage === null) return asked;
  const judges = coverage.dispatches.map((outcome) => row(COVERAGE_ROUND, outcome, null));
  return asked.set(COVERAGE_ROUND, judges);
}

type Outcome = NonNullable<ConvergenceWork["coverage"]>["dispatches"][number];

function reportFinding(finding: JudgedFinding, asked: AskedByRound): ReportFinding {
  const { findingId } = finding, places = finding.evidenceArtifacts;
  const isGap = finding.rounds.some(({ round }) => round === COVERAGE_ROUND);
  const votes = [...asked].flatMap(([round, rows]) => {
    const judges = rows.filter(({ findingIds }) => findingIds?.has(findingId) ?? isGap);
    if (judges.length === 0) return [];
    return votesOf(finding.rounds.find((row) => row.round === round)?.votes ?? {}, judges);
  });
  const evidence = places.map(({ path, locator, excerpt = null }) => ({
    place: locator ? `${path}:${locator}` : path,
    excerpt,
  }));
  return {
    findingId,
    title: finding.title ?? finding.summary.split("\n", 1)[0]!,
    summary: finding.summary,
    category: finding.category,
    ticketIds: finding.ticketIds,
    where: [...new Set(evidence.map(({ place }) => place))],
    evidence,
    originEvidence: finding.originEvidence,
    foundBy: finding.discoveredBy,
    votes,
    classification: finding.classification,
    tally: finding.tally,
  };
}

function votesOf(
  votes: Readonly<Record<string, Vote>>,
  judges: readonly Asked[],
): readonly ReportVote[] {
  return judges.map(({ round, worker, status }) => {
    const vote = Object.hasOwn(votes, worker) ? votes[worker] : undefined;
    return {
      round,
      worker,
      verdict: vote?.verdict ?? null,
      disagreeBasis: vote?.disagreeBasis ?? null,
      explanation: vote?.explanation ?? null,
      status,
    };
  });
}
