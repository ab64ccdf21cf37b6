import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { count, digest, object, text } from "./common.ts";

const whole = v.pipe(v.number(), v.safeInteger());

// A file's name may be blank, so `text` would refuse what exists.
const name = v.pipe(v.string(), v.minLength(1));

const file = object({
  path: name,
  kind: v.picklist(["file", "link"]),
  mode: count,
  sizeBytes: count,
  mtimeMs: whole,
  ctimeSeconds: whole,
  inode: v.string(),
  digest: v.nullable(digest),
});

const repository = object({
  path: name,
  headRef: v.nullable(text),
  headCommit: v.nullable(text),
  indexDigest: digest,
  statusDigest: digest,
});

const root = object({
  path: text,
  givenPath: text,
  repositories: v.array(repository),
  files: v.array(file),
});

const problem = object({ path: text, reason: text });

const schema = object({
  schemaVersion: v.literal("1.0"),
  takenAtMs: whole,
  orchestratorPaths: v.array(text),
  roots: v.array(root),
  problems: v.array(problem),
  digest,
});

/** The state of a tree that a mutation audit compares with. */
export const mutationSnapshot = defineKind("mutation-snapshot", "mutation audit snapshot", schema);

/**
 * The state of one or more trees at one time.
 *
 * `takenAtMs` is the clock before the first file was read, and never later than the real one; `digest` is that of the content alone, so that two
 * snapshots of the same files and repositories have the same one, whenever and wherever they were taken.
 */
export type MutationSnapshot = v.InferOutput<typeof schema>;

/**
 * One tree. `path` is absolute with links resolved, `givenPath` what the caller called it; `repositories` is empty
 * outside a git repository.
 */
export type SnapshotRoot = v.InferOutput<typeof root>;

/**
 * One git repository: the tree's own (`.`, which may begin above the tree; only its part below counts) or one inside.
 *
 * `headRef` is null for a detached HEAD, `headCommit` before the first commit. `indexDigest` is over what is in the
 * index, not over the bytes of the index file, which git rewrites at will. `statusDigest` is over what is staged and
 * which files are untracked.
 */
export type RepositoryState = v.InferOutput<typeof repository>;

/**
 * One regular file or link, with a path relative to its tree.
 *
 * `digest` is that of the content, or of a link's target; null if it could not be read. `ctimeSeconds` and `inode`
 * serve to tell without reading that a file is the same.
 */
export type SnapshotFile = v.InferOutput<typeof file>;

/** A place that could not be read, absolute, and why; of what lies below it nothing is known. */
export type SnapshotProblem = v.InferOutput<typeof problem>;
