import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocumentBytes } from "@okstra/manifest-io/io/document";
import { formatJson } from "@okstra/manifest-io/json-text";
import {
  type DiscussionAnchor,
  discussionAnchor,
} from "@okstra/manifest-io/schemas/discussion-anchor";
import { RECORDS_FILE } from "@okstra/manifest-io/task-key";
import { join } from "@std/path";
import { digestFile } from "./digest-file.ts";

/** Returns the path of a store's record file. */
export function recordsPath(storeDirectory: string): string {
  return join(storeDirectory, RECORDS_FILE);
}

/** Returns the path of a store's anchor. */
export function anchorPath(storeDirectory: string): string {
  return join(storeDirectory, "anchor.json");
}

/** Returns the path of a store's list of commits. */
export function commitsPath(storeDirectory: string): string {
  return join(storeDirectory, "commits.jsonl");
}

/** Returns the path of the text of a revision. */
export function revisionPath(storeDirectory: string, revisionId: string): string {
  return join(storeDirectory, "revisions", `${revisionId}.md`);
}

/** Returns the path of the projection that is kept beside the record. */
export function projectionPath(storeDirectory: string): string {
  return join(storeDirectory, "projection.jsonl");
}

/**
 * Reads the anchor of a store; null if it has none.
 *
 * @throws {OkstraError} as `readDocument`, or `anchor-changed` if it is not written as this tool writes it
 */
export function readAnchor(storeDirectory: string): DiscussionAnchor | null {
  const path = anchorPath(storeDirectory);
  if (stat(path) === null) return null;
  const { value, bytes } = readDocumentBytes(discussionAnchor, path);
  // White space is bytes too, and a further field in the place of the digests may be their name, changed.
  const isComplete = value.files !== undefined || Object.keys(value).length === 3;
  if (isComplete && new TextDecoder().decode(bytes) === formatJson(value)) return value;
  throw new OkstraError(
    "anchor-changed",
    `Cannot read ${
      JSON.stringify(path)
    } as ${discussionAnchor.label}: it is not written as this tool writes it`,
    { hint: "put back a good copy of the file; judge the record: okstra-discussion verify" },
  );
}

/** Tells what is wrong with the text of a revision; null if nothing. */
export function findRevisionFault(
  storeDirectory: string,
  revisionId: string,
  contentDigest: string,
): string | null {
  const path = revisionPath(storeDirectory, revisionId), found = digestFile(path);
  if (found === contentDigest) return null;
  const state = found === null ? "is missing" : `was changed: it is ${found}, not ${contentDigest}`;
  return `${revisionId}: its text ${JSON.stringify(path)} ${state}`;
}
