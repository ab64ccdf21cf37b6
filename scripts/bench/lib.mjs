// What the benches of whole programs share: where these are, a clean environment, and what machine this is.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { denoPath } from "../tools/deno-path.mjs";

/** The repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The path of a built tool for Node. */
export const nodeTool = (tool) => join(root, "dist/bin", `okstra-${tool}`);

/** The words that start a built tool on Deno. */
export const denoTool = (tool) => [
  ...[denoPath(), "run", "-A", "--no-config"],
  join(root, "dist/deno", `okstra-${tool}.mjs`),
];

/** The environment without what would change a measurement: NODE_EXTRA_CA_CERTS alone adds 30 ms to a start of Node 20. */
export function cleanEnv() {
  const dropped = /^(NODE_EXTRA_CA_CERTS|NODE_OPTIONS|SOURCE_DATE_EPOCH|OKSTRA_(?!CACHE|BENCH).*)$/;
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
  return {
    DENO_DIR: join(root, "node_modules/.cache/deno"),
    ...Object.fromEntries(kept),
    DENO_NO_UPDATE_CHECK: "1",
    PATH: `${join(root, "dist/bin")}:${process.env.PATH}`,
  };
}

/** Returns a folder whose files are kept in memory, where fsync costs nothing; null if this machine has none. */
export function memoryFolder() {
  try {
    return statfsSync("/dev/shm").type === TMPFS ? "/dev/shm" : null;
  } catch {
    return null;
  }
}

// Magic numbers of statfs(2).
const TMPFS = 0x01021994;
const FILE_SYSTEMS = { 0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", [TMPFS]: "tmpfs" };

const words = (program, ...args) => {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim().split("\n")[0] : "not installed";
};

/** What machine the figures are of. */
export function machineFacts() {
  const [{ model }] = cpus(), [load] = loadavg();
  const system = existsSync("/etc/os-release")
    ? /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? ""
    : "";
  const type = statfsSync(tmpdir()).type;
  return {
    processor: `${cpus().length} × ${model.trim()}`,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${system}, kernel ${/^\d+\.\d+/.exec(release())?.[0] ?? release()}`,
    fileSystem: FILE_SYSTEMS[type] ?? `0x${type.toString(16)}`,
    node: process.version,
    deno: words(denoPath(), "--version"),
    python: words("python3", "--version"),
    jq: words("jq", "--version"),
    parallel: words("parallel", "--version"),
    loadBefore: Number(load.toFixed(1)),
  };
}
