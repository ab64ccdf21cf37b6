import { makeDir, readFile, stat, withFileLock, writeFileAtomic } from "@okstra/kit/host";
import { openDigest } from "@okstra/manifest-io/digest";
import {
  checkRevision,
  DEFAULT_LOCK_TIMEOUT_MS,
  writeDocument,
} from "@okstra/manifest-io/io/document";
import { absolutePath } from "@okstra/manifest-io/project-path";
import {
  type DiscussionAnchor,
  discussionAnchor,
} from "@okstra/manifest-io/schemas/discussion-anchor";
import { dirname } from "@std/path";
import { anchorOf } from "../anchor.ts";
import type { Outcome, OutputFile } from "../context.ts";
import { type Ledger, openLedger, openLedgerOver } from "../ledger.ts";
import type { RecordBook } from "../record-book.ts";
import { writeCache } from "./cache.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { anchorPath, recordsPath, STORE_LABEL } from "./store-files.ts";

/** The places in a commit between which a process may die, in their order. */
export const COMMIT_POINTS = [
  "locked",
  "read",
  "decided",
  "files-written",
  "records-written",
  "anchor-written",
  "projection-written",
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
  /** The record after it. */
  readonly book: RecordBook;
  /** The anchor of the store after it; null while the store is not born. */
  readonly anchor: DiscussionAnchor | null;
}

/**
 * Runs an operation on a store, all or nothing: lock, read and check, run in memory, write files and then records in
 * one step each, renew the anchor and the projection that is kept beside them.
 *
 * The store is born by its first record: an operation that is refused, or that records nothing, leaves no directory.
 *
 * @throws {LockHeldError} if the lock was not free in time
 * @throws {OkstraError} `revision-stale`, what `openStore` throws, and what the operation throws
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
    if (trial.lines.length === 0) return { payload, book: trial.book, anchor: null };
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
  const store = openStore(storeDirectory), { book } = store;
  checkCount(options, book.length);
  onPoint("read");
  const ledger = openLedgerOver(book, options.now);
  const { payload, files } = operate(ledger);
  onPoint("decided");
  for (const file of files) writeOutput(projectRoot, file);
  onPoint("files-written");
  const added = new TextEncoder().encode(ledger.lines.map((line) => `${line}\n`).join(""));
  if (added.length > 0) {
    const before = store.file === null ? [] : [store.file.bytes];
    writeFileAtomic(recordsPath(storeDirectory), [...before, added]);
  }
  onPoint("records-written");
  const anchor = renewAnchor(store, storeDirectory);
  onPoint("anchor-written");
  keepProjection(store, ledger, added, storeDirectory);
  onPoint("projection-written");
  return { payload, book, anchor };
}

function checkCount({ storeDirectory, ifRevision }: TransactionOptions, count: number): void {
  checkRevision(STORE_LABEL, recordsPath(storeDirectory), count, ifRevision);
}

// An anchor that is behind belongs to a commit that was killed between its two writes.
function renewAnchor({ book, anchor }: OpenStore, storeDirectory: string): DiscussionAnchor | null {
  if (book.length === 0 || anchor?.recordCount === book.length) return anchor;
  const renewed = anchorOf(book);
  if (renewed !== null) writeDocument(discussionAnchor, anchorPath(storeDirectory), renewed);
  return renewed;
}

function keepProjection(
  { book, file, isCached, lineLengths }: OpenStore,
  { lines }: Ledger,
  added: Uint8Array,
  storeDirectory: string,
): void {
  if (added.length === 0 && isCached) return;
  const digest = file === null ? openDigest(added).digest : file.digest.digestWith(added);
  const encoder = new TextEncoder();
  const lengths = [...lineLengths(), ...lines.map((line) => encoder.encode(line).length + 1)];
  writeCache(storeDirectory, digest, { projection: book.projection, lineLengths: lengths });
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
