/** Formats a path of keys and indexes as a JSON pointer (RFC 6901). */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Splits a JSON pointer (RFC 6901) into its keys; `null` if it is not one. */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value that a JSON pointer names, or `undefined` if there is none. */
export function getPointer(document: unknown, pointer: string): unknown {
  let value: unknown = document;
  for (const key of parsePointer(pointer) ?? [undefined]) {
    if (key === undefined || typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(key)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
