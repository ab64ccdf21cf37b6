import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { describeRecord } from "../describe-record.ts";
import type { RevisionChanges } from "../revision-changes.ts";
import { excerpt } from "../visible-text.ts";
import { type Markup, markup } from "./markup.ts";
import { badge, card, code, facts, link, links, list, subsection, word } from "./parts.ts";

/** The revisions, with what changed from each to the next. */
export function renderRevisions(changes: readonly RevisionChanges[]): readonly Markup[] {
  return changes.map(({ revision, since, added, standings }) => {
    const moved = standings.map(({ recordId, before, after }) => [
      link(recordId),
      " was ",
      badge(before),
      " and is ",
      badge(after),
    ]);
    const title = revision === null
      ? ["After ", link(since ?? "")]
      : `${revision.recordId}, ${revision.recordedAt}`;
    return card(revision?.recordId ?? "unfinished", title, [
      facts([
        ...revision === null ? [] : [
          ["Text", code(revision.contentPath)] as const,
          ["Digest", code(revision.contentDigest)] as const,
          ["Since", since === null ? "the beginning" : link(since)] as const,
        ],
        ...added.map(({ kind, ids }) => [`New: ${kind}`, links(ids)] as const),
      ]),
      moved.length === 0 ? null : subsection("What counts for something else now", list(moved)),
    ]);
  });
}

/** Records that the page tells about nowhere else; links to them lead into the list. */
const TOLD_HERE: readonly string[] = ["subject", "recovery", "close", "drop", "reopen"];

/** All records in their order, each on a line. */
export function renderTimeline(records: readonly DiscussionRecord[]): readonly Markup[] {
  if (records.length === 0) return [];
  const rows = records.map((record) => {
    const { recordedAt, recordId, author, kind } = record, { what, text } = describeRecord(record);
    const isHere = TOLD_HERE.includes(kind);
    const line = [
      markup`<time datetime="${recordedAt}">${recordedAt}</time> `,
      isHere ? recordId : link(recordId),
      " ",
      word(author),
      " ",
      word(what),
      text === "" ? "" : [": ", word(excerpt(text))],
    ];
    return isHere ? markup`<li id="${recordId}">${line}</li>\n` : markup`<li>${line}</li>\n`;
  });
  return [markup`<ol class="timeline">\n${rows}</ol>\n`];
}
