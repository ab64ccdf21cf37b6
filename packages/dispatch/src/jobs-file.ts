import type { Issue } from "@okstra/manifest-io/errors";
import { OkstraError } from "@okstra/manifest-io/errors";
import { type ItemIdentity, parseItemIdentity, workerKey } from "@okstra/manifest-io/identity";
import type { PromptDigests } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { JobsFile, JobsFileEntry } from "@okstra/manifest-io/schemas/jobs-file";
import { defaultProvider, firstJob, type FirstJobFacts } from "./first-job.ts";
import type { Job, JobInvocation } from "./job.ts";

const JOBS_HINT = "print the file that a batch comes to: okstra-dispatch jobs --batch FILE";

/** The five digests that pin a prompt. */
export const DIGEST_KEYS = [
  "catalogDigest",
  "assignmentDigest",
  "dutyDigest",
  "instructionDigest",
  "promptDigest",
] as const satisfies readonly (keyof PromptDigests)[];

/** An entry and the job that it comes to. */
export interface EntryJob {
  readonly entry: JobsFileEntry;
  readonly job: Job;
}

/**
 * Builds the jobs of a jobs file. Results and completion paths are derived from the run, whatever the file says.
 *
 * @param kind of the dispatch
 * @param path of the file, for messages
 * @throws {OkstraError} `jobs-file-invalid`, with everything that is wrong with any entry
 */
export function planEntries(
  file: JobsFile,
  kind: string,
  path: string,
  facts: FirstJobFacts,
): readonly EntryJob[] {
  const issues: Issue[] = [];
  const planned = file.workers.flatMap((entry, at): (EntryJob & { readonly at: number })[] => {
    try {
      return [{ at, entry, job: planEntry(entry, at, kind, path, facts) }];
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      issues.push({ file: path, pointer: `/workers/${at}`, message: error.message });
      return [];
    }
  });
  for (const key of ["promptPath", "workerResultPath"] as const) {
    for (const { at, job } of planned) {
      const first = planned.find((other) => other.job[key] === job[key])!;
      if (first.at === at) continue;
      const message = `"${job[key]}" is that of entry ${first.at} too`;
      issues.push({ file: path, pointer: `/workers/${at}/${key}`, message });
    }
  }
  if (file.workers.length === 0) {
    issues.push({ file: path, pointer: "/workers", message: "it is empty" });
  }
  if (issues.length === 0) return planned;
  const state = issues.length === 1 ? issues[0]!.message : `${issues.length} problems`;
  throw new OkstraError(
    "jobs-file-invalid",
    `Cannot plan a dispatch from jobs file ${JSON.stringify(path)}: ${state}`,
    { issues, hint: JOBS_HINT },
  );
}

function planEntry(
  entry: JobsFileEntry,
  at: number,
  kind: string,
  path: string,
  facts: FirstJobFacts,
): Job {
  const refuse = (state: string) =>
    new OkstraError("jobs-file-invalid", `Cannot read entry ${at} of the jobs file: ${state}`, {
      hint: JOBS_HINT,
    });
  const identity = parseItemIdentity(entry, `entry ${at} of the jobs file`);
  if (identity !== null && entry.attempt === undefined) throw refuse('"attempt" is missing');
  const workerId = workerKey(entry).trim();
  if (workerId === "") {
    throw refuse(identity === null ? '"workerId" is missing' : '"assignmentRef" names no worker');
  }
  const provider = entry.provider?.trim() || (identity === null ? defaultProvider(workerId) : "");
  if (provider === "") throw refuse('"provider" is missing');
  const job = firstJob({
    workerId,
    provider,
    modelExecutionValue: entry.modelExecutionValue.trim(),
    promptPath: entry.promptPath.trim(),
    workerResultPath: entry.workerResultPath.trim(),
    role: entry.role.trim(),
  }, facts);
  const worktree = entry.worktreePath?.trim() ?? "";
  return {
    ...job,
    origin: { option: "jobs-file", path },
    dispatchKind: kind,
    worktreePath: worktree === "" ? job.worktreePath : facts.at(worktree),
    attempt: 1,
    identity: identity === null ? null : { ...identity, attempt: 1 },
    invocation: invocationOf(entry, identity, facts),
  };
}

function invocationOf(
  entry: JobsFileEntry,
  identity: ItemIdentity | null,
  facts: FirstJobFacts,
): JobInvocation | null {
  const invocationId = entry.invocationId?.trim() || identity?.invocationRef || "";
  if (invocationId === "") return null;
  const metadata = entry.promptMetadataPath?.trim() ?? "";
  return {
    invocationId,
    audience: entry.audience?.trim() ?? "",
    assignmentRef: entry.assignmentRef?.trim() ?? "",
    promptMetadataPath: metadata === "" ? "" : facts.at(metadata),
    digests: entryDigests(entry),
    hostModelValue: entry.hostModelValue ?? null,
    enforcementMode: "core-pre-dispatch",
  };
}

/** Returns the digests of an entry; `null`: not all five are there. */
export function entryDigests(entry: JobsFileEntry): PromptDigests | null {
  const { digests } = entry;
  if (typeof digests !== "object" || digests === null) return null;
  const found = digests as Partial<Record<string, unknown>>;
  const isWhole = DIGEST_KEYS.every((key) => typeof found[key] === "string" && found[key] !== "");
  return isWhole
    ? Object.fromEntries(DIGEST_KEYS.map((key) => [key, found[key]])) as PromptDigests
    : null;
}

/**
 * Writes the jobs file that jobs of version 2 come to.
 *
 * @param relative makes a path one of the project
 * @throws {OkstraError} `mixed-kinds`
 */
export function formatJobsFile(
  jobs: readonly Job[],
  relative: (path: string) => string,
): {
  readonly dispatchKind: string;
  readonly workers: readonly Readonly<Record<string, unknown>>[];
} {
  const [kind, ...others] = new Set(jobs.map((job) => job.dispatchKind));
  if (kind === undefined || others.length > 0) {
    throw new OkstraError(
      "mixed-kinds",
      `Cannot write a jobs file of ${[kind, ...others].join(" and ")}: it has one dispatch kind`,
      { hint: "choose workers of one kind with --worker ID" },
    );
  }
  return {
    dispatchKind: kind,
    workers: jobs.map(({ identity, invocation, ...job }) => ({
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      ...identity,
      provider: job.provider,
      modelExecutionValue: job.modelExecutionValue,
      role: job.role,
      promptPath: relative(job.promptPath),
      workerResultPath: relative(job.workerResultPath),
      worktreePath: job.worktreePath,
      invocationId: invocation!.invocationId,
      audience: invocation!.audience,
      assignmentRef: invocation!.assignmentRef,
      promptMetadataPath: relative(invocation!.promptMetadataPath),
      enforcementMode: invocation!.enforcementMode,
      digests: { ...invocation!.digests },
      hostModelValue: invocation!.hostModelValue,
    })),
  };
}
