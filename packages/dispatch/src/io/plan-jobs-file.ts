import { quoteWord } from "@okstra/kit/command-line";
import { stat } from "@okstra/kit/host";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import { verifyPrompt } from "@okstra/manifest-io/io/prompts";
import type { Run } from "@okstra/manifest-io/io/run";
import { invocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import { jobsFile } from "@okstra/manifest-io/schemas/jobs-file";
import { runManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import type { Job } from "../job.ts";
import {
  authorityProblems,
  digestProblems,
  invocationProblems,
  isReservedRole,
} from "../job-authority.ts";
import { type EntryJob, planEntries } from "../jobs-file.ts";
import { bareIds } from "../worker-selection.ts";
import { checkPrompts } from "./check-prompts.ts";
import { knownProviders } from "./known-providers.ts";
import type { CommonFacts } from "./plan-facts.ts";
import { checkRequested, type NamedFile, parseNamedFile } from "./plan-batch.ts";

/** What helps where the entries of a run of version 1 are to be written, which no command does. */
export const FIRST_ENTRIES =
  "write entries of version 1 by hand; their fields: okstra-manifest-io schema jobs-file";

/**
 * Plans the dispatches of a jobs file, after everything that it says was held against the run.
 *
 * @throws {OkstraError} with everything that stands against it; then no worker starts
 */
export function planJobsFile(
  run: Run,
  named: NamedFile,
  options: { readonly workerIds: readonly string[]; readonly dispatchKind: string | null },
  facts: CommonFacts,
): readonly Job[] {
  const file = parseNamedFile(jobsFile, named), { path } = named;
  const kind = file.dispatchKind?.trim() || options.dispatchKind || INITIAL_KIND;
  if (options.dispatchKind !== null && kind !== options.dispatchKind) {
    throw new OkstraError(
      "other-kind",
      `Cannot plan a dispatch of kind "${options.dispatchKind}": ${
        JSON.stringify(path)
      } is of kind "${kind}"`,
      { hint: `leave --dispatch-kind out, or say --dispatch-kind ${quoteWord(kind)}` },
    );
  }
  const planned = planEntries(file, kind, path, facts);
  checkProviders(run, planned);
  const isSecond = run.identityVersion === 2;
  const strangers = planned.filter(({ job }) => !isSecond && job.identity !== null);
  if (strangers.length > 0) {
    throw new OkstraError(
      "first-version",
      `Cannot dispatch ${
        names(strangers)
      }: the entries have identity version 2, and the run has version 1`,
      { hint: FIRST_ENTRIES },
    );
  }
  if (isSecond || hasContract(run)) checkInvocations(run, planned, path, isSecond);
  checkReserved(run, planned);
  const jobs = planned.map(({ job }) => job);
  checkPrompts(run, jobs, kind);
  const requested = bareIds(options.workerIds, run.manifest.recommendedWorkers);
  checkRequested(requested, jobs, path);
  return requested.length === 0
    ? jobs
    : requested.flatMap((id) => jobs.filter((job) => job.workerId === id));
}

function checkProviders(run: Run, planned: readonly EntryJob[]): void {
  const known = knownProviders(run);
  const unknown = planned.filter(({ job }) => !known.includes(job.provider));
  if (unknown.length === 0) return;
  const shown = unknown.map(({ job }) => `"${job.provider}" (worker ${job.workerId})`);
  throw new OkstraError(
    "unknown-provider",
    `Cannot plan a dispatch over provider ${shown.join(", ")}: no such provider in this run`,
    { hint: "okstra-wrapper-status providers" },
  );
}

/**
 * Tells whether a run of version 1 has an agent contract, whose presence alone counts.
 *
 * @throws {OkstraError} if it has one and does not name its manifest, which its prompts are bound to
 */
function hasContract(run: Run): boolean {
  const { agentContract: contract, runManifestPath } = readDocument(
    runManifest,
    run.manifestPath,
  ) as { readonly agentContract?: unknown; readonly runManifestPath?: string };
  if (typeof contract !== "object" || contract === null || Array.isArray(contract)) return false;
  if (runManifestPath !== undefined) return true;
  throw new OkstraError(
    "run-path-missing",
    `Cannot plan a dispatch: ${
      JSON.stringify(run.manifestPath)
    } has an agentContract and no runManifestPath`,
    { hint: `write ${JSON.stringify(run.manifest.runManifestPath)} into it as runManifestPath` },
  );
}

function checkInvocations(
  run: Run,
  planned: readonly EntryJob[],
  path: string,
  isSecond: boolean,
): void {
  const issues: Issue[] = [];
  for (const [at, each] of planned.entries()) {
    const { entry, job } = each, pointer = `/workers/${at}`;
    const say = (message: string) =>
      issues.push({ file: path, pointer, message: `${job.workerId}: ${message}` });
    const { missing, problems } = invocationProblems(each, run.manifest);
    if (missing.length > 0) say(`it lacks ${missing.join(", ")}`);
    for (const problem of problems) say(problem);
    if (missing.length > 0) continue;
    const invocation = job.invocation!, place = invocation.promptMetadataPath;
    if (stat(place) === null) {
      say(`its metadata ${JSON.stringify(place)} is not there`);
      continue;
    }
    try {
      const expected = {
        invocationId: invocation.invocationId,
        assignmentRef: invocation.assignmentRef,
        audience: invocation.audience,
        participantRef: job.identity?.participantRef,
        roleExecutionRef: job.identity?.roleExecutionRef,
        ...(job.identity === null ? { workerId: job.workerId } : {}),
      };
      for (const { message } of verifyPrompt(run, place, expected)) say(message);
      const metadata = readDocument(invocationMetadata, place);
      for (const problem of digestProblems(entry, metadata)) say(problem);
      if (!isSecond) continue;
      const promptPath = run.at(metadata.prompt.path);
      for (const one of authorityProblems(each, metadata, promptPath, run.manifest)) say(one);
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      say(error.message);
    }
  }
  if (issues.length === 0) return;
  throw new OkstraError(
    "invocation-invalid",
    `Cannot dispatch jobs file ${JSON.stringify(path)}: it does not agree with its run (${
      issues.length === 1 ? "1 problem" : `${issues.length} problems`
    })`,
    { issues, hint: "okstra-dispatch jobs --batch FILE" },
  );
}

function checkReserved(run: Run, planned: readonly EntryJob[]): void {
  const reserved = planned.filter(({ job }) => isReservedRole(job, run.manifest));
  if (reserved.length === 0) return;
  throw new OkstraError(
    "reserved-role",
    `Cannot dispatch ${names(reserved)}: a translator is reserved and dispatched from a batch only`,
    { hint: "okstra-dispatch run --batch FILE" },
  );
}

function names(planned: readonly EntryJob[]): string {
  return planned.map(({ job }) => job.workerId).join(", ");
}
