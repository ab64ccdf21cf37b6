import { describePhase } from "./describe-phase.ts";
import { describeRecord } from "./describe-record.ts";
import { openDraft } from "./draft.ts";
import { formatSection, inlineText, listNames } from "./markdown.ts";
import { listRecords, type RecordBook } from "./record-book.ts";
import { renderDraft } from "./render.ts";
import { listRevisionChanges, type RevisionChanges } from "./revision-changes.ts";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { excerpt } from "./visible-text.ts";

/**
 * Renders a discussion for a reader: the draft as workers get it and as a revision freezes it, and behind it what a
 * reader wants besides: where it stands, what changed from revision to revision, and all records in their order.
 *
 * @param nextCommands commands that can be given now
 */
export function renderShow(
  book: RecordBook,
  taskKey: string,
  nextCommands: readonly string[],
): string {
  const draft = openDraft(book), records = listRecords(book);
  return [
    renderDraft(draft, taskKey),
    formatSection("Phase", [
      `${draft.phase}: ${describePhase(draft)}`,
      ...nextCommands.map((command) => `- ${inlineText(command)}`),
    ]),
    formatSection("Revisions", listRevisionChanges(records).map(renderChanges)),
    formatSection("Timeline", records.length === 0 ? [] : [records.map(renderRecord).join("\n")]),
  ].join("\n");
}

function renderChanges({ revision, since, added, standings }: RevisionChanges): string {
  const title = revision === null
    ? `### After ${since}`
    : `### ${revision.recordId}, ${revision.recordedAt}`;
  return [
    title,
    [
      ...since === null || revision === null ? [] : [`- Since ${since}`],
      ...revision === null ? [] : [`- Digest: ${revision.contentDigest}`],
      ...added.map(({ kind, ids }) => `- New ${kind}: ${listNames(ids)}`),
      ...standings.map(({ recordId, before, after }) => `- ${recordId}: ${before} became ${after}`),
    ].join("\n"),
  ].join("\n\n");
}

function renderRecord(record: DiscussionRecord): string {
  const { what, text } = describeRecord(record), { recordedAt, recordId, author } = record;
  const told = text === "" ? "" : `: ${inlineText(excerpt(text))}`;
  return `- ${recordedAt} ${recordId} ${inlineText(author)} ${inlineText(what)}${told}`;
}
