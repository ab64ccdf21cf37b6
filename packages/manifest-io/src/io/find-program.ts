import { platform, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { absolutePath } from "../project-path.ts";

/**
 * Returns the absolute path of a program as a worker's command line names it; `null` if there is none that can be run.
 *
 * @param program a name to look up, or a path: absolute, or of the project if it has a slash
 * @param searchPath directories separated by `:`, as in `PATH`
 */
export function findProgram(
  program: string,
  projectRoot: string,
  searchPath: string,
): string | null {
  const candidates = program.includes("/")
    ? [absolutePath(projectRoot, program)]
    : searchPath.split(":").filter((part) => part !== "").map((part) => join(part, program));
  return candidates.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    const info = stat(path);
    return info?.kind === "file" && (platform() === "win32" || (info.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
