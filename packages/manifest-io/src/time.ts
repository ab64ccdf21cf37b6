import { OkstraError } from "./errors.ts";

/** Shape of every time in our documents: UTC, whole seconds, `Z`. */
export const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]00:?00)$/;

/** Formats a date as UTC with whole seconds: `2026-01-31T09:05:00Z`. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/**
 * Reads a time that a caller gave: a date, or ISO 8601 text in UTC (`Z` or a zero offset).
 *
 * @throws {OkstraError} `bad-time` for anything else; the message quotes the value.
 */
export function parseTime(value: unknown): string {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? formatTime(value) : value;
  const parts = typeof text === "string" ? ISO_TIME.exec(text.trim()) : null;
  if (parts) {
    const clock = parts[2]!.length === 5 ? `${parts[2]}:00` : parts[2]!;
    const canonical = `${parts[1]}T${clock}Z`;
    const date = new Date(canonical);
    if (!Number.isNaN(date.getTime()) && formatTime(date) === canonical) return canonical;
  }
  const state = parts ? "the calendar has no such time" : "it is not UTC";
  throw new OkstraError("bad-time", `Cannot use ${JSON.stringify(value)} as a time: ${state}`, {
    hint: "write the time as 2026-01-31T09:05:00Z",
  });
}
