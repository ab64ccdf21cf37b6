/** A link between a dispatch and its result, as far as it decides anything; fields of another type count as absent. */
interface Link {
  readonly dispatchId?: unknown;
  readonly supersededBy?: unknown;
}

/**
 * Returns the dispatch that does the work of another one whose result was rejected; `null`: no result of it was, or
 * another one stands.
 */
export function supersederOf(
  links: readonly Link[] | undefined,
  dispatchId: string,
): string | null {
  const own = (links ?? []).filter((link) => link.dispatchId === dispatchId)
    .map(({ supersededBy }) => typeof supersededBy === "string" ? supersededBy.trim() : "");
  return own.includes("") ? null : own.at(-1) ?? null;
}
