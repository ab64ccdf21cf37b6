/** Returns the known word that was probably meant, or `undefined` if none is near. Equal distances keep the table's order. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const bare = word.replace(/^-+/, "").toLowerCase();
  if (bare === "") return undefined;
  let best: string | undefined;
  let limit = Math.max(1, Math.floor(bare.length / 3)) + 1;
  for (const candidate of known) {
    const steps = distance(bare, candidate.replace(/^-+/, "").toLowerCase());
    if (steps < limit) [best, limit] = [candidate, steps];
  }
  if (best !== undefined) return best;
  const longer = known.filter((candidate) => candidate.replace(/^-+/, "").startsWith(bare));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Counts the insertions, deletions, replacements and swaps of neighbours between two words. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1];
      let steps = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (isEqual ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        steps = Math.min(steps, before[j - 2]! + 1);
      }
      row.push(steps);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length]!;
}
