const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * Makes the characters of a text visible that a terminal or a page would act on instead of showing them, such as
 * `[U+001B]` for an escape and `[U+202E]` for a mark that reverses what follows, and those that nobody would see. Tabs,
 * line feeds and joiners, which scripts and signs need, stay.
 */
export function showInvisible(content: string): string {
  // Control characters; what is not seen, such as marks of the writing direction; ends of lines; halves of surrogate pairs.
  const invisible = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
  return content.replace(invisible, (found) => {
    if (found === "\n" || found === "\t") return found;
    const code = found.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Splits a text into lines, wherever a terminal or a reader would begin a new one; none holds anything invisible. */
export function splitLines(content: string): readonly string[] {
  return content.split(LINE_END).map(showInvisible);
}

/** Puts a text on one line. */
export function joinLines(content: string): string {
  return splitLines(content).join(" ").replaceAll("\t", " ");
}

/** Shortens a text to its beginning, on one line, for places where the whole of it stands elsewhere. */
export function excerpt(content: string, length = 80): string {
  const line = joinLines(content.slice(0, length * 4)).trim().replace(/ +/g, " ");
  const letters = [...line];
  return letters.length <= length ? line : `${letters.slice(0, length - 1).join("").trimEnd()}…`;
}
