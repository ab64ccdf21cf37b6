import type { Standing } from "../fold-claims.ts";
import { parseRecordId } from "../record-ids.ts";
import { excerpt, splitLines } from "../visible-text.ts";
import { type Markup, markup, type Part } from "./markup.ts";

/** A text that somebody wrote: set off, never interpreted; a long one is folded up behind its beginning. */
export function freeText(text: string): Markup {
  const whole = markup`<div class="text" dir="auto">${splitLines(text).join("\n")}</div>`;
  if (text.length <= 1500) return whole;
  const head = markup`<bdi>${excerpt(text)}</bdi> (${text.length} characters)`;
  return markup`<details><summary>${head}</summary>${whole}</details>`;
}

/** A name or word that came from outside, within a line of ours. */
export function word(text: string): Markup {
  return markup`<bdi>${text}</bdi>`;
}

/** A path, a digest or a command. */
export function code(text: string): Markup {
  return markup`<code>${text}</code>`;
}

/** The name of a record, as a link to where the page tells about it. */
export function link(id: string): Markup {
  return parseRecordId(id) === null ? word(id) : markup`<a href="#${id}">${id}</a>`;
}

/** Names of records, with commas between them; `none` if there are none. */
export function links(ids: readonly string[]): Markup {
  if (ids.length === 0) return markup`none`;
  return markup`${ids.map((id, index) => [index === 0 ? "" : ", ", link(id)])}`;
}

/** Words that came from outside, with commas between them; `none` if there are none. */
export function words(all: readonly string[]): Markup {
  return all.length === 0 ? markup`none` : word(all.join(", "));
}

const TONES: Readonly<Record<Standing, string>> = {
  established: "good",
  supported: "good",
  decided: "good",
  disputed: "bad",
  refuted: "quiet",
  withdrawn: "quiet",
  revisited: "warn",
  "single-source": "warn",
};

/** What a claim counts for. */
export function badge(standing: Standing): Markup {
  return markup`<span class="badge ${TONES[standing]}">${standing}</span>`;
}

/** A section with its heading; `none` if it has nothing. */
export function section(id: string, title: string, items: readonly Part[]): Markup {
  const body = items.length === 0 ? markup`<p class="quiet">none</p>\n` : items;
  return markup`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}</section>
`;
}

/** Something that has a place of its own on the page. */
export function card(id: string, title: Part, body: readonly Part[]): Markup {
  return markup`<article id="${id}">
<h3>${title}</h3>
${body}</article>
`;
}

/** A heading within a card, and what stands under it. */
export function subsection(title: string, body: Part): Markup {
  return markup`<h4>${title}</h4>${body}\n`;
}

/** Facts as pairs of a word of ours and what it is. */
export function facts(rows: readonly (readonly [string, Part])[]): Markup {
  const pairs = rows.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>\n`);
  return markup`<dl>\n${pairs}</dl>\n`;
}

/** A list; nothing if there is nothing in it. */
export function list(items: readonly Part[]): Part {
  if (items.length === 0) return null;
  return markup`<ul>\n${items.map((item) => markup`<li>${item}</li>\n`)}</ul>\n`;
}
