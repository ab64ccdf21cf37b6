import { randomId } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readActiveContext, worktreePath } from "@okstra/manifest-io/io/active-context";
import type { Run } from "@okstra/manifest-io/io/run";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { teamStatePath } from "@okstra/team-state/io/team-state";
import { workerRow } from "@okstra/team-state/rows";
import type { PlanVerb } from "../start-hint.ts";
import { findWrapper, wrapperPlaces } from "./find-wrapper.ts";
import { ownProviders } from "./known-providers.ts";
import type { NamedFile } from "./plan-batch.ts";
import type { Session } from "./session.ts";

/** What a caller asks to be dispatched. */
export interface PlanOptions {
  /** For hints (default: `start`). */
  readonly verb?: PlanVerb;
  /** Worker ids; empty: all that the roster or the file names. */
  readonly workerIds: readonly string[];
  /** `null`: the first assignment of the roster, unless there is a jobs file. */
  readonly batch: NamedFile | null;
  readonly jobsFile: NamedFile | null;
  readonly dispatchKind: string | null;
  readonly isReportWriterEnabled: boolean;
  readonly idleTimeoutSeconds: number | null;
  readonly totalTimeoutSeconds: number | null;
}

/** Returns what all jobs of a plan have in common. */
export function jobFacts(session: Session, options: PlanOptions) {
  const { run, env } = session, places = wrapperPlaces(env), providers = ownProviders(run);
  return {
    manifest: run.manifest,
    projectRoot: run.projectRoot,
    at: run.at,
    worktreePath: worktreePath(run, readActiveContext(run)),
    idleTimeoutSeconds: options.idleTimeoutSeconds,
    totalTimeoutSeconds: options.totalTimeoutSeconds,
    wrapperOf: (provider: string) => findWrapper(provider, providers, run.projectRoot, places),
    newSessionId: randomId,
  };
}

export type CommonFacts = ReturnType<typeof jobFacts>;

/**
 * Refuses a kind that the roster's own prompts do not have.
 *
 * @throws {OkstraError} `kind-needs-batch`
 */
export function checkInitialKind(dispatchKind: string | null): void {
  const kind = dispatchKind ?? INITIAL_KIND;
  if (kind === INITIAL_KIND) return;
  throw new OkstraError(
    "kind-needs-batch",
    `Cannot plan a dispatch of kind "${kind}": the roster's own prompts are of kind "${INITIAL_KIND}"`,
    { hint: "name the batch of that kind with --batch FILE" },
  );
}

/** What helps where a document of the run lacks something. */
export const WHOLE_RUN = "list all that is wrong with the run: okstra-manifest-io validate-run";

/**
 * Returns where a roster worker's result belongs.
 *
 * @throws {OkstraError} `result-path-missing`
 */
export function requiredResult(run: Run, state: TeamState, workerId: string): string {
  const result = workerRow(state, workerId, teamStatePath(run)).resultPath?.trim() ?? "";
  if (result !== "") return result;
  throw new OkstraError(
    "result-path-missing",
    `Cannot plan a dispatch for ${workerId}: its row in ${
      JSON.stringify(teamStatePath(run))
    } has no resultPath`,
    { hint: WHOLE_RUN },
  );
}
