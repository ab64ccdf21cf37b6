/** One event of an agent: a JSON object whose shape nobody vouches for. */
export type AgentEvent = Readonly<Record<string, unknown>>;

/** Reads one line of events; `null` if it is no JSON object. */
export function parseAgentEvent(line: string): AgentEvent | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const event: unknown = JSON.parse(line);
    return isObject(event) ? event : null;
  } catch {
    return null;
  }
}

/** Returns what stands at a path of names in an event; `undefined` if the path leads nowhere. */
export function valueAt(event: unknown, ...path: readonly string[]): unknown {
  let value: unknown = event;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Returns the text at a path, `""` if there is none. */
export function textAt(event: unknown, ...path: readonly string[]): string {
  const value = valueAt(event, ...path);
  return typeof value === "string" ? value : "";
}

/** Returns the number at a path, `null` if there is none; a number written as text counts. */
export function numberAt(event: unknown, ...path: readonly string[]): number | null {
  const value = valueAt(event, ...path);
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Returns the list at a path, empty if there is none. */
export function listAt(event: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(event, ...path);
  return Array.isArray(value) ? value : [];
}

/** More tokens than any session has; sums of such numbers stay exact. */
const TOKEN_LIMIT = 1e12;

/** Returns the number of tokens at a path, `null` if there is none or an absurd one. */
export function tokensAt(event: unknown, ...path: readonly string[]): number | null {
  const value = numberAt(event, ...path);
  return value === null || value < 0 || value > TOKEN_LIMIT ? null : Math.round(value);
}

function isObject(value: unknown): value is AgentEvent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
