import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { isOwnSidecar } from "@okstra/manifest-io/identity";
import { readExternalJson } from "@okstra/manifest-io/io/external";
import type { Run } from "@okstra/manifest-io/io/run";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { findMissingPaths } from "@okstra/manifest-io/io/completion";
import { readSidecar } from "@okstra/wrapper-status/io/sidecar";
import { dispatchLabel } from "../awaited.ts";
import type { RowView, SidecarView } from "../row-state.ts";
import { findLaunch, isAbandoned, readRowLiveness } from "./row-process.ts";
import type { SidecarReader } from "./sidecar-cache.ts";

/** What a final status says beside how the attempt ended. */
export interface AttemptEnd {
  readonly endedAt: string;
  readonly durationMs: number;
  /** How long the provider asked to be left alone; `null`: it said nothing. */
  readonly retryAfterMs: number | null;
  /** When it was written, on the real clock, in milliseconds since 1970. */
  readonly writtenMs: number;
}

/** A row as it can be judged, with what its own status says. */
export interface Observation {
  readonly view: RowView;
  /** `null`: there is no final status of this attempt. */
  readonly end: AttemptEnd | null;
  /** The status of this very attempt. */
  readonly own: StatusSidecar | null;
}

/**
 * Looks at everything that tells what a row's dispatch has come to; changes nothing.
 *
 * @throws {OkstraError} `defective-row` for a row without a prompt, of which nothing can ever be known
 */
export function observeRow(
  run: Run,
  row: DispatchRow,
  read: SidecarReader = readSidecar,
): Observation {
  const named = row.promptPath?.trim() ?? "", promptPath = run.at(named);
  if (named === "") {
    const state = "its row names no prompt";
    throw new OkstraError("defective-row", `Cannot observe ${dispatchLabel(row)}: ${state}`, {
      hint: "see what of the run does not agree: okstra-manifest-io validate-run",
    });
  }
  let sidecar = read(promptPath);
  let own = ownOf(row, sidecar);
  const liveness = own?.isTerminal === true
    ? { state: "exited", rule: "terminal-sidecar", evidence: ["there is a final status"] } as const
    : readRowLiveness(run, row, own);
  if (own?.isTerminal !== true && liveness.state !== "alive") {
    // The wrapper may have written its last word between the two looks.
    sidecar = read(promptPath);
    own = ownOf(row, sidecar);
  }
  const end = own?.isTerminal === true ? own : null;
  return {
    view: {
      row,
      sidecar: sidecar === null ? null : viewOf(sidecar),
      missing: end === null ? [] : findMissing(run, row, end),
      liveness,
      isAbandoned: own === null && isAbandoned(run, row),
    },
    end: end === null ? null : endOf(end, promptPath),
    own,
  };
}

function ownOf(row: DispatchRow, sidecar: StatusSidecar | null): StatusSidecar | null {
  return sidecar !== null && isOwnSidecar(row, sidecar) ? sidecar : null;
}

function endOf(own: StatusSidecar, promptPath: string): AttemptEnd {
  return {
    endedAt: own.endedAt ?? own.updatedAt,
    durationMs: own.durationMs ?? 0,
    retryAfterMs: own.retryAfterMs ?? null,
    // Not endedAt, which SOURCE_DATE_EPOCH may have fixed.
    writtenMs: stat(sidecarPath(promptPath))?.mtimeMs ?? 0,
  };
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

/** Lists the completion paths that hold no valid result of this attempt, with what is wrong with each. */
function findMissing(run: Run, row: DispatchRow, end: StatusSidecar): readonly string[] {
  const paths = (row.completionPaths ?? []).map(run.at), witness = findLaunch(run, row);
  const directory = run.at(run.manifest.runDirectoryPath);
  const missing = findMissingPaths(paths, [directory], { before: new Map(), witness });
  const isLeft = (path: string) => !missing.some((each) => each.path === path);
  const broken = paths.filter((path) => path.endsWith(".data.json") && isLeft(path))
    .filter((path) => !isJson(path, directory))
    .map((path) => ({ path, state: "not JSON" }));
  // Who knows nothing of the start can take no file that the wrapper, which saw it, did not take.
  const refused = witness === null ? end.missingCompletionPaths : [];
  return [
    ...missing,
    ...broken,
    ...refused.filter(isLeft).map((path) => ({ path, state: "not there when its wrapper ended" })),
  ].map(({ path, state }) => state === "missing" ? path : `${path} (${state})`);
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
