import { validateShape } from "@okstra/manifest-io/document-kind";
import type { Issue } from "@okstra/manifest-io/errors";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { discussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import { decodeUtf8, splitLines } from "./text-lines.ts";

/**
 * What a commit announces before it writes its records: how many there will be, the digest of the last one, and the
 * time that all of its records have.
 *
 * The digests are chained and the spelling of a line is fixed, so this tells the bytes of the new lines exactly.
 */
export interface Commit {
  readonly recordCount: number;
  readonly recordsDigest: string;
  readonly at: string;
}

/** Formats a commit as its line, line feed included. */
export function formatCommit({ recordCount, recordsDigest, at }: Commit): string {
  return `${JSON.stringify({ recordCount, recordsDigest, at })}\n`;
}

/** What the list of commits of a store holds, and what is wrong with it by itself. */
export interface CommitsCheck {
  /** The commit of each line; null where there is none. */
  readonly commits: readonly (Commit | null)[];
  readonly issues: readonly Issue[];
}

/** Reads the bytes of a list of commits; never throws. */
export function checkCommits(bytes: Uint8Array, path: string): CommitsCheck {
  const { lines, rest } = splitLines(bytes), issues: Issue[] = [];
  let count = 0;
  const commits = lines.map((line, index) => {
    const commit = parseCommit(decodeUtf8(line) ?? "");
    const problem = commit === null
      ? "the line is not written as this tool writes it"
      : commit.recordCount <= count
      ? `a commit up to record ${commit.recordCount} stands behind one up to ${count}`
      : null;
    if (problem === null) count = commit?.recordCount ?? count;
    else issues.push({ file: path, line: index + 1, message: problem });
    return problem === null ? commit : null;
  });
  if (bytes.length === 0) issues.push({ file: path, message: "the file is empty" });
  if (rest.length > 0) {
    issues.push({ file: path, line: lines.length + 1, message: "the line has no end" });
  }
  return { commits, issues };
}

function parseCommit(line: string): Commit | null {
  try {
    const commit = JSON.parse(line);
    if (validateShape(discussionAnchor, commit).length > 0) return null;
    return formatCommit(commit) === `${line}\n` ? commit : null;
  } catch {
    return null;
  }
}

/** Lists the commits by which records may have come, for a store that has no list: one for each run of equal times. */
export function listCommits(records: Iterable<DiscussionRecord>): readonly Commit[] {
  const commits: Commit[] = [];
  let recordCount = 0;
  for (const { recordedAt: at, digest: recordsDigest } of records) {
    if (commits.at(-1)?.at === at) commits.pop();
    commits.push({ recordCount: ++recordCount, recordsDigest, at });
  }
  return commits;
}
