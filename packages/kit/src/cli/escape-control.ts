/**
 * Escapes in a JSON text what JSON leaves as it is and a terminal acts on: DEL and C1 controls, changes of the writing
 * direction, line separators. It stays the same JSON, on a terminal and off it.
 */
export function escapeControl(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Formats a value as a line of JSON lines, in which a terminal acts on nothing. */
export function formatJsonLine(value: unknown): string {
  return `${escapeControl(JSON.stringify(value))}\n`;
}
