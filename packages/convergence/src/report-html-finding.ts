import { type Markup, markup } from "./markup.ts";
import type { RefusedGap, ReportEvidence, ReportFinding, ReportVote } from "./report.ts";
import { count } from "./count.ts";
import { tellRound, tellTally, tellVote } from "./report-words.ts";

/** Returns the fragment by which a page refers to a finding. */
export function findingAnchor(findingId: string): string {
  return `finding-${findingId.replace(/[^\w-]/g, "_")}`;
}

/** Writes one finding: what it says, where, and every vote on it word for word. */
export function writeFinding(finding: ReportFinding): Markup {
  const { findingId, title, summary, votes } = finding, anchor = findingAnchor(findingId);
  return markup`<article class="finding" id="${anchor}" aria-labelledby="${anchor}-title">
<h4 id="${anchor}-title"><a href="#${anchor}">${findingId}</a> ${writeText(title)}</h4>
${writeFacts(finding)}
${summary === title ? "" : writeParagraph(summary)}
${writeEvidence(finding)}
${votes.length === 0 ? markup`<p class="faint">Nobody was asked about it.</p>` : writeVotes(votes)}
</article>
`;
}

/** Writes a gap that was not admitted, with the votes that refuted it. */
export function writeRefusedGap({ gapId, summary, votes }: RefusedGap): Markup {
  const anchor = findingAnchor(gapId);
  return markup`<article class="finding" id="${anchor}" aria-labelledby="${anchor}-title">
<h4 id="${anchor}-title">${gapId} ${writeText(summary)}</h4>
${votes.length === 0 ? "" : writeVotes(votes)}
</article>
`;
}

/** Writes a text from outside so that its direction and its line breaks stay its own. */
export function writeText(text: string): Markup {
  return markup`<span class="text" dir="auto">${text}</span>`;
}

function writeParagraph(text: string): Markup {
  return markup`<p class="text" dir="auto">${text}</p>`;
}

function writePlaceName(place: string): Markup {
  return markup`<code class="text" dir="auto">${place}</code>`;
}

function writeList(items: readonly Markup[]): Markup {
  return markup`${items.map((item, i) => markup`${i === 0 ? "" : ", "}${item}`)}`;
}

function writeFacts(finding: ReportFinding): Markup {
  const { category, foundBy, ticketIds, where } = finding, reporters = foundBy.map(writeText);
  const tickets = ticketIds.length === 0
    ? ""
    : markup` · tickets ${writeList(ticketIds.map(writeText))}`;
  return markup`<p class="facts">${writeText(category)} · reported by ${writeList(reporters)} · ${
    tellTally(finding)
  }${tickets}<br>
${writeList(where.map(writePlaceName))}</p>`;
}

function writeEvidence({ evidence, originEvidence }: ReportFinding): Markup {
  // The evidence of a finding that was read from a result is the words of its places, which need no second showing.
  const isJoined = evidence.map(({ excerpt }) => excerpt ?? "").join("\n") === originEvidence;
  return markup`<details><summary>Evidence: ${count(evidence.length, "place")}</summary>
${isJoined ? "" : writeParagraph(originEvidence)}
<ul class="evidence">${evidence.map(writePlace)}</ul></details>`;
}

function writePlace({ place, excerpt }: ReportEvidence): Markup {
  const words = excerpt === null ? "" : markup`<br>${writeText(excerpt)}`;
  return markup`
<li>${writePlaceName(place)}${words}</li>`;
}

function writeVotes(votes: readonly ReportVote[]): Markup {
  const given = votes.filter(({ verdict }) => verdict !== null).length;
  const absent = votes.length - given;
  const title = `${count(given, "vote")}${absent === 0 ? "" : `, ${absent} absent`}`;
  // Dissent is never folded away.
  const isOpen = votes.some(({ verdict }) => verdict === "disagree" || verdict === "unverified");
  return markup`<details${isOpen ? markup` open` : ""}><summary>${title}</summary>
<table class="votes"><thead><tr>${
    ["Round", "Worker", "Verdict", "Explanation"].map((head) =>
      markup`<th scope="col">${head}</th>`
    )
  }</tr></thead>
<tbody>${votes.map(writeVote)}</tbody></table></details>`;
}

function writeVote(vote: ReportVote): Markup {
  const { round, worker, verdict, explanation } = vote;
  return markup`
<tr><td>${tellRound(round)}</td><td>${writeText(worker)}</td><td class="${verdict ?? "absent"}">${
    tellVote(vote)
  }</td><td>${explanation === null ? "" : writeText(explanation)}</td></tr>`;
}
