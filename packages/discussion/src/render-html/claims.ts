import { type Position, splitSides } from "../claim-sides.ts";
import type { Draft } from "../draft.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import {
  badge,
  card,
  facts,
  freeText,
  link,
  links,
  list,
  subsection,
  word,
  words,
} from "./parts.ts";

/** The claims of all cycles. */
export function renderClaims({ cycles }: Draft): readonly Markup[] {
  return cycles.flatMap((cycle) => cycle.claims).map((claim) => {
    const verdicts = claim.verdicts.map(({ disagreeBasis: basis, ...verdict }) =>
      renderPosition({ basis, ...verdict })
    );
    return card(claim.recordId, [claim.recordId, " ", badge(claim.standing)], [
      freeText(claim.summary),
      facts([
        ["Claimed by", [word(claim.author), " in ", link(claim.cycleId)]],
        ["Found by", words(claim.discoveredBy)],
        ["Category", word(claim.category)],
        ["Classification", word(claim.classification)],
        ["Finding", word(claim.findingId)],
        ["Revisited by", links(claim.revisitedBy)],
      ]),
      subsection("Evidence", freeText(claim.evidence)),
      subsection("Verdicts", list(verdicts) ?? markup`<p class="quiet">none</p>`),
    ]);
  });
}

/** The claims that are still disputed, each with its sides next to each other. */
export function renderDisagreements(draft: Draft): readonly Markup[] {
  return draft.remainingDisagreements.map(draft.claim).filter((claim) => claim !== null)
    .map((claim) => {
      const { support, oppose, undecided } = splitSides(claim);
      const sides = [renderSide("For it", support), renderSide("Against it", oppose)];
      if (undecided.length > 0) sides.push(renderSide("Undecided", undecided));
      return card(`${claim.recordId}-sides`, [link(claim.recordId), " of ", word(claim.author)], [
        freeText(claim.summary),
        markup`<div class="sides">\n${sides}</div>\n`,
      ]);
    });
}

function renderSide(title: string, positions: readonly Position[]): Markup {
  const body = list(positions.map(renderPosition)) ?? markup`<p class="quiet">nobody</p>`;
  return markup`<div>${subsection(title, body)}</div>\n`;
}

function renderPosition({ worker, round, verdict, basis, explanation }: Position): Part {
  return [
    word(worker),
    round === null ? "" : [", round ", word(String(round))],
    ": ",
    word(verdict),
    basis === null ? "" : [" (", word(basis), ")"],
    explanation === "" ? "" : freeText(explanation),
  ];
}
