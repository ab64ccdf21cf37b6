/**
 * Draws lines of cells as a table for people, columns as wide as their widest cell.
 *
 * @param clean removes from a text what could harm a terminal, before the columns are measured
 * @param rightFrom first of the columns that are aligned on the right, as numbers are; all after it up to `rightTo`
 */
export function drawTable(
  lines: readonly (readonly string[])[],
  clean: (text: string) => string,
  { rightFrom = 0, rightTo = 0 }: { readonly rightFrom?: number; readonly rightTo?: number } = {},
): string {
  const cells = lines.map((line) => line.map((cell) => clean(cell.replace(/\s+/g, " ").trim())));
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)));
  const pad = (cell: string, at: number) =>
    at >= rightFrom && at < rightTo ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
  return cells.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("");
}
