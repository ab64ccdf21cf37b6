import { type Duty, roleForDuty } from "./roles.ts";

const FINDINGS_FORM = `Give your result this form, so that it can be read by a program:

- a heading "# Findings", and below it one block per finding, or the words "No findings" and nothing else;
- each block begins with "### F-001: short title" (F-002, F-003 and so on);
- then the line "- Category: " with one word for the sort of finding;
- then the line "- Evidence:", and below it at least one line
  "- \`path/from/project/root:12-18\` — what this place shows";
- then the line "- Tickets: " with ticket numbers separated by commas, or "none";
- then the line "- Summary: " with what is the case and why it matters, up to the end of the block.

What only the person who gave the task can settle goes under a heading "# Questions for the user" at the end.
`;

const TEXTS: Readonly<Record<Duty, string>> = {
  "lead": `Lead this run: hand out work, collect what comes back and decide by the evidence in it.
Do not do the workers' work yourself.
`,
  "discussion-analysis":
    `Research the matter of the instruction on your own and write down what you found.
A statement about code or about an outside source needs a place where it can be checked.
Say what you could not find out. The instruction fixes the form of the result.
`,
  "requirements-analysis":
    `Work out what the task demands: what must hold afterwards, for whom, and how one will tell.
Keep apart what the sources say, what follows from them and what is your guess.

${FINDINGS_FORM}`,
  "analysis": `Examine what the instruction asks about and report what you found, good and bad.
Judge only what you opened yourself.

${FINDINGS_FORM}`,
  "design-authoring":
    `Design a way to do the task: its parts, their borders, and what happens when something fails.
Name at least one other way and why you would not take it.

${FINDINGS_FORM}`,
  "implementation-planning":
    `Plan the change in stages that can be checked one by one: which files, in which order, and how each
stage is tested. Each stage is one finding, with the places it changes as evidence.

${FINDINGS_FORM}`,
  "implementation":
    `Make the change that the instruction describes, in the worktree named above and nowhere else.
Run the checks that the project has. Write into the result what you changed, why, which checks ran and
how they ended, and what is left to do.
`,
  "implementation-executor":
    `Carry out the stage that the instruction names, in the worktree named above and nowhere else.
Do not go beyond the stage. Write into the result each changed file, each command that you ran with how
it ended, and every place where you had to leave the plan.
`,
  "implementation-verifier": `Check what another worker did against the instruction. Change nothing.
Run the checks yourself and believe no report of a run. Write into the result for each demand whether it
is met, and the command output or place that shows it.
`,
  "final-verification":
    `Check the finished work against everything that was demanded. Change nothing.
Run the checks yourself. A demand that you could not check counts as not met; say why.

${FINDINGS_FORM}`,
  "release-planning":
    `Work out how the finished work gets to its users: order of steps, what can go wrong at each, and how
to go back.

${FINDINGS_FORM}`,
  "source-research":
    `Find the sources that answer the instruction's question and read them yourself.
Give for each statement the source and the place in it, and say where sources disagree.

${FINDINGS_FORM}`,
  "convergence-reverify":
    `Judge findings that were reported before, each on its own evidence and without regard to who reported it.
Open every place yourself. The instruction lists the findings and fixes the form of the verdicts; keep to
it exactly, since a result of another form cannot be counted.
`,
  "coverage-critique":
    `Look for what all the others missed: places nobody opened, demands nobody judged, failures nobody tried.
Do not repeat what was already found. The instruction fixes the form of the result.
`,
  "report-authoring":
    `Write the final report from the artifacts that the instruction names. State only what they hold, with
the classification that each finding got, and name what stayed open. The data file goes to the result
path; the worker result is a short file that names it.
`,
  "translation":
    `Translate what the instruction names. Keep the meaning, the structure, names, numbers and code as they are.
`,
};

/**
 * Returns what a duty asks of every worker that has it; the text whose digest an invocation carries.
 *
 * @throws {OkstraError} `unknown-duty`
 */
export function dutyText(duty: string): string {
  roleForDuty(duty);
  return TEXTS[duty as Duty];
}
