/** What a provider's command line can name, as `{name}`. */
export const PLACEHOLDERS = [
  "model",
  "promptPath",
  "resultPath",
  "projectRoot",
  "worktree",
  "sessionId",
  "addDirs",
] as const;

const KNOWN: ReadonlySet<string> = new Set(PLACEHOLDERS);
// `${name}` is a shell's; a name with blanks or signs around it is no placeholder at all.
const NAMED = /(?<!\$)\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Lists the names in braces that a word of a command line holds and that mean nothing, such as `{prompt}`. */
export function unknownPlaceholders(word: string): readonly string[] {
  return [...word.matchAll(NAMED)].map((match) => match[1]!).filter((name) => !KNOWN.has(name));
}

/** Tells whether a text holds a placeholder. */
export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDERS.some((name) => text.includes(`{${name}}`));
}
