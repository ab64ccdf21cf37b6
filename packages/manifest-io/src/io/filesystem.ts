import { platform, readFile } from "@okstra/kit/host";
import { OkstraError } from "../errors.ts";
import { isInside } from "../project-path.ts";

// File systems on which flock(2) is known or feared not to exclude another machine (see the package's README).
const UNSAFE = ["9p", "cifs", "smb2", "smb3", "smbfs", "virtiofs", "fuse.sshfs"];

/**
 * Refuses a directory whose file system does not keep two writers apart.
 *
 * Only Linux tells; elsewhere every file system passes.
 *
 * @throws {OkstraError} `unsafe-filesystem`
 */
export function checkFilesystem(directory: string): void {
  if (platform() !== "linux") return;
  let table: string;
  try {
    table = new TextDecoder().decode(readFile("/proc/self/mountinfo"));
  } catch {
    return;
  }
  const type = mountType(table, directory);
  if (type === null || !UNSAFE.includes(type)) return;
  throw new OkstraError(
    "unsafe-filesystem",
    `Cannot prepare a run in ${JSON.stringify(directory)}: locks do not exclude on ${type}`,
    { hint: "use a local directory, or accept lost updates with --allow-unsafe-filesystem" },
  );
}

/** Returns the type of the file system that holds a directory, by a table in the form of proc(5) mountinfo. */
export function mountType(table: string, directory: string): string | null {
  let best = "", type: string | null = null;
  for (const line of table.split("\n")) {
    const fields = line.split(" "), mark = fields.indexOf("-");
    if (mark < 0) continue;
    const point = (fields[4] ?? "").replace(
      /\\([0-7]{3})/g,
      (_, octal: string) => String.fromCharCode(parseInt(octal, 8)),
    );
    // A later mount on the same point hides the earlier one.
    if (isInside(point, directory) && point.length >= best.length) {
      best = point;
      type = fields[mark + 1] ?? null;
    }
  }
  return type;
}
