import { OkstraError } from "@okstra/manifest-io/errors";
import { readExternalJson } from "@okstra/manifest-io/io/external";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { findMissingPaths } from "@okstra/wrapper-status/io/completion";
import { readSidecar } from "@okstra/wrapper-status/io/sidecar";
import { dispatchLabel } from "../awaited.ts";
import { isOwnSidecar, type RowView, type SidecarView } from "../row-state.ts";
import { isAbandoned, readRowLiveness } from "./row-process.ts";

/** A row as it can be judged, and the times of its final status. */
export interface Observation {
  readonly view: RowView;
  /** `null`: there is no final status of this attempt. */
  readonly end: { readonly endedAt: string; readonly durationMs: number } | null;
}

/**
 * Looks at everything that tells what a row's dispatch has come to; changes nothing.
 *
 * @throws {OkstraError} `defective-row` for a row without a prompt, of which nothing can ever be known
 */
export function observeRow(run: Run, row: DispatchRow): Observation {
  const named = row.promptPath?.trim() ?? "", promptPath = run.at(named);
  if (named === "") {
    const state = "its row names no prompt";
    throw new OkstraError("defective-row", `Cannot observe ${dispatchLabel(row)}: ${state}`);
  }
  let sidecar = readSidecar(promptPath);
  let own = ownOf(row, sidecar);
  const liveness = own?.isTerminal === true
    ? { state: "exited", rule: "terminal-sidecar", evidence: ["there is a final status"] } as const
    : readRowLiveness(row, own);
  if (own?.isTerminal !== true && liveness.state !== "alive") {
    // The wrapper may have written its last word between the two looks.
    sidecar = readSidecar(promptPath);
    own = ownOf(row, sidecar);
  }
  const isFinal = own?.isTerminal === true;
  return {
    view: {
      row,
      sidecar: sidecar === null ? null : viewOf(sidecar),
      missing: isFinal ? findMissing(run, (row.completionPaths ?? []).map(run.at)) : [],
      liveness,
      isAbandoned: own === null && isAbandoned(row),
    },
    end: isFinal
      ? { endedAt: own!.endedAt ?? own!.updatedAt, durationMs: own!.durationMs ?? 0 }
      : null,
  };
}

function ownOf(row: DispatchRow, sidecar: StatusSidecar | null): StatusSidecar | null {
  return sidecar !== null && isOwnSidecar(row, sidecar) ? sidecar : null;
}

function viewOf(sidecar: StatusSidecar): SidecarView {
  const { dispatchId, attempt, isTerminal, stage, exitCode, signal, timeout } = sidecar;
  const { reason, failureClass } = sidecar;
  return {
    dispatchId,
    attempt,
    isTerminal,
    stage,
    exitCode,
    signal,
    timeout,
    reason: reason ?? "",
    failureClass,
  };
}

/** Lists the completion paths that hold no valid result of this run, with what is wrong with each. */
function findMissing(run: Run, paths: readonly string[]): readonly string[] {
  const directory = run.at(run.manifest.runDirectoryPath);
  const missing = findMissingPaths(paths, [directory], new Map())
    .map(({ path, state }) => state === "missing" ? path : `${path} (${state})`);
  const broken = paths.filter((path) => path.endsWith(".data.json") && !missing.includes(path))
    .filter((path) => !missing.some((each) => each.startsWith(`${path} (`)))
    .filter((path) => !isJson(path, directory))
    .map((path) => `${path} (not JSON)`);
  return [...missing, ...broken];
}

function isJson(path: string, root: string): boolean {
  try {
    readExternalJson(path, { root });
    return true;
  } catch (error) {
    if (error instanceof OkstraError) return false;
    throw error;
  }
}
