import type { Draft } from "./draft.ts";
import { renderDraft } from "./render.ts";

const USER_QUESTIONS_HEADING = "Questions for the user";

const DUTIES = [
  "Read the whole record first: what the user answered, what participants answered, what was decided. Whatever the " +
  "user decided stands for this research; that facts are checked again opens no decision again.",
  "Every factual statement about code or an outside source is a finding with a number. It says where its evidence is, " +
  "and how far that evidence reaches.",
  "For every other direction that could be taken, say what it needs, what it rules out and what it risks. Do not rank " +
  "them: a ranking would be a choice.",
  "What only the user can settle (intent, scope, priority, how much risk is acceptable) is a question, never a finding. " +
  `Put these questions in a list under the heading \`# ${USER_QUESTIONS_HEADING}\`, one list item each; leave the ` +
  "heading out if there is none.",
  "Say again what the record already claims only if you have new evidence for it, and name the record (such as " +
  "`C-0001`) that you build on or contradict.",
];

const FINDING_FORM = `# Findings

### F-001: Short title of the finding
Category: one word or phrase for the kind of finding
Evidence:
- \`path/from/the/project/root.ts:10-14\` — what that place shows
Tickets: none
Summary: what you claim, and where its evidence ends. The text goes on to the next heading.
`;

/**
 * Formats what the workers of a research cycle are asked to do.
 *
 * Depends on the cycle's name, the task and the draft alone.
 */
export function formatResearchInstruction(cycleId: string, taskKey: string, draft: Draft): string {
  return [
    `# Research for cycle ${cycleId}`,
    "Your task is the subject and the question that the user confirmed. Both stand in the record at the end of this " +
    "text, under `Subject and question`; take them from there.",
    "## Duties",
    DUTIES.map((duty, i) => `${i + 1}. ${duty}`).join("\n"),
    "## Form of the result",
    "The result file has one heading `# Findings`, and below it one block for each finding in exactly this form:",
    `\`\`\`markdown\n${FINDING_FORM}\`\`\``,
    "Number the findings F-001, F-002 and so on. `Evidence` has at least one line; a line names a file, or a file with " +
    "a line or a range of lines. `Tickets` are separated by commas, or `none`. If you found nothing, write " +
    "`No findings` below the heading instead of a block.",
    "## Input of this cycle",
    draft.inputRefs.length === 0 ? "none" : draft.inputRefs.join(", "),
    renderDraft(draft, taskKey),
  ].join("\n\n");
}
