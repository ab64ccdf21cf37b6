import { stat } from "@okstra/kit/host";
import { type OpenDigest, openDigest } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readBytes } from "@okstra/manifest-io/io/document";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import { findBookFault } from "../anchor.ts";
import { openProjection } from "../projection.ts";
import { openBook, type RecordBook, recordsOf } from "../record-book.ts";
import { openRecordFile, readRecordFile } from "../record-file.ts";
import { readCache } from "./cache.ts";
import { findRevisionFault, readAnchor, recordsPath, STORE_LABEL } from "./store-files.ts";

/** A store that was read and found sound. */
export interface OpenStore {
  readonly book: RecordBook;
  /** Bytes of the record file and their digest; null while there is no file. */
  readonly file: { readonly bytes: Uint8Array; readonly digest: OpenDigest } | null;
  readonly anchor: DiscussionAnchor | null;
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
 * The bytes are either those of which every line was checked before, which their digest proves, or every line is
 * checked now.
 *
 * @throws {OkstraError} `bad-record`, `record-cut`, `anchor-changed` or `revision-changed`
 */
export function openStore(storeDirectory: string, options: OpenOptions = {}): OpenStore {
  // The anchor first: a commit that comes in between can only make the record longer than it says.
  const anchor = readAnchor(storeDirectory);
  const store = readRecords(storeDirectory, anchor?.recordCount ?? 0);
  const path = recordsPath(storeDirectory);
  const fault = anchor === null ? null : findBookFault(store.book, anchor);
  if (fault !== null) throw refuse("record-cut", path, fault.line, fault.message);
  if (options.skipRevisions !== true) refuseOtherTexts(store.book, storeDirectory);
  return { ...store, anchor };
}

function readRecords(storeDirectory: string, anchored: number): Omit<OpenStore, "anchor"> {
  const path = recordsPath(storeDirectory);
  if (stat(path) === null) {
    const none = () => {
      throw new Error("there is no record");
    };
    const book = openBook(openProjection(), none);
    return { book, file: null, isCached: true, lineLengths: () => [] };
  }
  const bytes = readBytes(STORE_LABEL, path), digest = openDigest(bytes);
  const cached = readCache(storeDirectory, digest.digest);
  const read = cached === null
    ? readRecordFile(bytes, path, anchored)
    : openRecordFile(bytes, path, cached.projection, cached.lineLengths);
  return { ...read, file: { bytes, digest }, isCached: cached !== null };
}

function refuseOtherTexts(book: RecordBook, storeDirectory: string): void {
  for (const { recordId, contentDigest } of recordsOf(book, "revision")) {
    const fault = findRevisionFault(storeDirectory, recordId, contentDigest);
    if (fault === null) continue;
    const path = recordsPath(storeDirectory), line = book.placeOf(recordId) + 1;
    throw refuse("revision-changed", path, line, fault);
  }
}

function refuse(code: string, path: string, line: number | null, fault: string): OkstraError {
  const place = line === null ? "" : `line ${line}: `;
  return new OkstraError(
    code,
    `Cannot read ${JSON.stringify(path)} as ${STORE_LABEL}: ${place}${fault}`,
    {
      issues: [{ file: path, ...line === null ? {} : { line }, message: fault }],
      hint: "okstra-discussion verify lists all problems; put back a good copy of the file",
    },
  );
}
