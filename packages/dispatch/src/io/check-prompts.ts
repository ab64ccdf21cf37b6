import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { readActiveContext } from "@okstra/manifest-io/io/active-context";
import { readExternalText } from "@okstra/manifest-io/io/external";
import { formatReplace } from "@okstra/manifest-io/io/prompts";
import type { Run } from "@okstra/manifest-io/io/run";
import type { Job } from "../job.ts";
import { promptProblems } from "../prompt-contract.ts";

/**
 * Checks the prompts of jobs that were prepared elsewhere, and lists everything that is wrong with all of them.
 *
 * @param kind of the dispatch: verification prompts keep to another contract than first ones
 * @throws {OkstraError} `forbidden-actions-missing` or `prompt-invalid`
 */
export function checkPrompts(run: Run, jobs: readonly Job[], kind: string): void {
  const forbiddenActions = kind.startsWith("reverify-r") ? readForbiddenActions(run) : null;
  const issues = jobs.flatMap((job): Issue[] => {
    const say = (message: string) => ({
      file: job.promptPath,
      message: `${job.workerId}: ${message}`,
    });
    try {
      const prompt = readExternalText(job.promptPath, { root: run.projectRoot, label: "prompt" });
      return promptProblems(prompt, { job, forbiddenActions }).map(say);
    } catch (error) {
      if (error instanceof OkstraError) return [say(error.message)];
      throw error;
    }
  });
  const anew = run.identityVersion === 1
    ? "mend them there"
    : `${ANEW}okstra-manifest-io prompt materialize --replace-undispatched, with the --batch that they are of`;
  refuseProblems(run, issues, anew);
}

const ANEW = "write prompts anew that were never dispatched: ";

/** Names what writes the prompts of a plan's workers anew. */
export function hintAnew(workers: readonly string[], batchPath: string | undefined): string {
  return `${ANEW}${formatReplace(workers, batchPath)}`;
}

/**
 * Refuses prompts that have problems.
 *
 * @throws {OkstraError} `prompt-invalid`, if there are any
 */
export function refuseProblems(run: Run, issues: readonly Issue[], hint: string): void {
  if (issues.length === 0) return;
  const state = issues.length === 1 ? "a problem" : `${issues.length} problems`;
  throw new OkstraError(
    "prompt-invalid",
    `Cannot dispatch ${run.taskType} ${run.seq}: its prompts have ${state}`,
    { issues, hint },
  );
}

function readForbiddenActions(run: Run): string {
  const context = readActiveContext(run);
  if (context !== null) return context.workflow.forbiddenActions;
  throw new OkstraError(
    "forbidden-actions-missing",
    `Cannot dispatch a verification of ${run.taskType} ${run.seq}: the run has no active run context, ` +
      "whose workflow.forbiddenActions its prompts must hold",
    { hint: `write it at the activeRunContextPath of ${run.manifestPath}` },
  );
}
