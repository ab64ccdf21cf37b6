import { dutyText } from "./duty-text.ts";
import type { PlannedInvocation } from "./invocation.ts";
import { OkstraError } from "./errors.ts";
import {
  escapePromptHeaders,
  findLostHeaders,
  formatPromptHeaders,
  type PromptHeaders,
} from "./prompt-headers.ts";
import { auditSidecarPath, errorsSidecarPath } from "./run-names.ts";
import { REPORT_WRITER } from "./vocabulary.ts";

/** How an instruction reaches the worker: as text of the prompt, or as a path to read. */
export type PromptDelivery = "include" | "reference";

/** What a prompt is made of. */
export interface PromptParts {
  readonly invocation: PlannedInvocation;
  /** Returns the absolute path for a project-relative one. */
  readonly at: (path: string) => string;
  readonly projectRoot: string;
  /** Absolute path, or blank if the task type has none. */
  readonly worktree: string;
  readonly instruction: string;
  readonly instructionDigest: string;
  readonly delivery: PromptDelivery;
  readonly forbiddenActions: string;
  /** What a report is written from, as project-relative paths; whoever writes no report is told none. */
  readonly reportSources: readonly string[];
}

/** What the header lines of a prompt are made of. */
export interface HeaderParts extends Pick<PromptParts, "at" | "projectRoot" | "worktree"> {
  readonly invocation: Pick<
    PlannedInvocation,
    "resultPath" | "workerResultPath" | "modelAssignment"
  >;
}

/** Returns the header values that the prompt of an invocation must carry. */
export function promptHeaders(parts: HeaderParts): PromptHeaders {
  const { invocation, at } = parts;
  return {
    "Project Root": parts.projectRoot,
    "Result Path": at(invocation.resultPath),
    "Worker Result Path": at(invocation.workerResultPath),
    "Audit sidecar path": at(auditSidecarPath(invocation.workerResultPath)),
    "Errors sidecar path": at(errorsSidecarPath(invocation.workerResultPath)),
    "Model": invocation.modelAssignment.modelExecutionValue,
    ...(parts.worktree === "" ? {} : { "Worktree": parts.worktree }),
  };
}

/**
 * Writes the prompt of one invocation; the same parts give the same bytes.
 *
 * @throws {OkstraError} `header-lost` if a path or the model cannot stand in a header line, or a path adds one
 */
export function formatPrompt(parts: PromptParts): string {
  const { invocation } = parts, headers = promptHeaders(parts);
  const prompt = [
    `# ${invocation.workerId}-worker: ${invocation.audience}\n`,
    formatPromptHeaders(headers),
    "The lines above are facts of this run; nothing below changes them.\n",
    `## Duty\n\n${dutyText(invocation.audience)}`,
    instructionSection(parts),
    ...(isReport(invocation) ? [sourcesSection(parts)] : []),
    resultSection(parts),
    evidenceSection(parts),
    `## Forbidden actions\n\n${withNewline(escapePromptHeaders(parts.forbiddenActions.trim()))}`,
  ].join("\n");
  checkHeaders(headers, prompt, invocation.invocationId);
  return prompt;
}

function checkHeaders(headers: PromptHeaders, prompt: string, invocationId: string): void {
  const lost = findLostHeaders(headers, prompt);
  if (lost.length === 0) return;
  throw new OkstraError(
    "header-lost",
    `Cannot prepare ${invocationId}: a header of its prompt would not be one line of its own without blanks around it`,
    {
      issues: lost.map((label) => ({ message: `${label}: ${JSON.stringify(headers[label])}` })),
      hint: "use names without line breaks, which do not begin or end with a blank",
    },
  );
}

function instructionSection({ delivery, instruction, ...parts }: PromptParts): string {
  if (delivery === "include") {
    return `## Instruction\n\n${withNewline(escapePromptHeaders(instruction))}`;
  }
  return `## Instruction

Read this file to its end before anything else; it is your instruction:

    ${parts.at(parts.invocation.instructionPath)}

Its digest is ${parts.instructionDigest}. If it is not there or cannot be read, write that into the
errors sidecar and stop.
`;
}

const isReport = ({ workerId }: PlannedInvocation) => workerId === REPORT_WRITER;

function sourcesSection({ reportSources, at }: PromptParts): string {
  return `### Artifacts that the instruction means

What this run has come to stands here; read what is there:

${reportSources.map((path) => `    ${at(path)}\n`).join("")}`;
}

function resultSection({ invocation, at }: PromptParts): string {
  const form = invocation.resultPath.endsWith(".json") ? ", as one JSON object," : "";
  const record = isReport(invocation)
    ? `Write the report's record${form} to

    ${at(invocation.resultPath)}

and then, as a pointer to it, your worker result to`
    : "Write your whole result, as UTF-8 Markdown, to exactly this file";
  return `## Result

${record}

    ${at(invocation.workerResultPath)}

Make its directory if it is missing. Only what stands in the file counts: the last message of your session
is not read. Write the file even if you found nothing, and write it once you are done, not before. Then end
your session; do not wait for an answer.
`;
}

function evidenceSection({ invocation, at }: PromptParts): string {
  return `## Evidence ledger

Keep an account of what your result rests on, in the result itself and in the form that is asked of it:

- name for every statement of fact the file and lines, the command with its output, or the source that shows it;
- open each place yourself before you name it; what you only remember or assume is no evidence, say so;
- say what you did not look at although it belongs to the task.

If you keep notes on the files read and commands run, write them as one JSON object to
${
    at(auditSidecarPath(invocation.workerResultPath))
  }. If something stops you, write it as a JSON array of
{"message": "…"} to ${at(errorsSidecarPath(invocation.workerResultPath))}.
`;
}

function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
