import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { RecordBook } from "./record-book.ts";
import { formatLine } from "./record-line.ts";

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
 * @throws {OkstraError} `no-record` if `after` names none
 */
export function formatLog(book: RecordBook, filter: LogFilter): string {
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

function isWanted(record: DiscussionRecord, { author, cycle, question }: LogFilter): boolean {
  return (author === undefined || record.author === author) &&
    (cycle === undefined || belongsTo(record, "cycleId", cycle)) &&
    (question === undefined || belongsTo(record, "questionId", question));
}

function belongsTo(record: DiscussionRecord, field: string, id: string): boolean {
  return record.recordId === id || (record as Readonly<Record<string, unknown>>)[field] === id;
}
