import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { type Agreement, measureAgreement } from "./agreement.ts";
import { countClassifications } from "./classify.ts";

/** What one worker said of a finding in one round; `verdict` is null if it was asked and gave no vote. */
export interface ReportVote {
  readonly round: number | "coverage";
  readonly worker: string;
  readonly verdict: string | null;
  readonly disagreeBasis: string | null;
  /** What became of the worker in that round. */
  readonly status: string;
}

/** One finding in a report. */
export interface ReportFinding {
  readonly findingId: string;
  readonly title: string;
  readonly category: string;
  /** Places, as `path` or `path:lines`. */
  readonly where: readonly string[];
  readonly foundBy: readonly string[];
  readonly votes: readonly ReportVote[];
  readonly classification: string;
}

/** What became of all findings, as far as the convergence has come. */
export interface Report {
  readonly taskKey: string;
  /** Null while the convergence is not finished. */
  readonly finalState: string | null;
  readonly round2SkippedReason: string | null;
  readonly workers: readonly string[];
  readonly rounds: readonly number[];
  readonly findings: readonly ReportFinding[];
  readonly counts: Readonly<Record<string, number>>;
  readonly agreement: Agreement;
}

/** Builds the report of a final state, or of a work state whose convergence goes on. */
export function buildReport(document: ConvergenceState | ConvergenceWork): Report {
  const finalState = "finalState" in document ? String(document.finalState) : null;
  return {
    taskKey: document.taskKey,
    finalState,
    round2SkippedReason: document.round2SkippedReason,
    workers: document.workers.map(({ worker }) => worker),
    rounds: document.rounds.map(({ round }) => round),
    findings: document.findings.map((finding) => reportFinding(finding, document)),
    counts: countClassifications(document.findings.map(({ classification }) => classification)),
    agreement: measureAgreement(
      document.findings,
      new Map(document.workers.map(({ worker, provider }) => [worker, provider])),
    ),
  };
}

function reportFinding(
  finding: JudgedFinding,
  { rounds, coverage }: Pick<ConvergenceWork, "rounds" | "coverage"> | ConvergenceState,
): ReportFinding {
  const asked = rounds.flatMap(({ round, dispatches }) =>
    dispatches.filter(({ findingIds }) => findingIds.includes(finding.findingId))
      .map(({ worker, status }) => ({ round, worker, status }))
  );
  const isGap = finding.rounds.some(({ round }) => round === "coverage");
  const judges = isGap
    ? (coverage?.dispatches ?? []).map(({ worker, status }) => ({
      round: "coverage" as const,
      worker,
      status,
    }))
    : asked;
  return {
    findingId: finding.findingId,
    title: finding.title ?? finding.summary.split("\n", 1)[0]!,
    category: finding.category,
    where: [
      ...new Set(
        finding.evidenceArtifacts.map(({ path, locator }) => locator ? `${path}:${locator}` : path),
      ),
    ],
    foundBy: finding.discoveredBy,
    votes: judges.map((judge) => ({ ...judge, ...voteOf(finding, judge) })),
    classification: finding.classification,
  };
}

function voteOf(
  finding: JudgedFinding,
  { round, worker }: { round: number | "coverage"; worker: string },
): Pick<ReportVote, "verdict" | "disagreeBasis"> {
  const votes = finding.rounds.find((row) => row.round === round)?.votes ?? {};
  const vote = Object.hasOwn(votes, worker) ? votes[worker] : undefined;
  return { verdict: vote?.verdict ?? null, disagreeBasis: vote?.disagreeBasis ?? null };
}
