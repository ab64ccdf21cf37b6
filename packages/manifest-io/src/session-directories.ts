import { join } from "@std/path";

/**
 * Resolves the session directories of a provider by the environment of its program; sorted out are those whose variable
 * is not set, and those that are not absolute.
 */
export function resolveSessionDirectories(
  directories: readonly string[],
  env: (name: string) => string | undefined,
): readonly string[] {
  return directories.flatMap((directory) => {
    const match = /^(?:~|\$([A-Za-z_][A-Za-z0-9_]*))(\/.*)?$/s.exec(directory);
    const base = match ? env(match[1] ?? "HOME") ?? "" : directory;
    if (!base.startsWith("/")) return [];
    return [match ? join(base, match[2] ?? "") : base];
  });
}
