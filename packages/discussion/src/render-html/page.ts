import { describePhase } from "../describe-phase.ts";
import { type Draft, openDraft } from "../draft.ts";
import { listRecords, type RecordBook } from "../record-book.ts";
import { listRevisionChanges } from "../revision-changes.ts";
import { renderClaims, renderDisagreements } from "./claims.ts";
import { renderRevisions, renderTimeline } from "./history.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import { code, facts, freeText, link, list, section, subsection, word } from "./parts.ts";
import { renderCycles, renderFailures } from "./research.ts";
import {
  renderDecisions,
  renderMaterials,
  renderOpenQuestions,
  renderSettledQuestions,
} from "./sayings.ts";
import { STYLE } from "./style.ts";

// Nothing is loaded, run, sent or embedded, whatever a text may say.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * Renders a discussion as one HTML page that needs nothing else: no network, no script, no other file.
 *
 * @param nextCommands commands that can be given now
 */
export function renderPage(
  book: RecordBook,
  taskKey: string,
  nextCommands: readonly string[],
): string {
  const draft = openDraft(book), records = listRecords(book);
  const sections: readonly (readonly [string, string, readonly Part[]])[] = [
    ["phase", "Where it stands", renderPhase(draft, nextCommands)],
    ["subject", "Subject and question", renderSubject(draft)],
    ["questions", "Open questions", renderOpenQuestions(draft)],
    ["disagreements", "Remaining disagreements", renderDisagreements(draft)],
    ["decisions", "Decisions of the user", renderDecisions(draft)],
    ["claims", "Claims", renderClaims(draft)],
    ["failures", "Failures and unverified scope", renderFailures(draft)],
    ["answers", "Answered and dropped questions", renderSettledQuestions(draft)],
    ["evidence", "Evidence", renderMaterials(draft, "evidence")],
    ["alternatives", "Alternatives", renderMaterials(draft, "alternative")],
    ["research", "Research", renderCycles(draft)],
    ["revisions", "Revisions", renderRevisions(listRevisionChanges(records))],
    ["timeline", "Timeline", renderTimeline(records)],
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Discussion of ${taskKey}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<h1>Discussion of ${word(taskKey)}</h1>
<nav aria-label="Sections">
${list(sections.map(([id, title]) => markup`<a href="#${id}">${title}</a>`))}</nav>
</header>
<main id="content">
${sections.map(([id, title, items]) => section(id, title, items))}</main>
</body>
</html>
`.html;
}

function renderPhase(draft: Draft, nextCommands: readonly string[]): readonly Part[] {
  const { basedOn, phase } = draft;
  return [
    markup`<p><strong>${phase}</strong>: ${describePhase(draft)}</p>\n`,
    list(nextCommands.map(code)),
    facts([
      ["Records", draft.recordCount],
      ["Draft version", code(draft.recordsDigest)],
      ["Based on", basedOn === null ? "nothing before" : renderBasis(basedOn)],
    ]),
  ];
}

function renderBasis({ revisionId, recordId, reason }: NonNullable<Draft["basedOn"]>): Part {
  return [link(revisionId), ", opened again by the user in ", link(recordId), freeText(reason)];
}

function renderSubject({ subject }: Draft): readonly Markup[] {
  if (subject === null) return [];
  return [
    markup`<p>As confirmed in ${link(subject.recordId)}:</p>\n`,
    subsection("Subject", freeText(subject.subject)),
    subsection("Question", freeText(subject.question)),
  ];
}
