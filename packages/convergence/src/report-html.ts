import { type Markup, markup } from "./markup.ts";
import { writeFinding, writeRefusedGap, writeText } from "./report-html-finding.ts";
import { writeMatrix } from "./report-html-matrix.ts";
import { REPORT_STYLE } from "./report-html-style.ts";
import type { Report, ReportWorker } from "./report.ts";
import { count } from "./count.ts";
import {
  CLASS_MEANINGS,
  tellBasis,
  tellFigures,
  tellOutcome,
  tellResult,
  tellRound,
} from "./report-words.ts";
import { type Classification, CLASSIFICATIONS } from "./vocabulary.ts";

// Nothing is fetched and nothing runs, whatever a browser makes of the page.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; " +
  "base-uri 'none'; form-action 'none'";

const PARTS = [
  ["classes", "Classes"],
  ["workers", "Workers"],
  ["skipped", "Skipped"],
  ["agreement", "Agreement of the votes"],
  ["matrix", "Votes at a glance"],
  ["findings", "Findings"],
] as const;

/**
 * Formats a report as one page that needs nothing else: no network, no script.
 *
 * Whatever came from outside is escaped and stays text.
 */
export function formatReportHtml(report: Report): string {
  const { taskKey, findings } = report;
  const write: Readonly<Record<typeof PARTS[number][0], () => Markup>> = {
    classes: () => writeClasses(report),
    workers: () => writeWorkers(report),
    skipped: () => writeSkipped(report),
    agreement: () => writeAgreement(report),
    matrix: () => findings.length === 0 ? markup`<p>No findings.</p>` : writeMatrix(report),
    findings: () => writeFindings(report),
  };
  const links = PARTS.map(([id, title]) => markup`<li><a href="#${id}">${title}</a></li>`);
  const parts = PARTS.map(([id, title]) =>
    markup`<h2 id="${id}" tabindex="-1">${title}</h2>
${write[id]()}
`
  );
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Convergence of ${taskKey}</title>
<link rel="icon" href="data:,">
${REPORT_STYLE}
</head>
<body>
<a class="skip" href="#findings">Skip to the findings</a>
<header>
<h1>Convergence of ${writeText(taskKey)}</h1>
<p class="result">Result: <strong>${writeText(tellResult(report))}</strong></p>
<nav aria-label="Parts of this page"><ul>${links}</ul></nav>
</header>
<main>
${parts}</main>
</body>
</html>
`.toString();
}

function writeClasses({ counts }: Report): Markup {
  const cards = CLASSIFICATIONS.map((word) =>
    markup`
<li><a href="#class-${word}"><b>${counts[word] ?? 0}</b>${word}</a></li>`
  );
  return markup`<ul class="classes">${cards}
</ul>`;
}

function writeWorkers({ workers, rounds, outcomes }: Report): Markup {
  const heads = ["Worker", "Provider", "Reported", ...rounds.map(tellRound)];
  const writeRow = ({ worker, provider, reported }: ReportWorker): Markup => {
    const cells = rounds.map((round) => {
      const row = outcomes.find((row) => row.worker === worker && row.round === round);
      return row === undefined
        ? markup`<td class="none">not asked</td>`
        : markup`<td>${tellOutcome(row)}</td>`;
    });
    return markup`
<tr><th scope="row">${writeText(worker)}</th><td>${writeText(provider)}</td><td>${
      reported === null ? markup`<span class="absent">absent</span>` : count(reported, "finding")
    }</td>${cells}</tr>`;
  };
  return markup`<div class="scroll" role="region" aria-labelledby="workers" tabindex="0">
<table><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${workers.map(writeRow)}</tbody></table>
</div>`;
}

function writeSkipped({ skipped }: Report): Markup {
  if (skipped.length === 0) return markup`<p>Nothing.</p>`;
  const items = skipped.map(({ what, why }) =>
    markup`
<li>${writeText(what)}: ${writeText(why)}</li>`
  );
  return markup`<ul>${items}
</ul>`;
}

function writeAgreement(report: Report): Markup {
  const { remarks } = report.agreement;
  const rows = tellFigures(report).map(([name, value]) =>
    markup`
<tr><th scope="row">${name}</th><td>${value}</td></tr>`
  );
  const list = remarks.map((remark) => markup`<li>${remark}</li>`);
  return markup`<div class="scroll figures"><table><tbody>${rows}</tbody></table></div>
<p>${tellBasis(report)}. The figures inform; nothing depends on them.</p>
${remarks.length === 0 ? "" : markup`<ul>${list}</ul>`}`;
}

function writeFindings(report: Report): Markup {
  const { refusedGaps } = report;
  const sections = CLASSIFICATIONS.map((word) => writeClass(word, report));
  if (refusedGaps.length === 0) return markup`${sections}`;
  return markup`${sections}<section aria-labelledby="refused-gaps">
<h3 id="refused-gaps">Gaps that were not admitted (${refusedGaps.length})</h3>
${refusedGaps.map(writeRefusedGap)}</section>
`;
}

function writeClass(word: Classification, { findings }: Report): Markup {
  const found = findings.filter(({ classification }) => classification === word);
  return markup`<section aria-labelledby="class-${word}">
<h3 id="class-${word}">${word} (${found.length})</h3>
<p class="faint">${CLASS_MEANINGS[word]}.</p>
${found.map(writeFinding)}</section>
`;
}
