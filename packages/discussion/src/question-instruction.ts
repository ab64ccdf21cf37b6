import type { Draft } from "./draft.ts";
import { inlineText, quoteText } from "./markdown.ts";
import type { QuestionRow } from "./questions.ts";
import { renderDraft } from "./render.ts";

/** Formats what a participant is asked to do with a question. */
export function formatQuestionInstruction(
  question: QuestionRow,
  taskKey: string,
  draft: Draft,
): string {
  return [
    `# Question ${question.recordId} to ${question.to}`,
    `${inlineText(question.author)} asks:`,
    quoteText(question.text),
    "## How to answer",
    [
      "- Write the answer into the result file. The whole file counts as your answer, and all participants get it with " +
      "their next input.",
      "- Rest it on the record below and on what you looked at yourself.",
      "- Give the place of the evidence for every factual statement.",
      "- Say openly what you could not settle.",
    ].join("\n"),
    renderDraft(draft, taskKey),
  ].join("\n\n");
}
