import { makeDir, readFile, stat, withFileLock, writeFileAtomic } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import {
  checkRevision,
  DEFAULT_LOCK_TIMEOUT_MS,
  readBytes,
  readDocument,
  writeDocument,
} from "@okstra/manifest-io/io/document";
import { absolutePath } from "@okstra/manifest-io/project-path";
import {
  type DiscussionAnchor,
  discussionAnchor,
} from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { dirname, join } from "@std/path";
import type { Outcome, OutputFile } from "../context.ts";
import { type Ledger, openLedger } from "../ledger.ts";
import { digestRecords, formatRecords, parseRecords } from "../records.ts";
import { findAnchorFault } from "../verify.ts";

/** What the record is called in messages. */
export const STORE_LABEL = "discussion record";

/** The places in a commit between which a process may die, in their order. */
export const COMMIT_POINTS = [
  "locked",
  "read",
  "decided",
  "files-written",
  "records-written",
  "anchor-written",
] as const;
export type CommitPoint = typeof COMMIT_POINTS[number];

/** Where and how a transaction runs. */
export interface TransactionOptions {
  /** Absolute path of the store. */
  readonly storeDirectory: string;
  /** Absolute path of the project, to which the paths of written files are joined. */
  readonly projectRoot: string;
  /** Time that new records get. */
  readonly now: string;
  /** The transaction is refused unless the record has this many lines. */
  readonly ifRevision?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
  /** Called at every point of the commit; what it throws ends the process's part there. For tests. */
  readonly onPoint?: ((point: CommitPoint) => void) | undefined;
}

/** What a transaction answers. */
export interface Committed<P> {
  readonly payload: P;
  /** All records after it. */
  readonly records: readonly DiscussionRecord[];
  /** The anchor of the store after it; null while the store is not born. */
  readonly anchor: DiscussionAnchor | null;
}

/** Returns the path of a store's record file. */
export function recordsPath(storeDirectory: string): string {
  return join(storeDirectory, "records.jsonl");
}

/** Returns the path of a store's anchor. */
export function anchorPath(storeDirectory: string): string {
  return join(storeDirectory, "anchor.json");
}

/**
 * Reads all records of a store; none if the store is not born yet. Takes no lock: every read is a whole version.
 *
 * @throws {OkstraError} `bad-record` if any line is not sound
 */
export function readStore(storeDirectory: string): readonly DiscussionRecord[] {
  const path = recordsPath(storeDirectory);
  return stat(path) === null ? [] : parseRecords(readBytes(STORE_LABEL, path), path);
}

/** Reads the anchor of a store; null if it has none. */
export function readAnchor(storeDirectory: string): DiscussionAnchor | null {
  const path = anchorPath(storeDirectory);
  return stat(path) === null ? null : readDocument(discussionAnchor, path);
}

/**
 * Runs an operation on a store, all or nothing: lock, read and check, run in memory, write files and then records in
 * one step each, renew the anchor.
 *
 * The store is born by its first record: an operation that is refused, or that records nothing, leaves no directory.
 *
 * @throws {LockHeldError} if the lock was not free in time
 * @throws {OkstraError} `revision-stale`, `bad-record`, `record-cut`, and what the operation throws
 */
export function transact<P>(
  options: TransactionOptions,
  operate: (ledger: Ledger) => Outcome<P>,
): Committed<P> {
  const { storeDirectory } = options;
  if (stat(storeDirectory) === null) {
    checkCount(options, 0);
    const trial = openLedger([], options.now);
    const { payload } = operate(trial);
    if (trial.records.length === 0) return { payload, records: [], anchor: null };
    makeDir(storeDirectory);
  }
  const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
  return withFileLock(recordsPath(storeDirectory), { timeoutMs }, () => commit(options, operate));
}

function commit<P>(
  options: TransactionOptions,
  operate: (ledger: Ledger) => Outcome<P>,
): Committed<P> {
  const { storeDirectory, projectRoot, onPoint = () => {} } = options;
  onPoint("locked");
  const read = readStore(storeDirectory);
  checkCount(options, read.length);
  const anchor = readAnchor(storeDirectory);
  refuseCut(read, anchor, storeDirectory);
  onPoint("read");
  const ledger = openLedger(read, options.now);
  const { payload, files } = operate(ledger);
  const { records } = ledger;
  onPoint("decided");
  for (const file of files) writeOutput(projectRoot, file);
  onPoint("files-written");
  if (records.length > read.length) {
    writeFileAtomic(recordsPath(storeDirectory), formatRecords(records));
  }
  onPoint("records-written");
  // An anchor that is behind belongs to a commit that was killed between its two writes.
  const isMet = records.length === 0 || anchor?.recordCount === records.length;
  const renewed = isMet ? anchor : {
    recordCount: records.length,
    recordsDigest: digestRecords(records),
    at: options.now,
  };
  if (renewed !== anchor && renewed !== null) {
    writeDocument(discussionAnchor, anchorPath(storeDirectory), renewed);
  }
  onPoint("anchor-written");
  return { payload, records, anchor: renewed };
}

function checkCount({ storeDirectory, ifRevision }: TransactionOptions, count: number): void {
  checkRevision(STORE_LABEL, recordsPath(storeDirectory), count, ifRevision);
}

function refuseCut(
  records: readonly DiscussionRecord[],
  anchor: DiscussionAnchor | null,
  storeDirectory: string,
): void {
  const fault = anchor === null ? null : findAnchorFault(records, anchor);
  if (fault === null) return;
  throw new OkstraError(
    "record-cut",
    `Cannot change ${STORE_LABEL} ${JSON.stringify(recordsPath(storeDirectory))}: ${fault}`,
    { hint: "put back a good copy of the file; okstra-discussion verify tells what is missing" },
  );
}

/** Writes a file unless it holds that content already. */
export function writeOutput(projectRoot: string, { path, content }: OutputFile): void {
  const target = absolutePath(projectRoot, path);
  const bytes = new TextEncoder().encode(content);
  if (stat(target)?.kind === "file" && isEqual(readFile(target), bytes)) return;
  makeDir(dirname(target));
  writeFileAtomic(target, bytes);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
