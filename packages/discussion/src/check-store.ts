import { digestBytes } from "@okstra/manifest-io/digest";
import type { Issue } from "@okstra/manifest-io/errors";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { findAnchorFault } from "./anchor.ts";
import { checkRecords } from "./check-records.ts";
import { checkCommits, type Commit, type CommitsCheck } from "./commits.ts";

/** The files of a store as they were read; null where there is none. */
export interface StoreFacts {
  readonly records: Uint8Array | null;
  readonly commits: Uint8Array | null;
  readonly anchor: DiscussionAnchor | null;
  /** Their paths, as they are shown. */
  readonly paths: { readonly records: string; readonly commits: string; readonly anchor: string };
}

/** A store, and everything that is wrong with it. */
export interface StoreCheck {
  /** The record of each line; null where it cannot be read. */
  readonly lines: readonly (DiscussionRecord | null)[];
  /** What is wrong with single lines. */
  readonly integrity: readonly Issue[];
  /** What is missing. */
  readonly completeness: readonly Issue[];
  /** How many bytes of the commits belong to records that are there; the last commit may have been killed. */
  readonly commitsLength: number;
}

/** Judges the files of a store, each line with its record; never throws. */
export function checkStore(facts: StoreFacts): StoreCheck {
  const { records, commits, paths } = facts;
  const read = records === null ? null : checkRecords(records, paths.records);
  const lines = read?.lines ?? [];
  const told = commits === null ? null : checkCommits(commits, paths.commits);
  const byCommits = told === null ? checkWithout(lines, facts) : checkLines(lines, told, facts);
  const integrity = [...read?.issues ?? [], ...told?.issues ?? [], ...byCommits.integrity];
  const completeness = [...byCommits.completeness, ...checkAnchor(lines, facts)];
  const commitsLength = measureCommits(commits, told?.commits ?? [], lines.length);
  if (integrity.length + completeness.length === 0) {
    integrity.push(...checkBytes(facts, told?.commits ?? []));
  }
  return { lines, integrity, completeness, commitsLength };
}

type Found = Pick<StoreCheck, "integrity" | "completeness">;
type Lines = readonly (DiscussionRecord | null)[];

/** Holds the lines against the commits by which they came. */
function checkLines(
  lines: Lines,
  { commits, issues }: CommitsCheck,
  { anchor, paths }: StoreFacts,
): Found {
  const integrity: Issue[] = [], completeness: Issue[] = [];
  const report = (place: number, message: string) =>
    integrity.push({ file: paths.records, line: place + 1, message });
  const miss = (commit: Commit) => {
    const fault = findAnchorFault(lines, commit);
    if (fault === null) return;
    const message = `${fault.message} (${paths.commits})`;
    completeness.push({ file: paths.records, line: fault.line, message });
  };
  // How many lines the commits so far account for; null behind a commit that cannot be read.
  let from: number | null = 0;
  for (const [index, commit] of commits.entries()) {
    if (commit === null) {
      from = null;
      continue;
    }
    const { recordCount, at } = commit;
    if (recordCount > lines.length) {
      // Announced, but not written: a commit that was killed. There is never more than one, it is the last, and it
      // began with an anchor of all records before it.
      const isKilled = index === commits.length - 1 && (from ?? lines.length) === lines.length &&
        (anchor?.recordCount ?? 0) >= lines.length;
      if (!isKilled) miss(commits.findLast((told) => told !== null) ?? commit);
      return { integrity, completeness };
    }
    const last = lines[recordCount - 1] ?? null;
    if (last !== null && last.digest !== commit.recordsDigest) {
      miss({ ...commit, at: last.recordedAt });
      return { integrity, completeness };
    }
    for (let place = from ?? recordCount; place < recordCount; place++) {
      const { recordId, recordedAt } = lines[place] ?? {};
      if (recordedAt === undefined || recordedAt === at) continue; // a line that cannot be read is reported
      report(place, `${recordId} was changed: it was recorded at ${at}, but says ${recordedAt}`);
    }
    from = recordCount;
  }
  // Commits that are damaged themselves accuse no line.
  if (issues.length > 0) from = null;
  for (let place = from ?? lines.length; place < lines.length; place++) {
    report(place, unannounced(lines[place] ?? null, paths.commits, from));
  }
  return { integrity, completeness };
}

function unannounced(record: DiscussionRecord | null, file: string, told: number | null): string {
  const name = record?.recordId ?? "the record";
  return `${name} was added by hand, or ${file} was cut: it tells of ${told} records`;
}

/** Without commits nothing may stand behind the anchor. */
function checkWithout(lines: Lines, { anchor, paths }: StoreFacts): Found {
  if (anchor === null) {
    const message = "neither an anchor nor a list of commits is there to prove the record";
    const file = paths.records;
    return { integrity: [], completeness: lines.length === 0 ? [] : [{ file, line: 1, message }] };
  }
  const { recordCount } = anchor;
  const integrity = lines.slice(recordCount).map((record, index) => ({
    file: paths.records,
    line: recordCount + index + 1,
    message: unannounced(record, paths.anchor, recordCount),
  }));
  return { integrity, completeness: [] };
}

function checkAnchor(lines: Lines, { anchor, paths }: StoreFacts): readonly Issue[] {
  const fault = anchor === null ? null : findAnchorFault(lines, anchor);
  if (fault === null) return [];
  const { line, message } = fault;
  return [{ file: paths.records, line, message: `${message} (${paths.anchor})` }];
}

/** Where each line by itself is right, some byte may be another one still, such as a time of which no commit tells. */
function checkBytes(
  { records, commits, anchor, paths }: StoreFacts,
  told: readonly (Commit | null)[],
): readonly Issue[] {
  if (anchor?.files === undefined || records === null) return [];
  const { recordCount, files } = anchor;
  const anchored = records.subarray(0, findEnd(records, recordCount));
  if (digestBytes(anchored) !== files.records) {
    const message =
      `a time in the first ${recordCount} lines of ${paths.records} was changed, or this anchor`;
    return [{ file: paths.anchor, message }];
  }
  if (commits === null) return [];
  const known = commits.subarray(0, measureCommits(commits, told, recordCount));
  if (digestBytes(known) === files.commits) return [];
  return [{ file: paths.anchor, message: `${paths.commits} was changed or cut, or this anchor` }];
}

function measureCommits(
  bytes: Uint8Array | null,
  commits: readonly (Commit | null)[],
  recordCount: number,
): number {
  if (bytes === null) return 0;
  return findEnd(
    bytes,
    commits.filter((told) => told !== null && told.recordCount <= recordCount).length,
  );
}

/** Returns where a number of lines ends. */
function findEnd(bytes: Uint8Array, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line++) end = bytes.indexOf(0x0a, end) + 1;
  return end;
}
