import { type OpenDigest, openDigest } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import { isAnchorOf, isProven } from "../anchor.ts";
import { checkStore, type StoreFacts } from "../check-store.ts";
import { openProjection } from "../projection.ts";
import { bookOf, openBook, type RecordBook, recordsOf } from "../record-book.ts";
import { measureLines, openRecordFile, readRecordFile, refuseRecords } from "../record-file.ts";
import { readCache } from "./cache.ts";
import { readCharacters } from "./characters.ts";
import { lookTwice, readStoreFacts } from "./store-facts.ts";
import { findRevisionFault, readAnchor, recordsPath } from "./store-files.ts";

/** A store that was read and found sound. */
export interface OpenStore {
  readonly book: RecordBook;
  /** Bytes of the record file and their digest; null while there is no file. */
  readonly file: { readonly bytes: Uint8Array; readonly digest: OpenDigest } | null;
  /** Bytes of the list of commits, as far as their records are there; null if there is no list. */
  readonly commits: Uint8Array | null;
  readonly anchor: DiscussionAnchor | null;
  /** Whether a commit was killed after it announced its records: list or anchor are not of these records. */
  readonly isHalfway: boolean;
  /** Whether the projection that was kept beside the record is the one of these bytes. */
  readonly isCached: boolean;
  /** Returns the length of each line in bytes. */
  lineLengths(): readonly number[];
}

/** How a store is opened. */
export interface OpenOptions {
  /** Whether the texts of the revisions are left out of the check, for who looks at them anyway. */
  readonly skipRevisions?: boolean;
}

/**
 * Opens the record of a discussion; without records if the store is not born yet. Takes no lock: every read is a whole
 * version.
 *
 * The bytes are either those of which every line was checked when they were committed, which the anchor's digests of
 * them prove, or every line is checked now.
 *
 * @throws {OkstraError} `bad-record`, `record-cut`, `anchor-changed` or `revision-changed`
 */
export function openStore(storeDirectory: string, options: OpenOptions = {}): OpenStore {
  const store = lookTwice(
    () => readStoreFacts(storeDirectory, readAnchor(storeDirectory)),
    (facts) => openProven(facts, storeDirectory) ?? openChecked(facts),
    (found) => !(found instanceof OkstraError),
  );
  if (store instanceof OkstraError) throw store;
  if (options.skipRevisions !== true) refuseOtherTexts(store.book, storeDirectory);
  return store;
}

/** Opens a store that the anchor proves; null if it does not. */
function openProven(facts: StoreFacts, storeDirectory: string): OpenStore | null {
  const { records: bytes, commits, anchor, paths } = facts;
  if (bytes === null || anchor?.files === undefined) return null;
  const digest = openDigest(bytes);
  if (!isProven(anchor, digest.digest, commits)) return null;
  const cached = readCache(storeDirectory, digest.digest);
  const read = cached === null
    ? readRecordFile(bytes, readCharacters(bytes), paths.records)
    : openRecordFile(bytes, paths.records, cached.projection, cached.lineLengths);
  if (!isAnchorOf(anchor, read.book)) return null;
  const file = { bytes, digest };
  return { ...read, file, commits, anchor, isHalfway: false, isCached: cached !== null };
}

/** Opens a store after a full check; returns what is wrong if anything is. */
function openChecked(facts: StoreFacts): OpenStore | OkstraError {
  const { records: bytes, commits, anchor, paths } = facts;
  const { lines, integrity, completeness, commitsLength } = checkStore(facts);
  if (integrity.length > 0) return refuseRecords("bad-record", paths.records, integrity);
  if (completeness.length > 0) return refuseRecords("record-cut", paths.records, completeness);
  const kept = commits?.subarray(0, commitsLength) ?? null;
  const common = {
    commits: kept,
    anchor,
    isHalfway: kept?.length !== commits?.length || (anchor?.recordCount ?? 0) !== lines.length,
  };
  if (bytes === null) {
    const none = () => {
      throw new Error("there is no record");
    };
    const book = openBook(openProjection(), none);
    return { ...common, book, file: null, isCached: true, lineLengths: () => [] };
  }
  const book = bookOf(lines.filter((record) => record !== null));
  const file = { bytes, digest: openDigest(bytes) };
  return { ...common, book, file, isCached: false, lineLengths: () => measureLines(bytes) };
}

function refuseOtherTexts(book: RecordBook, storeDirectory: string): void {
  for (const { recordId, contentDigest } of recordsOf(book, "revision")) {
    const message = findRevisionFault(storeDirectory, recordId, contentDigest);
    if (message === null) continue;
    const file = recordsPath(storeDirectory), line = book.placeOf(recordId) + 1;
    throw refuseRecords("revision-changed", file, [{ file, line, message }]);
  }
}
