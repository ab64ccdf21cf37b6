/** One row of a table: the lines of each cell. */
export type TableRow = readonly (readonly string[])[];

/** Draws a table for people: columns as wide as their widest line, a rule below the head. */
export function drawTable(head: readonly string[], rows: readonly TableRow[]): readonly string[] {
  const all: readonly TableRow[] = [head.map((title) => [title]), ...rows];
  const widths = head.map((_, i) =>
    all.flatMap((row) => row[i]!).reduce((widest, line) => Math.max(widest, [...line].length), 0)
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => cell + " ".repeat(widths[i]! - [...cell].length)).join("  ").trimEnd();
  const lines = (row: TableRow) =>
    Array.from(
      { length: Math.max(...row.map((cell) => cell.length)) },
      (_, i) => line(row.map((cell) => cell[i] ?? "")),
    );
  const [first, ...others] = all.map(lines);
  return [...first!, line(widths.map((width) => "-".repeat(width))), ...others.flat()];
}
