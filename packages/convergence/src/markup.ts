import { showHidden } from "./show-hidden.ts";

// Nobody else can make one, so that no text passes for markup.
class EscapedMarkup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Markup of a page, in which every text from outside was escaped; `toString()` gives its text. */
export type Markup = EscapedMarkup;

/** What may stand in a template: markup as it is, everything else escaped. */
export type HtmlValue = Markup | string | number | readonly HtmlValue[];

/**
 * Builds markup from a template: the only place where a text becomes markup.
 *
 * Values may stand between tags and inside double-quoted attributes, nowhere else.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup {
  let text = parts[0]!;
  values.forEach((value, i) => text += escapeValue(value) + parts[i + 1]);
  return new EscapedMarkup(text);
}

function escapeValue(value: HtmlValue): string {
  if (value instanceof EscapedMarkup) return value.toString();
  if (typeof value === "object") return value.map(escapeValue).join("");
  return showHidden(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
