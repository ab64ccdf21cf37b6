import { randomId, stat } from "@okstra/kit/host";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import {
  planInvocations,
  type PlannedInvocation,
  rosterEntry,
} from "@okstra/manifest-io/invocation";
import { readActiveContext, worktreePath } from "@okstra/manifest-io/io/active-context";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { parseObject } from "@okstra/manifest-io/parse-bytes";
import { builtInProviderNames } from "@okstra/manifest-io/providers";
import { runNames } from "@okstra/manifest-io/run-names";
import {
  type InvocationBatch,
  invocationBatch,
  type InvocationBatchEntry,
} from "@okstra/manifest-io/schemas/invocation-batch";
import {
  invocationMetadata,
  type PromptDigests,
} from "@okstra/manifest-io/schemas/invocation-metadata";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { workerRow } from "@okstra/team-state/rows";
import type { Job } from "../job.ts";
import { planJob } from "../job-plan.ts";
import type { PayloadPaths } from "../plan-payload.ts";
import { selectWorkers, type SkippedWorker } from "../worker-selection.ts";
import { findWrapper, wrapperPlaces } from "./find-wrapper.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a caller asks to be dispatched. */
export interface PlanOptions {
  /** Worker ids; empty: all that the roster or the batch names. */
  readonly workerIds: readonly string[];
  /** `null`: the first assignment of the roster. */
  readonly batch: { readonly path: string; readonly bytes: Uint8Array } | null;
  readonly dispatchKind: string | null;
  readonly isReportWriterEnabled: boolean;
  readonly idleTimeoutSeconds: number | null;
}

/** What would be started, with nothing written yet. */
export interface DispatchPlan {
  readonly jobs: readonly Job[];
  readonly skipped: readonly SkippedWorker[];
  readonly paths: PayloadPaths;
  /** `null` for a roster dispatch. */
  readonly batch: { readonly path: string; readonly content: InvocationBatch } | null;
}

/**
 * Plans a dispatch: reads the run and everything that decides, and writes nothing.
 *
 * @throws {OkstraError} if anything stands against the dispatch; then no worker starts
 */
export function planDispatch(
  run: Run,
  options: PlanOptions,
  surroundings: Surroundings,
): DispatchPlan {
  checkDispatchable(run);
  const state = readTeamState(run);
  const worktree = worktreePath(run, readActiveContext(run));
  const { invocations, skipped, batch } = options.batch === null
    ? planRoster(run, state, options)
    : planBatch(run, options.batch, options);
  checkWorkerRows(run, state, invocations);
  const places = wrapperPlaces(surroundings.env);
  const jobs = invocations.map((invocation) =>
    planJob(invocation, {
      manifest: run.manifest,
      projectRoot: run.projectRoot,
      at: run.at,
      worktreePath: worktree,
      idleTimeoutSeconds: options.idleTimeoutSeconds,
      wrapperOf: (provider) => findWrapper(provider, run.manifest, run.projectRoot, places),
      digestsOf: () => readDigests(run.at(invocation.metadataPath)),
      newSessionId: randomId,
    })
  );
  return { jobs, skipped, batch, paths: payloadPaths(run) };
}

function payloadPaths(run: Run): PayloadPaths {
  return {
    runManifestPath: run.manifestPath,
    teamStatePath: teamStatePath(run),
    leadEventsPath: run.at(run.manifest.leadEventsPath),
    workspaceRoot: run.projectRoot,
  };
}

function checkDispatchable(run: Run): void {
  if (run.identityVersion === 1) {
    throw new OkstraError(
      "first-version",
      `Cannot dispatch ${run.taskType} ${run.seq}: a run of identity version 1 can be awaited, but not dispatched yet`,
      { hint: "okstra-manifest-io prepare" },
    );
  }
  const backend = run.manifest.terminalBackend;
  if (backend === "cli-wrapper") return;
  throw new OkstraError(
    "unsupported-backend",
    `Cannot dispatch over ${backend}: this okstra-dispatch has no pane backend yet`,
    { hint: "okstra-manifest-io prepare --backend cli-wrapper" },
  );
}

interface Chosen {
  readonly invocations: readonly PlannedInvocation[];
  readonly skipped: readonly SkippedWorker[];
  readonly batch: DispatchPlan["batch"];
}

function planRoster(run: Run, state: TeamState, options: PlanOptions): Chosen {
  const { manifest } = run, kind = options.dispatchKind ?? INITIAL_KIND;
  if (kind !== INITIAL_KIND) {
    throw new OkstraError(
      "kind-needs-batch",
      `Cannot plan a dispatch of kind "${kind}": the roster's own prompts are of kind "${INITIAL_KIND}"`,
      { hint: "name the batch of that kind with --batch FILE" },
    );
  }
  const providers = [...Object.keys(manifest.providers), ...builtInProviderNames()];
  const { selected, skipped } = selectWorkers({
    roster: manifest.recommendedWorkers,
    requested: bareIds(options.workerIds, manifest.recommendedWorkers),
    supported: manifest.workerAssignments.filter((worker) => providers.includes(worker.provider))
      .map((worker) => worker.workerId),
    isReportWriterEnabled: options.isReportWriterEnabled,
  });
  const brief = runNames(run.taskKey, run.taskType, run.seq).runBrief;
  const entries = selected.map((id) => {
    const worker = manifest.workerAssignments.find((row) => row.workerId === id)!;
    const result = workerRow(state, id, teamStatePath(run)).resultPath?.trim() ?? "";
    if (result !== "") return rosterEntry(manifest, run.seq, worker, { brief, result });
    throw new OkstraError(
      "result-path-missing",
      `Cannot plan a dispatch for ${id}: its row in ${
        JSON.stringify(teamStatePath(run))
      } has no resultPath`,
    );
  });
  return { invocations: planInvocations(manifest, entries), skipped, batch: null };
}

function planBatch(
  run: Run,
  file: NonNullable<PlanOptions["batch"]>,
  options: PlanOptions,
): Chosen {
  const content = parseBatch(file);
  const entries = content.invocations.map((entry): InvocationBatchEntry => ({
    ...entry,
    instruction: run.relative(entry.instruction),
    prompt: run.relative(entry.prompt),
    result: run.relative(entry.result),
  }));
  const all = planInvocations(run.manifest, entries, file.path);
  checkKinds(all, options.dispatchKind, file.path);
  const requested = bareIds(options.workerIds, run.manifest.recommendedWorkers);
  const strangers = requested.filter((id) => !all.some((each) => each.workerId === id));
  if (strangers.length > 0) {
    throw new OkstraError(
      "not-in-batch",
      `Cannot plan a dispatch for ${strangers.join(", ")}: ${JSON.stringify(file.path)} has none`,
    );
  }
  const invocations = requested.length === 0
    ? all
    : requested.flatMap((id) => all.filter((each) => each.workerId === id));
  // Only those that are started are prepared.
  const kept = content.invocations.filter((_, at) => invocations.includes(all[at]!));
  const batch = { path: file.path, content: { ...content, invocations: kept } };
  return { invocations, skipped: [], batch };
}

function parseBatch({ path, bytes }: NonNullable<PlanOptions["batch"]>): InvocationBatch {
  const value = parseObject(invocationBatch.label, path, bytes);
  const issues = validateShape(invocationBatch, value);
  if (issues.length === 0) return value as unknown as InvocationBatch;
  const state = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
  throw new OkstraError(
    "wrong-shape",
    `Cannot read ${JSON.stringify(path)} as ${invocationBatch.label}: ${state}`,
    { issues: issues.map((issue) => ({ file: path, ...issue })) },
  );
}

function checkKinds(
  invocations: readonly PlannedInvocation[],
  dispatchKind: string | null,
  path: string,
): void {
  const issues: Issue[] = invocations.flatMap(({ dispatchKind: kind }, at) =>
    dispatchKind === null || kind === dispatchKind ? [] : [{
      file: path,
      pointer: `/invocations/${at}/dispatch-kind`,
      message: `it is "${kind}", not "${dispatchKind}"`,
    }]
  );
  if (issues.length === 0) return;
  throw new OkstraError(
    "other-kind",
    `Cannot plan a dispatch of kind "${dispatchKind}": ${JSON.stringify(path)} holds another kind`,
    { issues },
  );
}

/** Drops `-worker` from an id where only the bare id is in the roster. */
function bareIds(given: readonly string[], roster: readonly string[]): readonly string[] {
  return given.map((id) => {
    const bare = id.endsWith("-worker") ? id.slice(0, -"-worker".length) : id;
    return !roster.includes(id) && roster.includes(bare) ? bare : id;
  });
}

function checkWorkerRows(
  run: Run,
  state: TeamState,
  invocations: readonly PlannedInvocation[],
): void {
  const rows = state.workers.map((row) => row.workerId);
  const rowless = [...new Set(invocations.map((each) => each.workerId))]
    .filter((id) => !rows.includes(id));
  if (rowless.length === 0) return;
  throw new OkstraError(
    "worker-unknown",
    `Cannot plan a dispatch for ${rowless.join(", ")}: no row in ${
      JSON.stringify(teamStatePath(run))
    }`,
    { hint: "okstra-team-state show" },
  );
}

function readDigests(metadataPath: string): PromptDigests | null {
  if (stat(metadataPath) === null) return null;
  return readDocument(invocationMetadata, metadataPath).digests;
}
