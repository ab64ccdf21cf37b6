import type { Report, ReportFinding, ReportRound, ReportVote } from "./report.ts";
import { count } from "./count.ts";
import {
  CLASS_MEANINGS,
  tellBasis,
  tellFigures,
  tellOutcome,
  tellResult,
  tellRound,
  tellTally,
  tellVote,
} from "./report-words.ts";
import { showHidden } from "./show-hidden.ts";
import { CLASSIFICATIONS } from "./vocabulary.ts";

/**
 * Formats a report as Markdown.
 *
 * Whatever came from outside is escaped or stands in a code block, word for word, so that it cannot pass as ours.
 */
export function formatReportMarkdown(report: Report): string {
  const { findings, workers, outcomes } = report;
  return [
    `# Convergence of ${plain(report.taskKey)}`,
    "",
    `Result: **${plain(tellResult(report))}**.`,
    "",
    ...table(
      ["class", "findings", "meaning"],
      CLASSIFICATIONS.map((word) => [word, `${report.counts[word] ?? 0}`, CLASS_MEANINGS[word]]),
    ),
    ...section(
      "Workers",
      table(
        ["worker", "provider", "reported", ...report.rounds.map(tellRound)],
        workers.map(
          ({ worker, provider, reported }) => [
            plain(worker),
            plain(provider),
            reported === null ? "absent" : count(reported, "finding"),
            ...report.rounds.map((round) => {
              const row = outcomes.find((row) => row.worker === worker && row.round === round);
              return row === undefined ? "–" : plain(tellOutcome(row));
            }),
          ],
        ),
      ),
    ),
    ...section("Skipped", listSkipped(report)),
    ...section("Agreement", listAgreement(report)),
    ...section("Votes", findings.length === 0 ? ["No findings."] : drawMatrix(report)),
    ...CLASSIFICATIONS.flatMap((word) => listClass(word, findings)),
    ...section(
      "Gaps that were not admitted",
      report.refusedGaps.flatMap(({ gapId, summary, votes }) => [
        `### ${plain(gapId)} — ${plain(summary)}`,
        "",
        ...votes.flatMap(listVote),
      ]),
    ),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

function listSkipped({ skipped }: Report): readonly string[] {
  return skipped.length === 0
    ? ["Nothing."]
    : skipped.map(({ what, why }) => `- ${plain(what)}: ${plain(why)}`);
}

function listAgreement(report: Report): readonly string[] {
  return [
    ...table(["figure", "value"], tellFigures(report).map(([name, value]) => [name, value])),
    "",
    `${tellBasis(report)}. The figures inform; nothing depends on them.`,
    ...report.agreement.remarks.flatMap((remark, i) => [...(i === 0 ? [""] : []), `- ${remark}`]),
  ];
}

function drawMatrix({ findings, workers, rounds }: Report): readonly string[] {
  const names = workers.map(({ worker }) => worker);
  return table(
    ["finding", "class", ...names.map(plain)],
    findings.map((finding) => [
      plain(finding.findingId),
      plain(finding.classification),
      ...names.map((name) =>
        [
          ...(finding.foundBy.includes(name) ? ["found it"] : []),
          ...rounds.flatMap((round) => tellCell(finding, name, round)),
        ].join(", ") || "–"
      ),
    ]),
  );
}

function tellCell(finding: ReportFinding, name: string, round: ReportRound): readonly string[] {
  const vote = finding.votes.find((vote) => vote.round === round && vote.worker === name);
  return vote === undefined ? [] : [plain(`${tellRound(round)}: ${tellVote(vote)}`)];
}

function listClass(word: string, findings: readonly ReportFinding[]): readonly string[] {
  const found = findings.filter(({ classification }) => classification === word);
  const title = `${word} (${found.length})`;
  return found.length === 0 ? [] : section(title, found.flatMap(listFinding));
}

function listFinding(finding: ReportFinding): readonly string[] {
  return [
    `### ${plain(finding.findingId)} — ${plain(finding.title)}`,
    "",
    `- Reported by ${finding.foundBy.map(plain).join(", ")}, as ${plain(finding.category)}`,
    ...(finding.ticketIds.length === 0
      ? []
      : [`- Tickets ${finding.ticketIds.map(plain).join(", ")}`]),
    `- ${tellTally(finding)}`,
    "",
    ...fence(finding.summary),
    "",
    ...finding.evidence.flatMap(({ place, excerpt }) => [
      `- ${plain(place)}`,
      ...(excerpt === null ? [] : ["", ...fence(excerpt, "  "), ""]),
    ]),
    "",
    ...(finding.votes.length === 0 ? ["Nobody was asked about it.", ""] : []),
    ...finding.votes.flatMap(listVote),
  ];
}

function listVote(vote: ReportVote): readonly string[] {
  const told = `- ${plain(`${tellRound(vote.round)}, ${vote.worker}`)}: **${
    plain(tellVote(vote))
  }**`;
  return vote.explanation === null ? [told, ""] : [told, "", ...fence(vote.explanation, "  "), ""];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** Writes a text in a code block that nothing in it can end. */
function fence(text: string, indent = ""): readonly string[] {
  const shown = showHidden(text);
  const runs = (shown.match(/`{3,}/g) ?? []).map((run) => run.length);
  const mark = "`".repeat(runs.reduce((longest, length) => Math.max(longest, length), 2) + 1);
  return [`${mark}text`, ...shown.split("\n"), mark].map((line) => line && `${indent}${line}`);
}

/**
 * Writes a text in one line in which no sign means anything, not at its beginning either. Addresses are code: code hosts
 * make links of them however they are escaped.
 */
function plain(text: string): string {
  return showHidden(text).replace(/\s+/g, " ").trim().split(/([ `|]+)/)
    .map((word) => /@|:\/\/|www\./i.test(word) ? `\`${word}\`` : escapeSigns(word)).join("")
    .replace(/^(?=[-+]|\d+[.)](?: |$))\d*/, "$&\\");
}

function escapeSigns(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~&$]/g, "\\$&");
}
