import { parsePromptHeaders } from "@okstra/manifest-io/prompt-headers";
import type { Job } from "./job.ts";

/** What a prompt that somebody else wrote must keep to. */
export interface PromptContract {
  readonly job: Pick<
    Job,
    "projectRoot" | "resultPath" | "workerResultPath" | "worktreePath" | "modelExecutionValue"
  >;
  /** What a verification prompt must forbid; `null`: it is no verification prompt. */
  readonly forbiddenActions: string | null;
}

/**
 * Lists what is wrong with the text of a prompt.
 *
 * Its header lines must say what the job says, since the worker and the write policy go by them. A first prompt needs a
 * section on the evidence ledger; a verification prompt the forbidden actions, and the model in its header, since a slip
 * there would only show as a refusal of the provider.
 */
export function promptProblems(
  prompt: string,
  { job, forbiddenActions }: PromptContract,
): readonly string[] {
  const problems: string[] = [], headers = parsePromptHeaders(prompt);
  const check = (label: keyof typeof headers, wanted: string, isRequired: boolean) => {
    const value = headers[label];
    if (value === undefined && isRequired) problems.push(`header "${label}" is missing`);
    if (value !== undefined && value !== wanted) {
      problems.push(`header "${label}" is "${value}", expected "${wanted}"`);
    }
  };
  check("Project Root", job.projectRoot, true);
  check("Result Path", job.resultPath, true);
  check("Worker Result Path", job.workerResultPath, job.workerResultPath !== job.resultPath);
  if (job.worktreePath !== "") check("Worktree", job.worktreePath, true);
  check("Model", job.modelExecutionValue, forbiddenActions !== null);
  if (forbiddenActions === null) {
    if (!/^#{1,6} evidence ledger\s*$/im.test(prompt)) {
      problems.push('it has no section "Evidence ledger"');
    }
  } else if (!squeeze(prompt).includes(squeeze(forbiddenActions))) {
    problems.push("it does not hold the forbidden actions of the run");
  }
  return problems;
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
