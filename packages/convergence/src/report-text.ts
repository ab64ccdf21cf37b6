import type { Report, ReportFinding, ReportRound, ReportVote } from "./report.ts";
import {
  CLASS_MEANINGS,
  shorten,
  tellBasis,
  tellFigures,
  tellOutcome,
  tellResult,
  tellRound,
  tellVote,
} from "./report-words.ts";
import { drawTable, type TableRow } from "./text-table.ts";
import { CLASSIFICATIONS } from "./vocabulary.ts";

const MAX_TITLE = 44;

/** Makes a text that came from outside safe to show; `keepLines` leaves its line breaks. */
export type Clean = (text: string, options?: { readonly keepLines?: boolean }) => string;

/**
 * Formats a report for a terminal: a table of findings and votes, what became of each class, what was skipped, figures,
 * and every vote with its explanation.
 */
export function formatReportText(report: Report, clean: Clean): string {
  const { findings, workers } = report;
  const roster = workers.map(({ worker, provider }) => `${clean(worker)} (${clean(provider)})`);
  return [
    `Convergence of ${clean(report.taskKey)}: ${clean(tellResult(report))}`,
    `Workers: ${roster.join(", ")}`,
    "",
    ...(findings.length === 0 ? ["No findings"] : drawMatrix(report, clean)),
    ...listClasses(report, clean),
    ...section(
      "Outcomes",
      report.outcomes.map((row) =>
        `${clean(row.worker)}, ${tellRound(row.round)}: ${clean(tellOutcome(row))}`
      ),
    ),
    ...section(
      "Skipped",
      report.skipped.map(({ what, why }) => `${clean(what)}: ${clean(why)}`),
    ),
    ...section("Agreement of the votes", tellAgreement(report)),
    ...section("Votes", findings.flatMap((finding) => listVotes(finding, clean)), ""),
    ...section(
      "Votes on gaps that were not admitted",
      report.refusedGaps.flatMap(({ gapId, summary, votes }) =>
        listVotes({ findingId: gapId, title: summary, votes }, clean)
      ),
      "",
    ),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[], indent = "  "): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `${indent}${line}`)];
}

function drawMatrix({ findings, rounds }: Report, clean: Clean): readonly string[] {
  const head = ["id", "finding", "where", "found by", ...rounds.map(tellRound), "result"];
  const rows = findings.map((finding): TableRow => [
    [clean(finding.findingId)],
    [shorten(clean(finding.title), MAX_TITLE)],
    finding.where.map((place) => clean(place)),
    finding.foundBy.map((worker) => clean(worker)),
    ...rounds.map((round) => votesIn(finding, round, clean)),
    [clean(finding.classification)],
  ]);
  return drawTable(head, rows);
}

function votesIn(finding: ReportFinding, round: ReportRound, clean: Clean): readonly string[] {
  const votes = finding.votes.filter((vote) => vote.round === round);
  return votes.length === 0
    ? ["-"]
    : votes.map((vote) => clean(`${vote.worker} ${tellVote(vote)}`));
}

function listClasses({ findings }: Report, clean: Clean): readonly string[] {
  const byClass = CLASSIFICATIONS.map((word) =>
    [word, findings.filter(({ classification }) => classification === word)] as const
  );
  return byClass.filter(([, found]) => found.length > 0).flatMap(([word, found]) => [
    "",
    `${found.length} ${word}: ${CLASS_MEANINGS[word].toLowerCase()}`,
    `  ${found.map(({ findingId }) => clean(findingId)).join(", ")}`,
  ]);
}

function tellAgreement(report: Report): readonly string[] {
  if (report.votes.asked === 0) return [];
  return [
    ...tellFigures(report).map(([name, value]) => `${name}: ${value}`),
    tellBasis(report),
    ...report.agreement.remarks.map((remark) => `Note: ${remark}`),
  ];
}

function listVotes(
  { findingId, title, votes }: Pick<ReportFinding, "findingId" | "title" | "votes">,
  clean: Clean,
): readonly string[] {
  const given = votes.filter(({ explanation }) => explanation !== null);
  if (given.length === 0) return [];
  return [
    "",
    `${clean(findingId)} ${shorten(clean(title), MAX_TITLE)}`,
    ...given.flatMap((vote) => [
      clean(`  ${tellRound(vote.round)}, ${vote.worker}: ${tellVote(vote)}`),
      ...explain(vote, clean),
    ]),
  ];
}

function explain({ explanation }: ReportVote, clean: Clean): readonly string[] {
  return clean(explanation ?? "", { keepLines: true }).split("\n").map((line) =>
    `    ${line}`.trimEnd()
  );
}
