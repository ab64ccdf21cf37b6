import { join, relative } from "@std/path";
import { digestBytes } from "./digest.ts";
import { compareText } from "./json-text.ts";
import { isInside } from "./project-path.ts";
import type {
  MutationSnapshot,
  RepositoryState,
  SnapshotFile,
  SnapshotProblem,
  SnapshotRoot,
} from "./schemas/mutation-snapshot.ts";
import { makeWriteJudge } from "./write-judge.ts";
import type { WritePolicy } from "./write-policy.ts";

export type { MutationSnapshot };

/**
 * What the comparison of a tree with its policies says.
 *
 * `ok`: nothing was changed that no policy allows. `violation`: something was. `unverifiable`: nothing was found, but
 * the snapshot or a part of the tree could not be read, so that nothing is proven.
 */
export type MutationStatus = "ok" | "violation" | "unverifiable";

/** What an audit found; the field names are those of an attempt's `changeSummary`. */
export interface ChangeSummary {
  readonly mutationStatus: MutationStatus;
  /** Every changed path, allowed or not, sorted: relative to the first tree, absolute outside it. */
  readonly changedPaths: readonly string[];
  /** Whether a path was changed that is no artifact of the worker. */
  readonly sourceChanged: boolean;
  /** Whether the HEAD or index of a repository moved, or a repository came or went. */
  readonly gitChanged: boolean;
  /** Who can have done it: the one worker that ran alone, some worker of a batch, or `call` without a snapshot. */
  readonly attribution: "worker" | "batch" | "call";
  /** Whether another attempt would start from the same source: no result came, and nothing but artifacts changed. */
  readonly retryAllowed: boolean;
  /** One sentence for each forbidden change, and then for each place that could not be read. */
  readonly violations: readonly string[];
  /** Digest of the content before; blank if it is not known. */
  readonly beforeDigest: string;
  /** Digest of the content after; blank if it is not known. */
  readonly afterDigest: string;
}

/** The answer of a mutation audit. */
export interface MutationAudit {
  readonly status: MutationStatus;
  readonly changeSummary: ChangeSummary;
}

/** What an audit has to know beside the trees. */
export interface AuditOptions {
  /** Paths that the worker itself reported as changed beyond its plan; absolute, or relative to a tree. */
  readonly outOfPlanEdits?: readonly string[];
  readonly attemptSucceeded: boolean;
  readonly resultPresent: boolean;
  /** Whether no other worker ran meanwhile; by default, whether there is one policy only. */
  readonly ranAlone?: boolean;
}

const NO_CHANGE = {
  changedPaths: [],
  sourceChanged: false,
  gitChanged: false,
  retryAllowed: false,
  violations: [],
  beforeDigest: "",
  afterDigest: "",
} as const;

/** The answer for an invocation whose enforcement asks for no audit. */
export const NOT_AUDITED: MutationAudit = {
  status: "ok",
  changeSummary: { mutationStatus: "ok", attribution: "call", ...NO_CHANGE },
};

/** Returns the answer for a snapshot that cannot be used. */
export function rejectSnapshot(reason: string, attribution: "worker" | "batch"): MutationAudit {
  const summary = { ...NO_CHANGE, attribution, violations: [reason] };
  return {
    status: "unverifiable",
    changeSummary: { mutationStatus: "unverifiable", ...summary },
  };
}

/** Returns the digest of what trees hold; times, inodes and the place of the trees do not count. */
export function digestRoots(roots: readonly SnapshotRoot[]): string {
  const lines: string[] = [];
  for (const root of roots) {
    lines.push("root");
    for (const each of root.repositories) {
      const head = [each.headRef, each.headCommit, each.indexDigest, each.statusDigest];
      lines.push(`repository ${head.join(" ")} ${each.path}`);
    }
    for (const each of root.files) {
      lines.push(`${each.kind} ${each.mode.toString(8)} ${each.digest} ${each.path}`);
    }
  }
  // No path holds NUL.
  return digestBytes(lines.join("\0"));
}

/**
 * Compares two snapshots of the same trees and judges each difference by the policies of those who ran meanwhile.
 *
 * A changed path is allowed if one policy has it in its allowed root, planned paths, artifact paths or auxiliary roots,
 * or if it was reported as an edit out of plan. A move of HEAD or index is allowed below an allowed root alone.
 */
export function compareSnapshots(
  before: MutationSnapshot,
  after: MutationSnapshot,
  policies: readonly WritePolicy[],
  options: AuditOptions,
): MutationAudit {
  const attribution = attributionOf(policies, options);
  if (digestRoots(before.roots) !== before.digest) {
    return rejectSnapshot("The snapshot does not have the digest that it states", attribution);
  }
  const judge = makeWriteJudge(before.roots, policies, options.outOfPlanEdits ?? []);
  const pairs = before.roots.map((old): TreePair => ({
    before: old,
    after: after.roots.find((root) => root.path === old.path) ??
      { ...old, files: [], repositories: [] },
    wasUnknown: isBelowAny(before.problems),
    isUnknown: isBelowAny(after.problems),
  }));
  const changes = pairs.flatMap(diffFiles), moves = pairs.flatMap(diffRepositories);
  const name = (path: string) => nameOf(before.roots[0]?.path ?? "", path);
  const say = (change: Change) => `${JSON.stringify(name(change.path))} ${change.what}`;
  const forbidden = [
    ...changes.filter((change) => !judge.mayChange(change.path)),
    ...moves.filter((move) => !judge.mayMove(move.path)),
  ];
  const unread = [...before.problems, ...after.problems].map((problem) =>
    `${JSON.stringify(name(problem.path))} could not be read: ${problem.reason}`
  );
  const status = forbidden.length > 0 ? "violation" : unread.length > 0 ? "unverifiable" : "ok";
  const sourceChanged = changes.some((change) => !judge.isArtifact(change.path));
  const isSame = status === "ok" && !sourceChanged && moves.length === 0;
  return {
    status,
    changeSummary: {
      mutationStatus: status,
      changedPaths: changes.map((change) => name(change.path)).sort(compareText),
      sourceChanged,
      gitChanged: moves.length > 0,
      attribution,
      retryAllowed: isSame && !(options.attemptSucceeded && options.resultPresent),
      violations: [...new Set([...forbidden.map(say).sort(compareText), ...unread])],
      beforeDigest: before.digest,
      afterDigest: after.digest,
    },
  };
}

/** Tells to whom a change can be attributed. */
export function attributionOf(
  policies: readonly WritePolicy[],
  options: AuditOptions,
): "worker" | "batch" {
  return options.ranAlone ?? policies.length === 1 ? "worker" : "batch";
}

/** One difference: an absolute path and the end of a sentence about it. */
interface Change {
  readonly path: string;
  readonly what: string;
}

/** Two states of one tree, and which paths were not to be seen in them. */
interface TreePair {
  readonly before: SnapshotRoot;
  readonly after: SnapshotRoot;
  wasUnknown(path: string): boolean;
  isUnknown(path: string): boolean;
}

function isBelowAny(problems: readonly SnapshotProblem[]): (path: string) => boolean {
  return (path) => problems.some((problem) => isInside(problem.path, path));
}

function diffFiles({ before, after, wasUnknown, isUnknown }: TreePair): readonly Change[] {
  const old = new Map(before.files.map((file) => [file.path, file]));
  const changes: Change[] = [];
  for (const file of after.files) {
    const former = old.get(file.path);
    old.delete(file.path);
    const what = former === undefined ? "is new" : describeChange(former, file);
    if (what === null) continue;
    const path = join(before.path, file.path);
    if (former !== undefined || !wasUnknown(path)) changes.push({ path, what });
  }
  for (const name of old.keys()) {
    const path = join(before.path, name);
    if (!isUnknown(path)) changes.push({ path, what: "was deleted" });
  }
  return changes;
}

function describeChange(before: SnapshotFile, after: SnapshotFile): string | null {
  if (before.kind !== after.kind) return `became a ${after.kind}`;
  const isUnread = before.digest === null || after.digest === null;
  if (before.sizeBytes !== after.sizeBytes) return "was changed";
  if (!isUnread && before.digest !== after.digest) return "was changed";
  if (before.mode === after.mode) return null;
  return `changed its mode from ${before.mode.toString(8)} to ${after.mode.toString(8)}`;
}

function diffRepositories({ before, after, wasUnknown, isUnknown }: TreePair): readonly Change[] {
  const moves: Change[] = [];
  const old = new Map(before.repositories.map((each) => [each.path, each]));
  for (const now of after.repositories) {
    const former = old.get(now.path), path = join(before.path, now.path);
    old.delete(now.path);
    if (former === undefined) {
      if (!wasUnknown(path)) moves.push({ path, what: "became a git repository" });
      continue;
    }
    const [head, index] = [formatHead(former), former.indexDigest];
    if (head !== formatHead(now)) {
      moves.push({ path, what: `has its git HEAD at ${formatHead(now)} instead of ${head}` });
    }
    if (index !== now.indexDigest) moves.push({ path, what: "has another git index" });
  }
  for (const name of old.keys()) {
    const path = join(before.path, name);
    if (!isUnknown(path)) moves.push({ path, what: "is no git repository any more" });
  }
  return moves;
}

function formatHead({ headRef, headCommit }: RepositoryState): string {
  return `${headCommit ?? "no commit"} (${headRef ?? "detached"})`;
}

function nameOf(projectRoot: string, path: string): string {
  return path !== projectRoot && isInside(projectRoot, path) ? relative(projectRoot, path) : path;
}
