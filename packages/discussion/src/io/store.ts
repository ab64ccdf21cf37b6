import {
  makeDir,
  readFile,
  removeFile,
  stat,
  withFileLock,
  writeFileAtomic,
} from "@okstra/kit/host";
import { digestBytes, openDigest } from "@okstra/manifest-io/digest";
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
import { anchorPath, commitsPath, recordsPath } from "./store-files.ts";

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
  const store = openStore(storeDirectory), { book } = store;
  checkCount(options, book.length);
  const ledger = openLedgerOver(book, options.now);
  const { payload, files } = operate(ledger);
  for (const file of files) writeOutput(projectRoot, file);
  const anchor = writeRecords(store, ledger, options);
  return { payload, book, anchor };
}

function checkCount({ storeDirectory, ifRevision }: TransactionOptions, count: number): void {
  checkRevision(STORE_LABEL, recordsPath(storeDirectory), count, ifRevision);
}

/** Writes what an operation added; ends a commit that was killed. */
function writeRecords(
  store: OpenStore,
  { lines }: Ledger,
  { storeDirectory, now }: TransactionOptions,
): DiscussionAnchor | null {
  const { book, file, isHalfway, isCached } = store;
  const added = encode(lines.map((line) => `${line}\n`).join(""));
  const digest = file === null ? openDigest(added).digest : file.digest.digestWith(added);
  const isChanged = lines.length > 0 || isHalfway && book.length > 0;
  let { anchor } = store;
  if (isChanged) {
    const commits = listCommitted(store, lines.length, now);
    writeFileAtomic(commitsPath(storeDirectory), commits);
    if (lines.length > 0) appendRecords(store, added, storeDirectory);
    anchor = anchorOf(book, { records: digest, commits: digestBytes(commits) });
    writeDocument(discussionAnchor, anchorPath(storeDirectory), anchor as DiscussionAnchor);
  }
  if (isChanged || !isCached) {
    const lengths = [...store.lineLengths(), ...lines.map((line) => encode(line).length + 1)];
    writeCache(storeDirectory, digest, { projection: book.projection, lineLengths: lengths });
  }
  return anchor;
}

/** Returns the list of commits with the one that adds so many records, if any. */
function listCommitted({ book, commits }: OpenStore, added: number, at: string): string {
  const { length } = book;
  const known = commits === null
    ? listCommits(listRecords(book).slice(0, length - added)).map(formatCommit).join("")
    : new TextDecoder().decode(commits);
  if (added === 0) return known;
  const { recordsDigest } = book.projection;
  return known + formatCommit({ recordCount: length, recordsDigest, at });
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
