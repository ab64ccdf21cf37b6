import type {
  DiscussionRecord,
  RecordKind,
  RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";
import { factOf } from "./fact.ts";
import { findCycle } from "./fold-research.ts";
import { foldFact, kindOf, openProjection, type Projection } from "./projection.ts";
import { formatRecordId, parseRecordId } from "./record-ids.ts";

/** All records of a discussion in their order, and what follows from them. */
export interface RecordBook {
  readonly projection: Projection;
  /** How many records there are. */
  readonly length: number;
  /** Returns the record at a place, from 0. */
  at(place: number): DiscussionRecord;
  /** Returns where a record stands; -1 if there is none of that name. */
  placeOf(id: string): number;
  /** Lists the places of all records of a kind. */
  placesOf(kind: RecordKind): readonly number[];
  /** Returns where the claim about a finding of a cycle stands; -1 if there is none. */
  placeOfClaim(cycleId: string, findingId: string): number;
  /** Adds a record behind the last one. */
  append(record: DiscussionRecord): void;
}

/**
 * Opens the records of a discussion without reading them: each is loaded when it is first asked for.
 *
 * @param projection over all of these records; it changes with every record that is added
 * @param load returns the record at a place
 */
export function openBook(
  projection: Projection,
  load: (place: number) => DiscussionRecord,
): RecordBook {
  const loaded = new Map<number, DiscussionRecord>();
  const claims = new Map<string, Map<string, number>>();
  let places: Map<RecordKind, number[]> | null = null;
  const placesOf = (kind: RecordKind) => (places ??= listPlaces(projection.kinds)).get(kind) ?? [];
  const book: RecordBook = {
    projection,
    get length() {
      return projection.kinds.length;
    },
    at(place) {
      if (place < 0 || place >= projection.kinds.length) throw new Error(`no record ${place}`);
      const record = loaded.get(place) ?? load(place);
      loaded.set(place, record);
      return record;
    },
    placeOf(id) {
      const named = parseRecordId(id);
      return named === null ? -1 : placesOf(named.kind)[named.number - 1] ?? -1;
    },
    placesOf,
    placeOfClaim(cycleId, findingId) {
      let known = claims.get(cycleId);
      if (known === undefined) {
        const listed = findCycle(projection.research, cycleId)?.claims ?? [];
        known = new Map(listed.map((place) => [recordAt<"claim">(book, place).findingId, place]));
        claims.set(cycleId, known);
      }
      return known.get(findingId) ?? -1;
    },
    append(record) {
      const place = projection.kinds.length;
      loaded.set(place, record);
      foldFact(projection, factOf(record, place), record.digest);
      if (places !== null) addPlace(places, record.kind, place);
      if (record.kind !== "claim") return;
      const { cycleId, findingId } = recordAt<"claim">(book, place);
      claims.get(cycleId)?.set(findingId, place);
    },
  };
  return book;
}

/** Opens a book over records that are in memory. */
export function bookOf(records: readonly DiscussionRecord[]): RecordBook {
  const book = openBook(openProjection(), () => {
    throw new Error("every record is loaded");
  });
  for (const record of records) book.append(record);
  return book;
}

/** Lists all records of a kind. */
export function recordsOf<K extends RecordKind>(
  book: RecordBook,
  kind: K,
): readonly RecordOf<K>[] {
  return book.placesOf(kind).map((place) => recordAt(book, place));
}

/** Returns the last record of a kind; `null` if there is none. */
export function lastOf<K extends RecordKind>(book: RecordBook, kind: K): RecordOf<K> | null {
  const place = book.placesOf(kind).at(-1);
  return place === undefined ? null : recordAt(book, place);
}

/** Returns the last record; `null` if there is none. */
export function lastRecord(book: RecordBook): DiscussionRecord | null {
  return book.length === 0 ? null : book.at(book.length - 1);
}

/** Finds a record by its name; `null` if there is none. */
export function findRecord(book: RecordBook, id: string): DiscussionRecord | null {
  const place = book.placeOf(id);
  return place < 0 ? null : book.at(place);
}

/** Returns the record at a place, of which the caller knows the kind. */
export function recordAt<K extends RecordKind>(book: RecordBook, place: number): RecordOf<K> {
  return book.at(place) as unknown as RecordOf<K>;
}

/** Lists all records; each of them is loaded. */
export function listRecords(book: RecordBook): readonly DiscussionRecord[] {
  return Array.from({ length: book.length }, (_, place) => book.at(place));
}

/** Names the next record of a kind: its prefix and a counter of that kind, from 1. */
export function nextRecordId(book: RecordBook, kind: RecordKind): string {
  return formatRecordId(kind, book.placesOf(kind).length + 1);
}

function listPlaces(kinds: string): Map<RecordKind, number[]> {
  const places = new Map<RecordKind, number[]>();
  for (let place = 0; place < kinds.length; place++) {
    addPlace(places, kindOf(kinds[place]), place);
  }
  return places;
}

function addPlace(places: Map<RecordKind, number[]>, kind: RecordKind, place: number): void {
  const list = places.get(kind);
  if (list === undefined) places.set(kind, [place]);
  else list.push(place);
}
