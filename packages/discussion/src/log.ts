import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { OkstraError } from "@okstra/manifest-io/errors";
import { requireAuthor } from "./authors.ts";
import type { Context } from "./context.ts";
import { openDraft } from "./draft.ts";
import { listRecords, type RecordBook } from "./record-book.ts";
import { parseRecordId } from "./record-ids.ts";
import { formatLine } from "./record-line.ts";
import { LEAD, USER } from "./reserved-authors.ts";

/** Which records are listed: those that meet every condition that is given. */
export interface LogFilter {
  /** One of these kinds; any if there are none. */
  readonly kinds: readonly RecordKind[];
  readonly author?: string | undefined;
  /** The cycle itself, or what belongs to it. */
  readonly cycle?: string | undefined;
  /** The question itself, or what belongs to it. */
  readonly question?: string | undefined;
  /** Only records behind this one. */
  readonly after?: string | undefined;
}

/**
 * Lists records as they stand in the file: one JSON object a line.
 *
 * @throws {OkstraError} `no-record` if `after`, `cycle` or `question` names none, or `unknown-author`: an empty answer
 * would read as "nothing happened"
 */
export function formatLog(book: RecordBook, filter: LogFilter, context: Context): string {
  refuseUnknown(book, filter, context);
  const first = firstPlace(book, filter.after);
  const places = filter.kinds.length === 0
    ? Array.from({ length: book.length }, (_, place) => place)
    : filter.kinds.flatMap(book.placesOf).toSorted((a, b) => a - b);
  return places.filter((place) => place >= first).map(book.at)
    .filter((record) => isWanted(record, filter))
    .map((record) => `${formatLine(record)}\n`).join("");
}

function firstPlace(book: RecordBook, after: string | undefined): number {
  if (after === undefined) return 0;
  const place = book.placeOf(after);
  if (place >= 0) return place + 1;
  throw new OkstraError(
    "no-record",
    `Cannot list the records after ${JSON.stringify(after)}: there is no such record`,
    { hint: "list all of them: okstra-discussion log" },
  );
}

function refuseUnknown(
  book: RecordBook,
  { author, cycle, question }: LogFilter,
  context: Context,
): void {
  for (const [kind, id] of Object.entries({ cycle, question })) {
    if (id === undefined) continue;
    if (parseRecordId(id)?.kind === kind && book.placeOf(id) >= 0) continue;
    throw new OkstraError(
      "no-record",
      `Cannot list the records of ${kind} ${JSON.stringify(id)}: there is no such ${kind}`,
      { hint: `list what there is: okstra-discussion log --kind ${kind}` },
    );
  }
  if (author === undefined || listRecords(book).some((record) => record.author === author)) return;
  requireAuthor(author, "author of records", [USER, LEAD], openDraft(book), context);
}

function isWanted(record: DiscussionRecord, { author, cycle, question }: LogFilter): boolean {
  return (author === undefined || record.author === author) &&
    (cycle === undefined || belongsTo(record, "cycleId", cycle)) &&
    (question === undefined || belongsTo(record, "questionId", question));
}

function belongsTo(record: DiscussionRecord, field: string, id: string): boolean {
  return record.recordId === id || (record as Readonly<Record<string, unknown>>)[field] === id;
}
