import { findRosterId } from "@okstra/manifest-io/identity";

/** An object without prototype, whose keys may be any name from outside. */
export type NameMap<T> = Record<string, T>;

/** Builds an object whose keys come from outside; `__proto__` and the like are plain names in it. */
export function nameMap<T>(entries: Iterable<readonly [string, T]>): NameMap<T> {
  const map: NameMap<T> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}

/**
 * Returns the roster's spelling of a worker's name, or `null` if the roster does not hold it.
 *
 * `claude` and `claude-worker` name the same worker; an exact match comes first.
 */
export function resolveWorker(roster: ReadonlySet<string>, name: string): string | null {
  const found = findRosterId(roster, name);
  if (found !== null) return found;
  return roster.has(`${name}-worker`) ? `${name}-worker` : null;
}
