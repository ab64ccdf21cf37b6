import * as v from "valibot";
import { defineKind, type DocumentKind } from "../document-kind.ts";
import { digest, positive, time } from "./common.ts";

const schema = v.looseObject({ recordCount: positive, recordsDigest: digest, at: time });

/** How many records a discussion held at a moment, and the digest of the last of them. */
export type DiscussionAnchor = v.InferOutput<typeof schema>;

/** The document kind `discussion-anchor`: proof that the record was not cut. */
export const discussionAnchor: DocumentKind<DiscussionAnchor> = defineKind(
  "discussion-anchor",
  "discussion anchor",
  schema,
);
