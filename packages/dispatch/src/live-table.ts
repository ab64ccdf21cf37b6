/** One line of the table that a waiting person watches. */
export interface TableRow {
  readonly worker: string;
  readonly backend: string;
  readonly attempt: number;
  /** Since its start, in milliseconds; `null`: it has not started. */
  readonly ageMs: number | null;
  /** Since its last output or result, in milliseconds; `null`: none is known. */
  readonly lastMs: number | null;
  /** A word. */
  readonly state: string;
  /** What the state rests on, in a word or two. */
  readonly evidence: string;
}

const HEADER = ["WORKER", "BACKEND", "ATTEMPT", "AGE", "LAST", "STATE"];

/** Rests of a state, by the rule that decided. */
const WORDS: Readonly<Record<string, string>> = {
  "process-identity": "process",
  "no-sidecar": "no status yet",
  "heartbeat": "heartbeat only",
  "other-host": "other host",
  "exit-0-and-artifacts": "result",
  "missing-artifacts": "no result",
  "exit-code": "exit status",
  "failure-class": "reported fault",
  "timeout-flag": "time limit",
  "launch-failed": "launch",
  "lost": "process gone",
};

/** Names what a rule looks at. */
export function evidenceWord(rule: string): string {
  return Object.hasOwn(WORDS, rule) ? WORDS[rule]! : rule;
}

/** How much of a worker's name is shown on the narrowest terminal. */
const NAME_MIN = 8;

/**
 * Writes the table for a terminal: no line is longer than it is wide, and there are no more lines than fit, those that
 * are said first included.
 */
export function formatTable(
  rows: readonly TableRow[],
  size: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const cells = [HEADER, ...rows.map(formatCells)];
  const widths = HEADER.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)));
  // The state is what one waits for: a long name makes room for it first.
  const excess = widths.reduce((sum, width) => sum + width + 2, -2) - size.columns;
  if (excess > 0) widths[0] = Math.max(Math.min(widths[0]!, NAME_MIN), widths[0]! - excess);
  const lines = cells.map((line) =>
    line.map((cell, at) => cell.slice(0, widths[at]).padEnd(widths[at]!)).join("  ").trimEnd()
      .slice(0, size.columns)
  );
  const room = Math.max(2, size.rows - 1);
  if (lines.length <= room) return lines;
  const hidden = lines.length - room + 1;
  return [...lines.slice(0, room - 1), `… and ${hidden} more`.slice(0, size.columns)];
}

function formatCells(row: TableRow): readonly string[] {
  return [
    row.worker,
    row.backend,
    String(row.attempt),
    row.ageMs === null ? "-" : formatAge(row.ageMs),
    row.lastMs === null ? "-" : formatAge(row.lastMs),
    row.evidence === "" ? row.state : `${row.state} (${row.evidence})`,
  ].map((cell) => cell.replace(/[\p{Cc}\p{Cf}]/gu, ""));
}

/** Writes a time as people read it: `42s`, `3m07s`, `2h05m`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000)), minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}
