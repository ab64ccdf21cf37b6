import type { Draft } from "../draft.ts";
import { type Markup, markup } from "./markup.ts";
import {
  card,
  code,
  facts,
  freeText,
  link,
  links,
  list,
  subsection,
  word,
  words,
} from "./parts.ts";

/** The research cycles. */
export function renderCycles({ cycles }: Draft): readonly Markup[] {
  return cycles.map((cycle) => {
    const { close, recordId, roster } = cycle;
    const results = cycle.results.map((result) => [
      markup`<span id="${result.recordId}">${result.recordId}</span> of `,
      word(result.author),
      ": ",
      code(result.resultPath),
    ]);
    return card(recordId, `${recordId}, ${cycle.status}`, [
      facts([
        ["Run", code(cycle.sourceRun)],
        ["Participants", words(roster.map(({ worker, model }) => `${worker} (${model})`))],
        ["Unverified", words(cycle.unverified)],
        ["Input", links(cycle.inputRefs)],
        ["Claims", links(cycle.claims.map((claim) => claim.recordId))],
        ["Closed", close === null ? "no" : [link(close.recordId), ": ", word(close.finalState)]],
      ]),
      results.length === 0 ? null : subsection("Results", list(results)),
    ]);
  });
}

/** What of the research nobody verified, and the failures. */
export function renderFailures({ failures, cycles }: Draft): readonly Markup[] {
  const unverified = cycles.flatMap(({ recordId, unverified }) =>
    unverified.map((worker) =>
      markup`<p>The part of ${word(worker)} in ${link(recordId)} counts as unverified.</p>\n`
    )
  );
  const cards = failures.map(({ recordId, author, recovery, ...failure }) =>
    card(recordId, [recordId, " of ", word(author)], [
      facts([
        ["Failed in", link(failure.questionId ?? failure.cycleId)],
        ["Stage", `${failure.stage}, attempts: ${failure.attempts}`],
        ["Status", word(failure.status)],
        [
          "What followed",
          recovery === null
            ? markup`<strong class="bad">the user has to decide</strong>`
            : [`${recovery.choice} (`, link(recovery.recordId), ")"],
        ],
      ]),
      freeText(failure.reason),
    ])
  );
  return [...unverified, ...cards];
}
