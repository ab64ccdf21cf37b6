import { type Markup, markup } from "./markup.ts";
import { findingAnchor, writeText } from "./report-html-finding.ts";
import type { Report, ReportFinding, ReportVote } from "./report.ts";
import { shorten, tellRound, tellVote } from "./report-words.ts";

const SIGNS: Readonly<Record<string, string>> = {
  agree: "✓",
  supplement: "✚",
  disagree: "✗",
  unverified: "?",
};
const MAX_TITLE = 90;

/** Writes the table of findings and workers; each cell tells the worker's vote of every round. */
export function writeMatrix({ findings, workers }: Report): Markup {
  const names = workers.map(({ worker }) => worker);
  const heads = names.map((name) => markup`<th scope="col" class="worker">${writeText(name)}</th>`);
  return markup`<div class="scroll matrix" role="region" aria-labelledby="matrix" tabindex="0">
<table><thead><tr><th scope="col">Finding</th><th scope="col">Class</th>${heads}</tr></thead>
<tbody>${findings.map((finding) => writeRow(finding, names))}</tbody></table>
</div>`;
}

function writeRow(finding: ReportFinding, names: readonly string[]): Markup {
  const { findingId, title, classification } = finding, anchor = findingAnchor(findingId);
  const head = markup`<a href="#${anchor}">${findingId}</a> ${
    writeText(shorten(title, MAX_TITLE))
  }`;
  return markup`
<tr><th scope="row">${head}</th><td>${writeClass(classification)}</td>${
    names.map((name) => writeCell(finding, name))
  }</tr>`;
}

function writeClass(classification: string): Markup {
  const name = classification.replace(/[^\w-]/g, "_");
  return markup`<span class="class ${name}">${classification}</span>`;
}

function writeCell({ foundBy, votes }: ReportFinding, name: string): Markup {
  const own = votes.filter(({ worker }) => worker === name), isFinder = foundBy.includes(name);
  if (own.length === 0 && !isFinder) return markup`<td class="none">not asked</td>`;
  const found = isFinder ? markup`<span>${writeSign("●")}reported it</span>` : "";
  return markup`<td>${found}${own.map(writeVote)}</td>`;
}

function writeVote(vote: ReportVote): Markup {
  const { round, verdict } = vote, sign = verdict === null ? "–" : SIGNS[verdict] ?? "";
  return markup`<span class="${verdict ?? "absent"}">${writeSign(sign)}${tellRound(round)}: ${
    tellVote(vote)
  }</span>`;
}

function writeSign(sign: string): Markup {
  return markup`<span aria-hidden="true">${sign} </span>`;
}
