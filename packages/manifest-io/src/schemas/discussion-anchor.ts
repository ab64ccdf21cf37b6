import * as v from "valibot";
import { defineKind, type DocumentKind } from "../document-kind.ts";
import { digest, object, positive, time } from "./common.ts";

const schema = object({
  recordCount: positive,
  recordsDigest: digest,
  at: time,
  files: v.exactOptional(object({ records: digest, commits: digest })),
});

/**
 * How many records a discussion held at a moment, and the digest and the time of the last of them; in the anchor of the
 * store itself also the digests of the bytes that its record and its commits had.
 */
export type DiscussionAnchor = v.InferOutput<typeof schema>;

/** The document kind `discussion-anchor`: proof that the record was not cut. */
export const discussionAnchor: DocumentKind<DiscussionAnchor> = defineKind(
  "discussion-anchor",
  "discussion anchor",
  schema,
);
