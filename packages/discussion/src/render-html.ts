const STYLE = "body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}" +
  "blockquote{margin:0 0 1rem;padding-left:1rem;border-left:.2rem solid;white-space:pre-wrap}";

/**
 * Turns a rendered draft into one HTML page that needs nothing else.
 *
 * Knows just the Markdown that a draft is rendered to: headings, quotes, lists and paragraphs, between blank lines.
 * Everything that came from outside is escaped and stays text.
 *
 * @param markdown what `renderDraft` returns
 */
export function renderHtml(markdown: string): string {
  const blocks = markdown.trimEnd().split(/\n\n+/);
  const title = escapeHtml((blocks[0] ?? "").replace(/^# /, ""));
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>`,
    "<body>",
    ...blocks.map(renderBlock),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function renderBlock(block: string): string {
  const heading = /^(#{1,4}) (.*)$/.exec(block);
  if (heading !== null) {
    const level = heading[1]?.length ?? 1;
    return `<h${level}>${escapeHtml(heading[2] ?? "")}</h${level}>`;
  }
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith(">"))) {
    const text = lines.map((line) => escapeHtml(line.replace(/^> ?/, "")));
    return `<blockquote>${text.join("\n")}</blockquote>`;
  }
  if (lines.every((line) => line.startsWith("- "))) {
    const items = lines.map((line) => `<li>${escapeHtml(line.slice(2))}</li>`);
    return `<ul>\n${items.join("\n")}\n</ul>`;
  }
  return `<p>${escapeHtml(block)}</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replace(/[^\P{Cc}\n\t]/gu, "\uFFFD");
}
