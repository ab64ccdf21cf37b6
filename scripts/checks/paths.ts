// Holds that the repository says nothing about the machine it was written on.
import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** Lists every place in the tracked and new files below `root` that names a folder or the host of this machine. */
export function findPathProblems(root: string): string[] {
  const patterns = machineNames(resolve(root));
  const problems: string[] = [];
  for (const file of listFiles(root)) {
    const path = join(root, file);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    readFileSync(path, "utf8").split("\n").forEach((line, i) => {
      for (const [name, pattern] of patterns) {
        if (pattern.test(line)) problems.push(`${file}:${i + 1}: names ${name} of this machine`);
      }
    });
  }
  return problems;
}

/** The absolute paths and names that would give this machine away. */
function machineNames(root: string): [string, RegExp][] {
  const common = new Set([
    "/",
    "/home",
    "/root",
    "/tmp",
    "/Users",
    "/usr",
    "/srv",
    "/opt",
    "/var",
    tmpdir(),
  ]);
  const folders = [root, dirname(root), homedir()].filter((folder) => !common.has(folder));
  const names = [...new Set(folders)].map((folder): [string, RegExp] => [
    folder === root ? "the folder of the repository" : "a folder",
    new RegExp(`(?<![\\w.\\-})\\]*])${escape(folder)}(?![\\w.-])`),
  ]);
  // A short host name, such as "build", is an ordinary word.
  const host = hostname();
  if (host.length >= 8 && host !== "localhost" && host !== basename(root)) {
    names.push(["the host", new RegExp(`(?<![\\w-])${escape(host)}(?![\\w-])`)]);
  }
  return names;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function listFiles(root: string): string[] {
  const args = ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 1 << 26 }).split("\0").filter(
    Boolean,
  );
}
