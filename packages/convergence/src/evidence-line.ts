import { isBlank } from "@okstra/manifest-io/blank";

/** A place and what is to be seen there, or what is wrong with the line. */
export type EvidenceLine =
  | { readonly path: string; readonly locator: string | null; readonly text: string }
  | { readonly problem: string };

/** What a line of evidence looks like. */
export const EVIDENCE_FORM = "an Evidence line has the form - `path:line` — text";
/** What a list item begins with. */
export const LIST_MARK = /^(?:[-*+]|\d{1,3}[.)])[ \t]+/;
// Lines are also written as editors and code hosts do: with a column, `L` before the number, or `#L`.
const LOCATED = /^(.+?)(?:(?::|#(?=L))L?(\d+)(?::\d+)?(?:[-–]L?(\d+)(?::\d+)?)?)?$/s;
const MAX_LINE = 999_999_999;

/**
 * Reads one line of a finding's evidence: ``- `path[:line[-line]]` — text``.
 *
 * `null` if the line is no list item, so that it goes on with the text of the one before.
 */
export function parseEvidenceItem(line: string): EvidenceLine | null {
  const trimmed = line.trim();
  const marked = LIST_MARK.exec(trimmed);
  const rest = marked ? trimmed.slice(marked[0].length).trim() : trimmed;
  const isQuoted = rest.startsWith("`");
  if (!marked && !isQuoted) return null;
  const end = isQuoted ? rest.indexOf("`", 1) : rest.search(/[ \t]|$/);
  if (end < 0) return { problem: EVIDENCE_FORM };
  const place = isQuoted ? rest.slice(1, end).trim() : rest.slice(0, end);
  const tail = rest.slice(isQuoted ? end + 1 : end).trim();
  const separator = /^(?:—|–|--?|:)[ \t]*/.exec(tail);
  if (isBlank(place) || (tail !== "" && !separator)) return { problem: EVIDENCE_FORM };
  const text = separator ? tail.slice(separator[0].length).trim() : "";
  if (isBlank(text)) return { problem: `the place ${place} has no text` };
  const [, path = place, from, to] = LOCATED.exec(place) ?? [];
  if (isBlank(path)) return { problem: EVIDENCE_FORM };
  if (from === undefined) return { path, locator: null, text };
  const first = Number(from), last = Number(to ?? from);
  if (first < 1 || last < first || last > MAX_LINE) return { problem: `${place} names no lines` };
  return { path, locator: first === last ? `${first}` : `${first}-${last}`, text };
}
