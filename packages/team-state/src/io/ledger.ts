import { OkstraError, type OkstraErrorOptions } from "@okstra/manifest-io/errors";
import { type ItemIdentity, parseItemIdentity } from "@okstra/manifest-io/identity";
import { readActiveContext, worktreePath } from "@okstra/manifest-io/io/active-context";
import { openRecordedAttempt } from "@okstra/manifest-io/io/attempts";
import {
  checkRevision,
  readDocument,
  type UpdateOptions,
  writeDocument,
} from "@okstra/manifest-io/io/document";
import { readInvocationRecord } from "@okstra/manifest-io/io/invocation-record";
import { orchestratorPaths, takeSnapshot } from "@okstra/manifest-io/io/mutation-audit";
import { verifyPrompt } from "@okstra/manifest-io/io/prompts";
import { relativePath, type Run } from "@okstra/manifest-io/io/run";
import { mutationSnapshotPath } from "@okstra/manifest-io/run-names";
import {
  type InvocationMetadata,
  invocationMetadata,
} from "@okstra/manifest-io/schemas/invocation-metadata";
import {
  type MutationSnapshot,
  mutationSnapshot,
} from "@okstra/manifest-io/schemas/mutation-snapshot";
import { type LedgerRow, type TeamState, teamState } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import {
  appendLedgerRow,
  findLedgerRow,
  formatLedgerRow,
  ledgerDispatchId,
  type LedgerFacts,
} from "../ledger.ts";
import { checkRunner, type EnforcementMode } from "../runner-gate.ts";
import { readTeamState, teamStatePath, updateTeamState } from "./team-state.ts";

/** Which dispatch is recorded, and how it is held. */
export interface RecordOptions {
  /** Of the invocation metadata, as a path on disk. */
  readonly metadataPath: string;
  readonly enforcementMode: EnforcementMode;
  /** Whether a native session may be recorded as started by the tools. */
  readonly allowNativeCore: boolean;
  readonly now: Date;
}

/** The row of a recorded dispatch, and the document that it stands in. */
export interface RecordResult {
  readonly state: TeamState;
  readonly row: LedgerRow;
  /** False if it was recorded before. */
  readonly isNew: boolean;
}

/**
 * Records that a prepared prompt is handed to a session, in the ledger of native dispatches.
 *
 * Everything is verified before the first write. Then, for version 2, the attempt is opened, the tree that the session
 * may not change is recorded, and last the row is written; a call that a crash cut short may be repeated. The same
 * dispatch again changes nothing.
 *
 * @throws {OkstraError} `invocation-invalid` with every finding, `version-mixed`, `runner-mismatch`, `ledger-conflict`,
 * and the errors of the documents that are read
 */
export function recordDispatch(
  run: Run,
  options: RecordOptions,
  update: UpdateOptions = {},
): RecordResult {
  const { metadata, identity } = readVerified(run, options.metadataPath);
  checkRunner({
    manifest: run.manifest,
    dispatchId: ledgerDispatchId(metadata, identity),
    identity,
    runner: readRunner(run, metadata),
    enforcementMode: options.enforcementMode,
    allowNativeCore: options.allowNativeCore,
  });
  const facts = readFacts(run, metadata, identity, options);
  const row = formatLedgerRow(facts);
  const before = readTeamState(run);
  checkRevision(teamState.label, teamStatePath(run), before.revision ?? 1, update.ifRevision);
  const known = findLedgerRow(before, row);
  if (known !== null) return { state: before, row: known, isNew: false };
  return appendRow(run, row, prepareTree(run, facts, options, update), update);
}

function readVerified(
  run: Run,
  path: string,
): { metadata: InvocationMetadata; identity: ItemIdentity | null } {
  const metadata = readDocument(invocationMetadata, path);
  const identity = parseItemIdentity(
    metadata,
    `${invocationMetadata.label} ${JSON.stringify(path)}`,
  );
  const refuse = (code: string, state: string, options: OkstraErrorOptions) =>
    new OkstraError(
      code,
      `Cannot record dispatch "${ledgerDispatchId(metadata, identity)}": ${state}`,
      options,
    );
  const version = identity === null ? 1 : 2;
  if (version !== run.identityVersion) {
    const state =
      `its metadata has version ${version}, and the run manifest version ${run.identityVersion}`;
    throw refuse("version-mixed", state, { hint: "okstra-manifest-io prompt materialize" });
  }
  const issues = verifyPrompt(run, path);
  if (issues.length === 0) return { metadata, identity };
  const state = issues.length === 1 ? issues[0]!.message : `${issues.length} things do not agree`;
  throw refuse("invocation-invalid", state, {
    issues,
    hint: "okstra-manifest-io prompt verify --metadata FILE",
  });
}

function readRunner(run: Run, { assignmentRef }: InvocationMetadata): string {
  const assignments = run.manifest.invocationAssignments;
  const assignment = Object.hasOwn(assignments, assignmentRef)
    ? assignments[assignmentRef]
    : undefined;
  const runner = assignment?.["runner"];
  return typeof runner === "string" ? runner : "";
}

function readFacts(
  run: Run,
  metadata: InvocationMetadata,
  identity: ItemIdentity | null,
  { metadataPath: path, enforcementMode }: RecordOptions,
): LedgerFacts {
  const metadataPath = relativePath(run.projectRoot, path);
  if (identity === null) return { metadata, metadataPath, enforcementMode, second: null };
  const invocation = readInvocationRecord(run, path);
  const isAudited = invocation.writeEnforcement["mutationAudit"] === "batch";
  const snapshotPath = isAudited ? mutationSnapshotPath(metadataPath) : "";
  return {
    metadata,
    metadataPath,
    enforcementMode,
    second: { identity, invocation, snapshotPath },
  };
}

/** Opens the attempt and looks at the tree; `null` if nothing has to be written about that. */
function prepareTree(
  run: Run,
  { second }: LedgerFacts,
  { now }: RecordOptions,
  { lockTimeoutMs }: UpdateOptions,
): { path: string; snapshot: MutationSnapshot } | null {
  if (second === null) return null;
  const start = { attempt: second.identity.attempt, startedAt: formatTime(now) };
  openRecordedAttempt(run, second.invocation, start, { lockTimeoutMs });
  if (second.snapshotPath === "") return null;
  const path = run.at(second.snapshotPath);
  const roots = [run.projectRoot, worktreePath(run, readActiveContext(run))];
  const snapshot = takeSnapshot(roots, orchestratorPaths(run, path), undefined, now);
  return { path, snapshot };
}

function appendRow(
  run: Run,
  row: LedgerRow,
  tree: { path: string; snapshot: MutationSnapshot } | null,
  update: UpdateOptions,
): RecordResult {
  let isNew = true;
  const state = updateTeamState(run, update, (current) => {
    isNew = findLedgerRow(current, row) === null;
    if (!isNew) return null;
    // Whoever recorded the dispatch first may have started the session: only the first snapshot is from before that.
    if (tree !== null) writeDocument(mutationSnapshot, tree.path, tree.snapshot);
    return appendLedgerRow(current, row);
  });
  return { state, row, isNew };
}
