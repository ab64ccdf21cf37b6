import { isBlank } from "@okstra/manifest-io/blank";

/** What became of one invocation of a worker: of its last attempt, since only that one counts. */
export type DispatchOutcome =
  & {
    /** What the invocation is called in messages. */
    readonly label: string;
    /** Empty if the row has none. */
    readonly invocationId: string;
    /** Name of the attempt. */
    readonly dispatch: string;
    /** Number of the attempt. */
    readonly attempts: number;
    /** Whether `okstra-dispatch await` brings it on: it runs on a command line, or is to be tried again there. */
    readonly isAwaitable?: boolean;
  }
  & (
    | { readonly state: "running" }
    | { readonly state: "completed"; readonly resultPath: string }
    | {
      readonly state: "failed";
      readonly stage: "start" | "after-retries";
      readonly status: string;
      readonly reason: string;
    }
  );

/** An outcome of a dispatch that ended. */
export type EndedOutcome = Exclude<DispatchOutcome, { readonly state: "running" }>;

/** A row of a document, of which nothing is known but that it is an object. */
export type Row = Readonly<Record<string, unknown>>;

/** An attempt as the execution manifest tells it. */
export interface AttemptFacts {
  readonly invocationRef: string;
  readonly attempt: number;
  readonly finishedAt: string | null;
  readonly status: string;
}

/** Where dispatches and their results are told. */
export interface DispatchSources {
  /** The team state; only its collections of dispatches and links are read. */
  readonly teamState: Row;
  /** Reads the attempts of the run; called only if the worker has dispatches of the host's own. */
  attempts(): readonly AttemptFacts[];
  /** Returns a path as it is recorded: relative to the project where it lies in it. */
  recordPath(path: string): string;
}

/** Returns a text, the empty one for a blank text or anything else. */
export function text(value: unknown): string {
  return typeof value === "string" && !isBlank(value) ? value : "";
}

/** Returns the number of the attempt of a row; 1 if it has none. */
export function attemptOf(row: Row): number {
  return typeof row["attempt"] === "number" ? row["attempt"] : 1;
}
