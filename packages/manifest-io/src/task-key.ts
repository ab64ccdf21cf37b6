import { OkstraError } from "./errors.ts";

const SEGMENT = /^[A-Za-z0-9._-]+$/;

/** Tells whether a name may stand in a path of ours: letters, digits, `.`, `_`, `-`, and not `.` or `..`. */
export function isPathSegment(name: string): boolean {
  return SEGMENT.test(name) && name !== "." && name !== "..";
}

/**
 * Tells whether a name means something to JavaScript's objects: schemas pass over some of them unchecked, and the others
 * are found in every object.
 */
export function isObjectName(name: string): boolean {
  return name === "prototype" || Object.hasOwn(Object.prototype, name);
}

/**
 * Splits a task key `project/group/task`.
 *
 * @throws {OkstraError} `bad-task-key`
 */
export function parseTaskKey(key: string): readonly [string, string, string] {
  const segments = key.split("/");
  const bad = segments.find((segment) => !isPathSegment(segment));
  if (segments.length === 3 && bad === undefined) return segments as [string, string, string];
  const state = bad === undefined
    ? `it has ${segments.length} segment${segments.length === 1 ? "" : "s"}`
    : `segment ${JSON.stringify(bad)} is not a name`;
  throw new OkstraError("bad-task-key", `Cannot use ${JSON.stringify(key)} as task key: ${state}`, {
    hint: "write it as project/group/task, each of letters, digits, '.', '_' and '-'",
  });
}

/**
 * Tells whether two spellings name one task.
 *
 * Segments may be separated by `/` or `:` and differ in case; one side may have the project segment more.
 */
export function isSameTask(a: string, b: string): boolean {
  const [short, long] = [splitKey(a), splitKey(b)].sort((x, y) => x.length - y.length);
  if (!short || !long || short.length === 0) return false;
  const extra = long.length - short.length;
  if (extra > 1 || (extra === 1 && short.length < 2)) return false;
  return short.every((segment, i) => segment === long[i + extra]);
}

/** Name of the file with the records, in the directory of a discussion. */
export const RECORDS_FILE = "records.jsonl";

/** Returns the directory of a task's discussion, relative to the project root. */
export function discussionStoreDirectory(taskKey: string): string {
  return `.okstra/discussions/${parseTaskKey(taskKey).join("/")}`;
}

/**
 * Returns the file with the records of a task's discussion, relative to the project root; its first record makes it.
 *
 * @param store where the record is kept, if not at its own place
 */
export function discussionRecords(taskKey: string, store: string | undefined): string {
  return `${store ?? discussionStoreDirectory(taskKey)}/${RECORDS_FILE}`;
}

/** Returns the root of a task, relative to the project root. */
export function taskRoot(taskKey: string): string {
  return `.okstra/tasks/${parseTaskKey(taskKey).join("/")}`;
}

function splitKey(key: string): readonly string[] {
  return key.split(/[/:]/).map((part) => part.trim().toLowerCase()).filter((part) => part !== "");
}
