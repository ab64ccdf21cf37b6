import { RECORD_KINDS, type RecordKind } from "@okstra/manifest-io/schemas/discussion-record";

/** What the name of a record begins with, by kind. */
export const RECORD_PREFIXES: Readonly<Record<RecordKind, string>> = {
  subject: "S",
  cycle: "R",
  result: "RS",
  failure: "FL",
  recovery: "RC",
  claim: "C",
  close: "CL",
  question: "Q",
  answer: "A",
  material: "M",
  decision: "D",
  drop: "DR",
  revision: "RV",
  reopen: "RO",
};

const KINDS = new Map(RECORD_KINDS.map((kind) => [RECORD_PREFIXES[kind], kind]));

/** Names the record of a kind that is the n-th of it, from 1. */
export function formatRecordId(kind: RecordKind, number: number): string {
  return `${RECORD_PREFIXES[kind]}-${String(number).padStart(4, "0")}`;
}

/** Returns kind and number of a record's name; `null` if it is none. */
export function parseRecordId(
  id: string,
): { readonly kind: RecordKind; readonly number: number } | null {
  const [, prefix = "", digits = ""] = /^([A-Z]+)-(\d{4,15})$/.exec(id) ?? [];
  const kind = KINDS.get(prefix), number = Number(digits);
  const isName = kind !== undefined && number > 0 && formatRecordId(kind, number) === id;
  return isName ? { kind, number } : null;
}
