import type { DispatchOrigin } from "@okstra/manifest-io/dispatch-origin";
import type { ItemIdentity } from "@okstra/manifest-io/identity";
import type { PromptDigests } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { Backend } from "@okstra/manifest-io/vocabulary";

/** How the wrapper is started: the file that is the wrapper, and the words that run it. */
export interface WrapperCommand {
  /** Absolute path of the wrapper, as rows and events name it. */
  readonly path: string;
  /** The words before the wrapper's own arguments; the first is a program. */
  readonly prefix: readonly string[];
  /** Whether it is a script that the provider's entry names, and not our own wrapper. */
  readonly isProviderScript: boolean;
}

/** The prepared invocation that a job carries out. */
export interface JobInvocation {
  readonly invocationId: string;
  /** The duty id. */
  readonly audience: string;
  readonly assignmentRef: string;
  /** Absolute. */
  readonly promptMetadataPath: string;
  /** `null` while the prompt is not materialised. */
  readonly digests: PromptDigests | null;
  readonly hostModelValue: string | null;
  readonly enforcementMode: "core-pre-dispatch";
}

/** The file that asked for a job, and the option that names it. */
export type JobOrigin = DispatchOrigin;

/** Everything that is needed to start one attempt of one worker. Paths are absolute and normalised. */
export interface Job {
  readonly workerId: string;
  readonly provider: string;
  /** The backend that is used, or is to be. */
  readonly backend: Backend;
  /** The backend that was asked for and could not be used; empty: it is the one that is used. */
  readonly degradedFrom: Backend | "";
  /** `null`: the roster. */
  readonly origin: JobOrigin | null;
  readonly projectRoot: string;
  readonly modelExecutionValue: string;
  readonly wrapper: WrapperCommand;
  readonly promptPath: string;
  readonly resultPath: string;
  readonly workerResultPath: string;
  readonly completionPaths: readonly string[];
  /** Empty: the task type has no worktree. */
  readonly worktreePath: string;
  readonly role: string;
  /** `null`: the role's own budget. */
  readonly idleTimeoutSeconds: number | null;
  /** `null`: the wrapper's own limit. */
  readonly totalTimeoutSeconds: number | null;
  readonly dispatchKind: string;
  /** Empty: the provider takes no session id. */
  readonly sessionId: string;
  readonly attempt: number;
  /** `null`: a job of version 1 that names no invocation. */
  readonly invocation: JobInvocation | null;
  /** `null`: identity version 1. */
  readonly identity: ItemIdentity | null;
}
