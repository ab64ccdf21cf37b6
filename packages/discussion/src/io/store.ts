import {
  makeDir,
  readFile,
  removeFile,
  stat,
  sweepTemporaries,
  withFileLock,
  writeFileAtomic,
} from "@okstra/kit/host";
import { digestBytes, EMPTY_DIGEST, openDigest } from "@okstra/manifest-io/digest";
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
import { formatCommit, listCommits } from "../commits.ts";
import type { Outcome, OutputFile } from "../context.ts";
import { type Ledger, openLedger, openLedgerOver } from "../ledger.ts";
import { listRecords, type RecordBook } from "../record-book.ts";
import { STORE_LABEL } from "../record-file.ts";
import { writeCache } from "./cache.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { anchorPath, commitsPath, projectionPath, recordsPath } from "./store-files.ts";

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
 * Runs an operation on a store, all or nothing: lock, read and check, run in memory, write files, announce the
 * records and write them in one step, renew the anchor and the projection that is kept beside them.
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
  const { storeDirectory, projectRoot } = options;
  // The lock swept those of the record file; the others of the store are written under the same lock.
  for (const pathOf of [commitsPath, anchorPath, projectionPath]) {
    sweepTemporaries(pathOf(storeDirectory));
  }
  const store = openStore(storeDirectory), { book } = store;
  const standing = store.isHalfway && book.length > 0 ? standingOf(store) : null;
  checkCount(options, book.length);
  const ledger = openLedgerOver(book, options.now);
  const { payload, files } = operate(ledger);
  for (const file of files) writeOutput(projectRoot, file);
  if (standing !== null) writeStanding(standing, storeDirectory);
  const anchor = writeRecords({ ...store, ...standing }, ledger, options);
  return { payload, book, anchor };
}

/** The list of commits and the anchor of the records that are there. */
type Standing = Pick<OpenStore, "commits" | "anchor">;

/** Returns what a commit that was killed left undone, before anything is added to its records. */
function standingOf({ book, file, commits, anchor }: OpenStore): Standing {
  const told = commits ?? encode(formatCommits(book));
  const files = { records: file?.digest.digest ?? EMPTY_DIGEST, commits: digestBytes(told) };
  return { commits: told, anchor: anchorOf(book, files, anchor) };
}

/** Ends a commit that was killed, so that the next one begins with an anchor of all records before it. */
function writeStanding({ commits, anchor }: Standing, storeDirectory: string): void {
  if (commits !== null) writeFileAtomic(commitsPath(storeDirectory), commits);
  if (anchor !== null) writeDocument(discussionAnchor, anchorPath(storeDirectory), anchor);
}

function checkCount({ storeDirectory, ifRevision }: TransactionOptions, count: number): void {
  checkRevision(STORE_LABEL, recordsPath(storeDirectory), count, ifRevision);
}

/** Writes what an operation added. */
function writeRecords(
  store: OpenStore,
  { lines }: Ledger,
  { storeDirectory, now }: TransactionOptions,
): DiscussionAnchor | null {
  const { book, file, isCached } = store;
  const added = encode(lines.map((line) => `${line}\n`).join(""));
  const digest = file === null ? openDigest(added).digest : file.digest.digestWith(added);
  let { anchor } = store;
  if (lines.length > 0) {
    const commits = listCommitted(store, lines.length, now);
    writeFileAtomic(commitsPath(storeDirectory), commits);
    appendRecords(store, added, storeDirectory);
    anchor = anchorOf(book, { records: digest, commits: digestBytes(commits) }, anchor);
    writeDocument(discussionAnchor, anchorPath(storeDirectory), anchor as DiscussionAnchor);
  }
  if (lines.length > 0 || !isCached) {
    const lengths = [...store.lineLengths(), ...lines.map((line) => encode(line).length + 1)];
    writeCache(storeDirectory, digest, { projection: book.projection, lineLengths: lengths });
  }
  return anchor;
}

/** Returns the list of commits with the one that adds so many records. */
function listCommitted({ book, commits }: OpenStore, added: number, at: string): string {
  const { length } = book, { recordsDigest } = book.projection;
  const known = commits === null
    ? formatCommits(book, length - added)
    : new TextDecoder().decode(commits);
  return known + formatCommit({ recordCount: length, recordsDigest, at });
}

/** Makes the list of commits of a store that has lost it, over its first records. */
function formatCommits(book: RecordBook, count = book.length): string {
  return listCommits(listRecords(book).slice(0, count)).map(formatCommit).join("");
}

function appendRecords({ file, commits }: OpenStore, added: Uint8Array, directory: string): void {
  try {
    writeFileAtomic(recordsPath(directory), file === null ? added : [file.bytes, added]);
  } catch (error) {
    withdraw(commits, commitsPath(directory));
    throw error;
  }
}

// What was announced does no harm if it stays, but a failure should leave everything as it was.
function withdraw(commits: Uint8Array | null, path: string): void {
  try {
    if (commits === null) removeFile(path);
    else writeFileAtomic(path, commits);
  } catch {
    // A disk that is full enough keeps it.
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Writes a file unless it holds that content already. Call it while holding the store's lock. */
export function writeOutput(projectRoot: string, { path, content }: OutputFile): void {
  const target = absolutePath(projectRoot, path);
  const bytes = new TextEncoder().encode(content);
  if (stat(target)?.kind === "file" && isEqual(readFile(target), bytes)) return;
  makeDir(dirname(target));
  sweepTemporaries(target);
  writeFileAtomic(target, bytes);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
