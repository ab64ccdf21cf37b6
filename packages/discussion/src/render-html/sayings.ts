import type { Draft } from "../draft.ts";
import type { QuestionRow } from "../questions.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import { badge, card, code, facts, freeText, link, list, subsection, word } from "./parts.ts";

/** The questions that somebody has to answer; the one that the user is asked now is told. */
export function renderOpenQuestions({ questions, nextForUser }: Draft): readonly Markup[] {
  const isNext = markup`, <strong class="warn">the user is asked now</strong>`;
  return questions.filter(({ isSettled }) => !isSettled).map((question) =>
    renderQuestion(question, question.recordId === nextForUser ? isNext : null)
  );
}

/** The questions that were answered or dropped, with their answers. */
export function renderSettledQuestions({ questions }: Draft): readonly Markup[] {
  return questions.filter(({ isSettled }) => isSettled)
    .map((question) => renderQuestion(question, question.dropped ? ", dropped" : null));
}

function renderQuestion(question: QuestionRow, remark: Part): Markup {
  const { recordId, author, to, text, answers } = question;
  return card(recordId, [recordId, ": ", word(author), " asks ", word(to), remark], [
    freeText(text),
    answers.map((answer) => {
      const { resultPath } = answer;
      return markup`<div id="${answer.recordId}"><h4>${answer.recordId} of ${
        word(answer.author)
      }</h4>${freeText(answer.text)}${
        resultPath === undefined ? null : facts([["File", code(resultPath)]])
      }</div>\n`;
    }),
  ]);
}

/** The decisions of the user, with what each of them settles. */
export function renderDecisions(draft: Draft): readonly Markup[] {
  return draft.decisions.map(({ recordId, text, settles }) => {
    const settled = settles.map((id) => {
      const claim = draft.claim(id);
      return [
        link(id),
        claim === null ? "" : [" ", badge(claim.standing)],
        freeText(claim?.summary ?? draft.material(id)?.text ?? ""),
      ];
    });
    return card(recordId, recordId, [
      freeText(text),
      settled.length === 0 ? null : subsection("Settles", list(settled)),
    ]);
  });
}

/** Evidence or alternatives that somebody brought. */
export function renderMaterials({ materials }: Draft, kind: string): readonly Markup[] {
  return materials.filter(({ materialKind }) => materialKind === kind)
    .map(({ recordId, author, text, location }) =>
      card(recordId, [recordId, " of ", word(author)], [
        freeText(text),
        location === "" ? null : facts([["Place", code(location)]]),
      ])
    );
}
