import type { ExecutionManifest } from "./schemas/execution-manifest.ts";
import type { RunManifest } from "./schemas/run-manifest.ts";
import type { TeamState } from "./schemas/team-state.ts";

/** The documents of a run, and where each was read. */
export interface RunDocuments {
  readonly manifest: RunManifest;
  /** Which version the manifest on disk has. */
  readonly identityVersion: 1 | 2;
  readonly teamState: TeamState;
  readonly teamStatePath: string;
  readonly execution: ExecutionManifest;
  readonly executionPath: string;
  /**
   * Tells why a path of a document holds no result; `null` if it does.
   *
   * @param attempt the one that has to have written it; left out: any
   */
  readonly findFault: (path: string, attempt?: RecordedTimes) => string | null;
}

/** What tells when an attempt ran. */
export interface RecordedTimes {
  /** Files that were written when it began; those that are there count. */
  readonly beginnings: readonly string[];
  /** When it ended, as it is recorded; `null`: that is not known. */
  readonly endedAt: string | null;
}

/** Takes a problem: where in the document it is, and what it is. */
export type Report = (pointer: string, message: string) => void;
