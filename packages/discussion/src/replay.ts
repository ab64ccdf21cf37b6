import { digestBytes } from "@okstra/manifest-io/digest";
import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { openDraft } from "./draft.ts";
import type { Phase } from "./phase.ts";
import { bookOf } from "./record-book.ts";
import { isRecord } from "./records.ts";
import { renderDraft } from "./render.ts";
import { formatResearchInstruction } from "./research-instruction.ts";

/** A file that the record names, compared with what the record alone gives. */
export interface ReplayedFile {
  /** The cycle or revision that names it. */
  readonly recordId: string;
  readonly path: string;
  readonly ok: boolean;
  /** What is wrong; null if nothing. */
  readonly problem: string | null;
}

/** What `replay` answers. */
export interface ReplayPayload {
  readonly ok: boolean;
  readonly recordsDigest: string;
  readonly phase: Phase;
  /** Digest of the rendered draft: equal wherever the same facts were recorded in the same order. */
  readonly projectionDigest: string;
  readonly instructions: readonly ReplayedFile[];
  readonly revisions: readonly ReplayedFile[];
}

/** Returns the digest of the file that a record names; `null` if there is no such file. */
export type DigestFile = (record: RecordOf<"cycle"> | RecordOf<"revision">) => string | null;

/**
 * Rebuilds draft, instructions and revisions from the records alone and compares the files byte for byte.
 */
export function replayStore(
  records: readonly DiscussionRecord[],
  taskKey: string,
  digestFile: DigestFile,
): ReplayPayload {
  const instructions: ReplayedFile[] = [], revisions: ReplayedFile[] = [];
  const book = bookOf([]);
  for (const record of records) {
    const { recordId } = record, before = openDraft(book);
    if (isRecord(record, "cycle")) {
      const rebuilt = digestBytes(formatResearchInstruction(recordId, taskKey, before));
      const { instructionPath: path, instructionDigest } = record;
      const problem = compare(instructionDigest, rebuilt, digestFile(record));
      instructions.push({ recordId, path, ok: problem === null, problem });
    } else if (isRecord(record, "revision")) {
      const rebuilt = digestBytes(renderDraft(before, taskKey));
      const { contentPath: path, contentDigest } = record;
      const problem = compare(contentDigest, rebuilt, digestFile(record));
      revisions.push({ recordId, path, ok: problem === null, problem });
    }
    book.append(record);
  }
  const draft = openDraft(book);
  return {
    ok: [...instructions, ...revisions].every(({ ok }) => ok),
    recordsDigest: draft.recordsDigest,
    phase: draft.phase,
    projectionDigest: digestBytes(renderDraft(draft, taskKey)),
    instructions,
    revisions,
  };
}

function compare(recorded: string, rebuilt: string, found: string | null): string | null {
  if (rebuilt !== recorded) return `the record gives ${rebuilt}, but ${recorded} was recorded`;
  if (found === null) return "the file is missing";
  return found === rebuilt ? null : `the file has ${found}, the record gives ${rebuilt}`;
}
