import { readDir } from "@okstra/kit/host";
import { join } from "@std/path";

/** How deep below a session directory files are looked for. */
const DEPTH = 5;
/** How many directories one look enters at most; of directories side by side the highest names first, which are dates. */
const DIRECTORY_LIMIT = 1000;

/**
 * Returns the files below the directories in which an agent keeps a session, sorted; what cannot be read holds nothing.
 *
 * They are known by their path, since the directories hold the sessions of all workers: a name ends with the session's
 * id, or has its first eight characters in the place of `session-…-<id>.jsonl`.
 */
export function findSessionFiles(
  directories: readonly string[],
  sessionId: string,
): readonly string[] {
  if (sessionId === "") return [];
  return [...new Set(directories)].flatMap((directory) => findBelow(directory, sessionId));
}

function findBelow(root: string, sessionId: string): readonly string[] {
  const found: string[] = [], short = `-${sessionId.slice(0, 8)}.json`;
  const isOwnName = (name: string) =>
    endsWithId(name, sessionId) || (name.startsWith("session-") && name.includes(short));
  const open: { path: string; depth: number; isOwn: boolean }[] = [
    { path: root, depth: 0, isOwn: false },
  ];
  for (let entered = 0; open.length > 0 && entered < DIRECTORY_LIMIT; entered++) {
    const { path, depth, isOwn } = open.pop()!;
    for (const { name, kind } of list(path)) {
      const isMatch = isOwn || isOwnName(name);
      const child = join(path, name);
      if (kind === "file" && isMatch) found.push(child);
      if (kind === "directory" && depth < DEPTH) {
        open.push({ path: child, depth: depth + 1, isOwn: isMatch });
      }
    }
  }
  return found.sort();
}

/** Tells whether a name is an id or ends with one, but for its extension: `rollout-<id>.jsonl`, not `<id>-copy.jsonl`. */
function endsWithId(name: string, id: string): boolean {
  const stem = name.endsWith(id) ? name : name.replace(/\.[a-z]+$/, "");
  return stem === id || (stem.endsWith(id) && "-_.".includes(stem.at(-id.length - 1)!));
}

/** Directories of agents come and go; one that cannot be read holds nothing. */
function list(path: string): ReturnType<typeof readDir> {
  try {
    return readDir(path);
  } catch {
    return [];
  }
}
