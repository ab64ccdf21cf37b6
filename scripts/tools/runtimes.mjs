// Other versions of the runtimes, for what is measured or compared on all of them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The exact versions of Node that stand for their lines, as npm packages have them. */
const NODE_VERSIONS = { 20: "20.20.2", 22: "22.23.5", 24: "24.22.3" };

/** The lines of Node that `findNode` finds. */
export const NODE_LINES = [
  ...new Set([...Object.keys(NODE_VERSIONS), process.versions.node.split(".")[0]]),
];

/** Returns the folder for what is downloaded; it is outside the repository. */
export function cacheFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.OKSTRA_CACHE || join(cache, "okstra-tools");
}

/** Installs npm packages (`name@version`) into a folder of the cache if they are not there; returns the folder. */
export function installCached(name, packages) {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = `${folder}.${process.pid}.tmp`;
  const options = ["--prefix", temporary, "--no-audit", "--no-fund", "--no-package-lock"];
  const { status, stderr } = spawnSync("npm", ["install", ...options, ...packages], {
    encoding: "utf8",
  });
  if (status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    throw new Error(`Cannot install ${packages.join(" ")}: npm ended with an error\n${stderr}`);
  }
  if (existsSync(folder)) rmSync(temporary, { recursive: true, force: true });
  else renameSync(temporary, folder);
  return folder;
}

/**
 * Returns the path of a Node of a line, such as "22". The running one is taken for its own line, another is installed.
 *
 * @throws {Error} if the line is not known, or there is no package of it for this machine
 */
export function findNode(line) {
  if (process.versions.node.split(".")[0] === line) return process.execPath;
  const version = NODE_VERSIONS[line];
  if (version === undefined) {
    throw new Error(`Cannot find Node ${line}: only ${Object.keys(NODE_VERSIONS).join(", ")} are`);
  }
  const { platform, arch } = process;
  const name = `node-${platform}-${arch}`;
  const folder = installCached(`node-${version}-${platform}-${arch}`, [`${name}@${version}`]);
  return join(folder, "node_modules", name, "bin", "node");
}
