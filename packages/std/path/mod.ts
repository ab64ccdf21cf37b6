// Stand-in for jsr:@std/path where JSR cannot be reached: the part of its API that these tools use, for POSIX paths.
// It is written out, as the original is: under Deno the first touch of node:path costs more than an empty program.

/** Returns whether a path begins at the root. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** Resolves `.` and `..` and takes superfluous slashes out, but for one at the end. */
export function normalize(path: string): string {
  const isRooted = isAbsolute(path), parts = fold(path, isRooted).join("/");
  const tail = path.endsWith("/") && parts !== "" ? "/" : "";
  if (isRooted) return `/${parts}${tail}`;
  return parts === "" ? (path.endsWith("/") ? "./" : ".") : `${parts}${tail}`;
}

/** Joins parts with slashes, and normalizes what comes of it. */
export function join(...parts: string[]): string {
  return normalize(parts.filter((part) => part !== "").join("/"));
}

/** Returns an absolute path: each part is taken from where those before it lead, the first from the current directory. */
export function resolve(...parts: string[]): string {
  const start = parts.findLastIndex(isAbsolute);
  const from = start < 0 ? [process.cwd(), ...parts] : parts.slice(start);
  return `/${fold(from.join("/"), true).join("/")}`;
}

/** Returns the path that leads from one place to another. */
export function relative(from: string, to: string): string {
  const [a, b] = [from, to].map((path) => resolve(path).split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < a!.length && a![same] === b![same]) same++;
  return [...a!.slice(same).map(() => ".."), ...b!.slice(same)].join("/");
}

/** Returns the path without its last part. */
export function dirname(path: string): string {
  const end = trimSlashes(path).lastIndexOf("/");
  if (end < 0) return isAbsolute(path) ? "/" : ".";
  return trimSlashes(path.slice(0, end)) || "/";
}

/** Returns the last part of a path, without the suffix if it ends in that; a name is never all suffix, a path may be. */
export function basename(path: string, suffix = ""): string {
  if (path === suffix) return "";
  const whole = trimSlashes(path), name = whole.slice(whole.lastIndexOf("/") + 1);
  return suffix !== "" && name !== suffix && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : name;
}

/** Splits a path into parts, `.` and `..` carried out; above the root there is nothing. */
function fold(path: string, isRooted: boolean): string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isRooted) parts.push("..");
  }
  return parts;
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}
