/** Labels of the header lines of a prompt, in the order in which they are written. */
export const PROMPT_LABELS = [
  "Project Root",
  "Result Path",
  "Worker Result Path",
  "Audit sidecar path",
  "Errors sidecar path",
  "Model",
  "Worktree",
] as const;
export type PromptLabel = typeof PROMPT_LABELS[number];

/** Values of header lines, by label; a label without a value has no line. */
export type PromptHeaders = Readonly<Partial<Record<PromptLabel, string>>>;

const HEADER = /^\*\*([^*:]+):\*\* (.*)$/s;

/**
 * Reads the header lines `**<Label>:** <value>` of a prompt.
 *
 * Values are trimmed; of a label that stands twice the last line counts; a blank value is no header.
 */
export function parsePromptHeaders(prompt: string): PromptHeaders {
  const headers: Partial<Record<PromptLabel, string>> = {};
  for (const line of prompt.split(/\r\n|\n|\r/)) {
    const match = HEADER.exec(line);
    const label = PROMPT_LABELS.find((known) => known === match?.[1]);
    if (label !== undefined) headers[label] = match![2]!.trim();
  }
  for (const label of PROMPT_LABELS) if (headers[label] === "") delete headers[label];
  return headers;
}

/** Formats header lines in their fixed order. */
export function formatPromptHeaders(headers: PromptHeaders): string {
  return PROMPT_LABELS.filter((label) => headers[label] !== undefined)
    .map((label) => `**${label}:** ${headers[label]}\n`).join("");
}

/**
 * Lists the labels whose values would not be read back as they are from a prompt, by default from the headers alone: a
 * header is one line, trimmed, and the last one of a label counts. A path with a line break in it could otherwise bring
 * headers of its own.
 */
export function findLostHeaders(
  headers: PromptHeaders,
  prompt: string = formatPromptHeaders(headers),
): readonly PromptLabel[] {
  const read = parsePromptHeaders(prompt);
  return PROMPT_LABELS.filter((label) => read[label] !== headers[label]);
}

/**
 * Indents every line that would be read as a header by one blank.
 *
 * Text from elsewhere goes into a prompt through this, since the last header line of a label counts.
 */
export function escapePromptHeaders(text: string): string {
  return text.replace(/(^|[\r\n])(?=\*\*[^*:\r\n]+:\*\* )/g, "$1 ");
}
