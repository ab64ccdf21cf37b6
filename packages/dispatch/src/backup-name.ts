/**
 * Returns the name under which a file of an earlier attempt is kept: `<name>.before-<n>` with the first number that is
 * higher than all in use.
 *
 * @param siblings names in the same directory
 */
export function backupName(name: string, siblings: readonly string[]): string {
  const prefix = `${name}.before-`;
  const used = siblings.filter((sibling) => sibling.startsWith(prefix))
    .map((sibling) => sibling.slice(prefix.length))
    .filter((tail) => /^[1-9]\d*$/.test(tail)).map(Number);
  return `${prefix}${Math.max(0, ...used) + 1}`;
}
