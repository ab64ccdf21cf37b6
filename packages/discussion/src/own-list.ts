/** Returns a list of a table; the empty one if the table has none of its own under the key. */
export function ownList<T>(
  table: Readonly<Record<string, readonly T[]>>,
  key: string,
): readonly T[] {
  return Object.hasOwn(table, key) ? table[key] ?? [] : [];
}
