import * as v from "valibot";
import { defineKind, type DocumentKind } from "../document-kind.ts";
import { count, digest, object, positive, time } from "./common.ts";

const schema = object({
  recordCount: positive,
  recordsDigest: digest,
  at: time,
  timeSums: v.exactOptional(v.tuple([count, count])),
});

/**
 * How many records a discussion held at a moment, the digest and the time of the last of them, and in the anchor of the
 * store itself two sums over the times of all, which no digest covers.
 */
export type DiscussionAnchor = v.InferOutput<typeof schema>;

/** The document kind `discussion-anchor`: proof that the record was not cut. */
export const discussionAnchor: DocumentKind<DiscussionAnchor> = defineKind(
  "discussion-anchor",
  "discussion anchor",
  schema,
);
