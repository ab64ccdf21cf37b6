import { compareText } from "@okstra/manifest-io/json-text";
import { OkstraError } from "@okstra/manifest-io/errors";
import { findRosterId } from "@okstra/manifest-io/identity";
import { REPORT_WRITER } from "@okstra/manifest-io/vocabulary";

/** From whom a roster dispatch chooses. */
export interface SelectionInput {
  /** The run's roster, in its own order. */
  readonly roster: readonly string[];
  /** Worker ids that the caller named; empty: choose by support. */
  readonly requested: readonly string[];
  /** Ids of the roster that a provider here can run. */
  readonly supported: readonly string[];
  /** Whether a choice by support includes the report writer. */
  readonly isReportWriterEnabled: boolean;
}

/** A roster worker that gets no job, and what its row is to say. */
export interface SkippedWorker {
  readonly workerId: string;
  readonly reason: string;
}

/** The workers that get a job, and those that are passed over. */
export interface Selection {
  readonly selected: readonly string[];
  readonly skipped: readonly SkippedWorker[];
}

/**
 * Chooses the workers of a roster dispatch.
 *
 * A request is followed in its own order. Without one, every supported worker of the roster is chosen in roster order; the
 * report writer only if it is enabled, and it is not marked as skipped otherwise: its turn comes later.
 *
 * @throws {OkstraError} `empty-roster`, `duplicate-request`, `not-in-roster`, `unsupported-worker` or `empty-plan`
 */
export function selectWorkers(input: SelectionInput): Selection {
  const { roster, requested, supported } = input;
  if (roster.length === 0) {
    throw new OkstraError(
      "empty-roster",
      "Cannot plan a dispatch: recommendedWorkers of the run is empty",
      {
        hint:
          "prepare one that has workers: okstra-manifest-io prepare --task-key KEY --task-type TYPE --brief FILE --worker ID",
      },
    );
  }
  if (requested.length > 0) return selectRequested(input);
  const selected = roster.filter((id) =>
    supported.includes(id) && (id !== REPORT_WRITER || input.isReportWriterEnabled)
  );
  if (selected.length === 0) {
    throw new OkstraError(
      "empty-plan",
      `Cannot plan a dispatch: no worker of the roster is supported (${roster.join(", ")})`,
      { hint: "okstra-wrapper-status providers --check" },
    );
  }
  return {
    selected,
    skipped: roster.filter((id) => !supported.includes(id)).map((workerId) => ({
      workerId,
      reason: "not supported: no provider here can run this worker",
    })),
  };
}

function selectRequested({ roster, requested, supported }: SelectionInput): Selection {
  refuseTwice(requested);
  const strangers = requested.filter((id) => !roster.includes(id));
  if (strangers.length > 0) {
    throw new OkstraError(
      "not-in-roster",
      `Cannot plan a dispatch for ${strangers.join(", ")}: not in the roster (${
        roster.join(", ")
      })`,
      { hint: "list the workers: okstra-team-state show" },
    );
  }
  const unsupported = requested.filter((id) => !supported.includes(id));
  if (unsupported.length > 0) {
    throw new OkstraError(
      "unsupported-worker",
      `Cannot plan a dispatch for ${unsupported.join(", ")}: ` +
        `okstra-dispatch supports ${[...supported].sort(compareText).join(", ") || "none"}`,
      { hint: "okstra-wrapper-status providers --check" },
    );
  }
  return {
    selected: requested,
    skipped: roster.filter((id) => !requested.includes(id)).map((workerId) => ({
      workerId,
      reason: "not requested",
    })),
  };
}

/**
 * Refuses a request that names a worker more than once.
 *
 * @throws {OkstraError} `duplicate-request`
 */
export function refuseTwice(requested: readonly string[]): void {
  const twice = requested.filter((id, index) => requested.indexOf(id) !== index);
  if (twice.length === 0) return;
  throw new OkstraError(
    "duplicate-request",
    `Cannot plan a dispatch: ${[...new Set(twice)].join(", ")} is requested twice`,
    { hint: "name it once; another attempt is a later run" },
  );
}

/** Drops `-worker` from ids where only the bare id is in the roster. */
export function bareIds(given: readonly string[], roster: readonly string[]): readonly string[] {
  const known = new Set(roster);
  return given.map((id) => findRosterId(known, id) ?? id);
}
