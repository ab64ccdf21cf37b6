import type { Agreement } from "./agreement.ts";
import type { Figure } from "./agreement-figures.ts";
import type { Report, ReportFinding, ReportVote } from "./report.ts";

/** One row of a table: the lines of each cell. */
type Row = readonly (readonly string[])[];

const MAX_TITLE = 44;

/**
 * Formats a report as a table for people: finding, where, who found it, each verdict by round and worker, and what
 * became of it.
 *
 * @param clean makes a text that came from outside safe to show
 */
export function formatReportText(report: Report, clean: (text: string) => string): string {
  const { findings, counts, workers } = report;
  const columns = votingColumns(report);
  const head: Row = [
    ["id"],
    ["finding"],
    ["where"],
    ["found by"],
    ...columns.map(({ label }) => [
      label,
    ]),
    ["result"],
  ];
  const rows = findings.map((finding): Row => [
    [finding.findingId],
    [shorten(clean(finding.title))],
    finding.where.map(clean),
    finding.foundBy.map(clean),
    ...columns.map(({ round }) => votesIn(finding, round, clean)),
    [finding.classification],
  ]);
  const counted = Object.entries(counts).filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`);
  return [
    `Convergence of ${clean(report.taskKey)}: ${report.finalState ?? "not finished"}`,
    `Workers: ${workers.map(clean).join(", ")}`,
    ...(report.round2SkippedReason === null
      ? []
      : [`No second round: ${clean(report.round2SkippedReason)}`]),
    "",
    ...(findings.length === 0 ? ["No findings"] : formatTable([head, ...rows])),
    ...(counted.length === 0 ? [] : ["", counted.join(", "), tellAgreement(report.agreement)]),
    "",
  ].join("\n");
}

function votingColumns({ rounds, findings }: Report) {
  const hasCoverage = findings.some(({ votes }) => votes.some(({ round }) => round === "coverage"));
  return [
    ...rounds.map((round) => ({ round, label: `round ${round}` })),
    ...(hasCoverage ? [{ round: "coverage" as const, label: "coverage" }] : []),
  ];
}

function votesIn(
  finding: ReportFinding,
  round: number | "coverage",
  clean: (text: string) => string,
): readonly string[] {
  const votes = finding.votes.filter((vote) => vote.round === round);
  return votes.length === 0
    ? ["-"]
    : votes.map((vote) => `${clean(vote.worker)} ${tellVote(vote)}`);
}

function tellVote({ verdict, disagreeBasis, status }: ReportVote): string {
  if (verdict === null) return `absent (${status})`;
  return disagreeBasis === null ? verdict : `${verdict} (${disagreeBasis})`;
}

function tellAgreement(agreement: Agreement): string {
  const { items, providerFamilies, percentAgreement, krippendorffAlpha, gwetAc1, remarks } =
    agreement;
  const tell = ({ value, reason }: Figure) => value === null ? `none (${reason})` : String(value);
  if (percentAgreement.value === null) return `Agreement of the votes: ${tell(percentAgreement)}`;
  const families = `${providerFamilies} ${providerFamilies === 1 ? "provider" : "providers"}`;
  return `Agreement of the votes on ${items} ${
    items === 1 ? "finding" : "findings"
  } by ${families}: ` +
    `${tell(percentAgreement)}, alpha ${tell(krippendorffAlpha)}, AC1 ${tell(gwetAc1)}` +
    remarks.map((remark) => `; ${remark}`).join("");
}

function shorten(text: string): string {
  const points = [...text];
  return points.length > MAX_TITLE ? `${points.slice(0, MAX_TITLE - 1).join("")}…` : text;
}

function formatTable([head, ...rows]: readonly Row[]): readonly string[] {
  const widths = head!.map((_, i) =>
    Math.max(...[head!, ...rows].flatMap((row) => row[i]!.map((line) => [...line].length)))
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => cell + " ".repeat(widths[i]! - [...cell].length)).join("  ").trimEnd();
  const lines = (row: Row) =>
    Array.from(
      { length: Math.max(...row.map((cell) => cell.length)) },
      (_, i) => line(row.map((cell) => cell[i] ?? "")),
    );
  return [...lines(head!), line(widths.map((width) => "-".repeat(width))), ...rows.flatMap(lines)];
}
