/** Makes a path absolute against a directory and removes `.`, `..` and double slashes, without touching the disk. */
export function resolvePath(cwd: string, path: string): string {
  if (/^[A-Za-z]:[\\/]/.test(cwd)) return resolveWindows(cwd, path);
  return `/${normalize(path.startsWith("/") ? path : `${cwd}/${path}`)}`;
}

function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.join("/");
}

function resolveWindows(cwd: string, path: string): string {
  const slashed = path.replaceAll("\\", "/");
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashed)?.[0];
  if (drive) return `${drive}/${normalize(slashed.slice(2))}`;
  const base = cwd.replaceAll("\\", "/");
  const rest = slashed.startsWith("/") ? slashed : `${base.slice(2)}/${slashed}`;
  return `${base.slice(0, 2)}/${normalize(rest)}`;
}
