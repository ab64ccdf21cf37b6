/** Quotes free text line by line, so that nothing in it can pass as a heading of ours. */
export function quoteText(content: string): string {
  return content.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line === "" ? ">" : `> ${line}`)
    .join("\n");
}

/** Puts text from outside on one line: line ends and control characters become blanks. */
export function inlineText(content: string): string {
  return content.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Joins names with commas; `none` if there are none. */
export function listNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map(inlineText).join(", ");
}

/** Formats a section: its heading and its blocks, `none` if there are none. */
export function formatSection(title: string, blocks: readonly string[]): string {
  return `## ${title}\n\n${blocks.length === 0 ? "none" : blocks.join("\n\n")}\n`;
}
