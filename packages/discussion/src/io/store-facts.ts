import { stat } from "@okstra/kit/host";
import { digestBytes } from "@okstra/manifest-io/digest";
import { readBytes } from "@okstra/manifest-io/io/document";
import type { StoreFacts } from "../check-store.ts";
import { STORE_LABEL } from "../record-file.ts";
import { anchorPath, commitsPath, recordsPath } from "./store-files.ts";

/**
 * Reads the files of a store behind its anchor.
 *
 * A commit writes the list of commits first and the anchor last. Read in the other order, they never tell of less than
 * what was read before.
 */
export function readStoreFacts(storeDirectory: string, anchor: StoreFacts["anchor"]): StoreFacts {
  const paths = {
    records: recordsPath(storeDirectory),
    commits: commitsPath(storeDirectory),
    anchor: anchorPath(storeDirectory),
  };
  const read = (label: string, path: string) => stat(path) === null ? null : readBytes(label, path);
  return {
    anchor,
    records: read(STORE_LABEL, paths.records),
    commits: read("list of commits", paths.commits),
    paths,
  };
}

/**
 * Looks at the files of a store until what is found is good, or the files are twice the same.
 *
 * Who takes no lock may read files between which commits came, so that they do not fit each other. Damage stays.
 */
export function lookTwice<F extends StoreFacts, T>(
  read: () => F,
  look: (facts: F) => T,
  isGood: (found: T) => boolean,
): T {
  let facts = read();
  for (;;) {
    const found = look(facts);
    if (isGood(found)) return found;
    const again = read();
    if (isSame(again, facts)) return found;
    facts = again;
  }
}

function isSame(a: StoreFacts, b: StoreFacts): boolean {
  const digests = ({ records, commits, anchor }: StoreFacts) =>
    [records, commits].map((bytes) => bytes && digestBytes(bytes)).join() + JSON.stringify(anchor);
  return digests(a) === digests(b);
}
