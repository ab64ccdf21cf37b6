import type {
  DiscussionRecord,
  RecordKind,
  RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";
import type { Standing } from "./fold-claims.ts";
import { openDraft } from "./draft.ts";
import { groupBy } from "./group-by.ts";
import { bookOf, type RecordBook } from "./record-book.ts";
import { isRecord } from "./records.ts";

/** What came between two states of a discussion. */
export interface RevisionChanges {
  /** The revision that the changes led to; null for what came after the last one. */
  readonly revision: RecordOf<"revision"> | null;
  /** The revision before; null for the first. */
  readonly since: string | null;
  /** Records that were added, by kind, in the order in which the kinds first appear. */
  readonly added: readonly { readonly kind: RecordKind; readonly ids: readonly string[] }[];
  /** Claims of the revision before that count for something else now. */
  readonly standings: readonly StandingChange[];
}

/** A claim whose standing changed. */
export interface StandingChange {
  readonly recordId: string;
  readonly before: Standing;
  readonly after: Standing;
}

/** Lists what each revision changed since the one before, and at last what came after the latest one, if anything. */
export function listRevisionChanges(
  records: readonly DiscussionRecord[],
): readonly RevisionChanges[] {
  const changes: RevisionChanges[] = [], book = bookOf([]);
  let added: DiscussionRecord[] = [], since: string | null = null;
  let standings: ReadonlyMap<string, Standing> = new Map();
  const conclude = (revision: RecordOf<"revision"> | null) => {
    const now = readStandings(book);
    changes.push({
      revision,
      since,
      added: [...groupBy(added, ({ kind }) => kind)].map(([kind, group]) => ({
        kind: kind as RecordKind,
        ids: group.map(({ recordId }) => recordId),
      })),
      standings: [...standings].flatMap(([recordId, before]) => {
        const after = now.get(recordId) ?? before;
        return after === before ? [] : [{ recordId, before, after }];
      }),
    });
    standings = now;
    since = revision?.recordId ?? null;
    added = [];
  };
  for (const record of records) {
    if (isRecord(record, "revision")) conclude(record);
    else added.push(record);
    book.append(record);
  }
  if (changes.length > 0 && added.length > 0) conclude(null);
  return changes;
}

function readStandings(book: RecordBook): ReadonlyMap<string, Standing> {
  const claims = openDraft(book).cycles.flatMap((cycle) => cycle.claims);
  return new Map(claims.map(({ recordId, standing }) => [recordId, standing]));
}
