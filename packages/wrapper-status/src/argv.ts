import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { roleForDuty } from "@okstra/manifest-io/roles";

/** How much of a worker's output its wrapper shows while it runs. */
export const PRESENTATIONS = ["quiet", "live"] as const;
export type Presentation = typeof PRESENTATIONS[number];

/** What dispatch knows about a worker that it is about to start. */
export interface WrapperJob {
  /** Words before the first positional: the wrapper's path and, for `okstra-wrapper-status`, `run`. */
  readonly wrapper: readonly string[];
  /** Name for `--provider`; `null` for a wrapper script of the provider's own, which takes no such option. */
  readonly provider: string | null;
  readonly projectRoot: string;
  readonly modelExecutionValue: string;
  readonly promptPath: string;
  /** Blank if there is none; its place is kept. */
  readonly worktreePath: string;
  /** The stored role; replaced by that of the duty in a job with identity. */
  readonly role: string;
  /** `null`: the wrapper takes the role's budget. */
  readonly idleTimeoutSeconds: number | null;
  /** Absent or `null`: the wrapper's own limit. A wrapper script takes none. */
  readonly totalTimeoutSeconds?: number | null;
  /** The backend that is really used, after any degradation. */
  readonly backend: string;
  readonly promptMetadataPath?: string;
  readonly sessionId?: string;
  readonly participantRef?: string;
  readonly roleExecutionRef?: string;
  readonly executionLabel?: string;
  readonly dutyId?: string;
  readonly invocationRef?: string;
  /** From 1 in a job with identity. */
  readonly attempt?: number;
}

const REFERENCES = [
  "participantRef",
  "roleExecutionRef",
  "executionLabel",
  "dutyId",
  "invocationRef",
] as const;

/**
 * Builds the command line that starts a worker's wrapper.
 *
 * Six positions follow the wrapper, always the same ones; options come after them.
 *
 * @throws {OkstraError} `partial-identity`, `bad-attempt`, `no-total-timeout`, or `bad-position` for a value that would be read as an option
 */
export function wrapperArgv(job: WrapperJob): readonly string[] {
  const hasIdentity = checkIdentity(job);
  return [
    ...job.wrapper,
    ...checkPositions(job, [
      job.projectRoot,
      job.modelExecutionValue,
      job.promptPath,
      job.worktreePath,
      hasIdentity ? roleOfDuty(job) : job.role,
      job.idleTimeoutSeconds === null ? "" : String(job.idleTimeoutSeconds),
    ]),
    ...(job.provider === null ? [] : ["--provider", job.provider]),
    "--presentation",
    presentationOf(job.backend),
    ...(hasIdentity && job.promptMetadataPath
      ? ["--invocation-metadata", job.promptMetadataPath]
      : []),
    ...totalTimeout(job),
    ...(job.sessionId ? ["--session-id", job.sessionId] : []),
  ];
}

/** Returns what a wrapper shows: a pane is watched by a person, any other output enters somebody's context. */
export function presentationOf(backend: string): Presentation {
  return backend === "cli-wrapper" ? "quiet" : "live";
}

function totalTimeout({ totalTimeoutSeconds = null, provider, promptPath }: WrapperJob) {
  if (totalTimeoutSeconds === null) return [];
  if (provider !== null) return ["--total-timeout", String(totalTimeoutSeconds)];
  throw new OkstraError(
    "no-total-timeout",
    `Cannot limit the total time of the worker of ${
      JSON.stringify(promptPath)
    }: the wrapper script of its provider takes no such limit`,
    { hint: "leave --total-timeout out, or let the script end its program itself" },
  );
}

function checkIdentity(job: WrapperJob): boolean {
  const missing = REFERENCES.filter((name) => isBlank(job[name] ?? ""));
  if (missing.length === REFERENCES.length) return false;
  if (missing.length > 0) {
    throw new OkstraError(
      "partial-identity",
      `Cannot start the worker of ${JSON.stringify(job.promptPath)}: its identity lacks ${
        missing.join(", ")
      }`,
      { hint: "give all five references, or none" },
    );
  }
  if (!Number.isSafeInteger(job.attempt) || job.attempt! < 1) {
    throw new OkstraError(
      "bad-attempt",
      `Cannot start the worker of ${JSON.stringify(job.promptPath)}: its attempt is ${
        job.attempt ?? "missing"
      }, not a number from 1`,
      { hint: "count attempts from 1" },
    );
  }
  return true;
}

/** Positions are told from options by their first character alone. */
function checkPositions(job: WrapperJob, positions: readonly string[]): readonly string[] {
  const bad = positions.find((word) => word.length > 1 && word.startsWith("-"));
  if (bad === undefined) return positions;
  throw new OkstraError(
    "bad-position",
    `Cannot start the worker of ${JSON.stringify(job.promptPath)}: ${
      JSON.stringify(bad)
    } begins with a dash and would be read as an option`,
    { hint: "give another model, or a path that begins with / or ./" },
  );
}

function roleOfDuty(job: WrapperJob): string {
  try {
    return roleForDuty(job.dutyId ?? "");
  } catch (error) {
    // A duty of a newer catalogue must not stop a worker whose stored role is known.
    if (error instanceof OkstraError && error.code === "unknown-duty") return job.role;
    throw error;
  }
}
