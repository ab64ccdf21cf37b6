import { nowMs } from "@okstra/kit/host";
import { logPath, metadataPath } from "@okstra/manifest-io/run-names";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { describeActivity } from "../activity.ts";
import type { Liveness } from "../liveness.ts";
import { describeOrphan } from "../orphans.ts";
import { findOrphans, type Orphan } from "./orphans.ts";
import { readLiveness } from "./process-facts.ts";
import { promptPathOf, requireSidecar, sidecarPathFor } from "./sidecar.ts";

/** Paths of the files that stand beside a prompt. */
export interface PromptPaths {
  readonly promptPath: string;
  readonly sidecarPath: string;
  readonly logPath: string;
  readonly metadataPath: string;
}

/** Derives the paths of the files beside a prompt; the files need not exist. */
export function derivePaths(promptOrSidecar: string): PromptPaths {
  const promptPath = promptPathOf(promptOrSidecar);
  return {
    promptPath,
    sidecarPath: sidecarPathFor(promptPath),
    logPath: logPath(promptPath),
    metadataPath: metadataPath(promptPath),
  };
}

/** What is known about the worker of a prompt. */
export interface Explanation extends Liveness {
  readonly promptPath: string;
  readonly sidecarPath: string;
  readonly stage: StatusSidecar["stage"] | null;
  readonly dispatchId: string | null;
  readonly attempt: number | null;
  /** Processes that run although the wrapper is gone. */
  readonly orphans: readonly Orphan[];
}

/**
 * Tells whether the worker of a prompt lives, what decided and from what evidence.
 *
 * @throws {OkstraError} if there is a sidecar that cannot be read
 */
export function explainWorker(promptOrSidecar: string): Explanation {
  const promptPath = promptPathOf(promptOrSidecar);
  return explainSidecar(promptPath, requireSidecar(promptPath));
}

/** Tells the same of a sidecar that was read elsewhere; `null`: there is none beside that prompt. */
export function explainSidecar(promptPath: string, sidecar: StatusSidecar | null): Explanation {
  const verdict = readLiveness(sidecar);
  const activity = sidecar === null ? [] : describeActivity(sidecar, nowMs());
  const search = sidecar === null ? null : findOrphans(sidecar);
  const orphans = search?.orphans ?? [];
  return {
    promptPath,
    sidecarPath: sidecarPathFor(promptPath),
    ...verdict,
    evidence: [...verdict.evidence, ...activity, ...orphans.map(describeOrphan)],
    stage: sidecar?.stage ?? null,
    dispatchId: sidecar?.dispatchId ?? null,
    attempt: sidecar?.attempt ?? null,
    orphans,
  };
}
