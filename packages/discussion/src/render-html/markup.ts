import { showInvisible } from "../visible-text.ts";

/** A piece of HTML that may stand in a page as it is. Only {@linkcode markup} makes it. */
export interface Markup {
  readonly html: string;
}

/** What may stand in a template: a text is escaped, nothing stays nothing. */
export type Part = string | number | Markup | null | readonly Part[];

/**
 * Puts parts into a template of HTML. This is the one place in which text becomes HTML: whatever is no markup of ours is
 * escaped, so that it can end neither an element nor an attribute, and what is invisible in it is shown.
 */
export function markup(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const pieces = template.map((piece, index) =>
    index < parts.length ? piece + format(parts[index] ?? null) : piece
  );
  return { html: pieces.join("") };
}

function format(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string") return escape(part);
  if (typeof part === "number") return String(part);
  return "html" in part ? part.html : part.map(format).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return showInvisible(text).replace(/[&<>"']/g, (found) => ENTITIES[found] ?? "");
}
