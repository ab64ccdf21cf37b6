// Compiles programs for the running version of Node: runs them in a small run of their own, and keeps what V8 made.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeScratch } from "./scratch.mjs";

/**
 * For each tool the calls that are compiled in advance, each into a file of its own: the less is in it, the sooner it is
 * read. First help and version, then the commands that are called most; any other command takes what belongs to the
 * first of these, since most of it is needed by all.
 */
export const CALLS = [
  [["show"], ["get", "run.json", "/taskKey"], ["event append", "--type=note"]],
  [["show"], ["dispatch running"], ["worker set", "--worker=claude", "--status=in-progress"]],
  [
    ["run", ".", "none", "brief.md", "", "analyser", "", "--provider", "claude"],
    ["paths", "brief.md"],
    ["liveness"],
  ],
  [["plan"]],
  [["status"], ["example", "--kind=groups"]],
  [["status"], ["confirm-subject", "--subject=a", "--question=b"]],
].map((calls) => [["--help"], ["--version"], ...calls]);
/** Which of the calls any other command is most like. */
export const USUAL = 2;

/** The program that is run for a worker meanwhile. */
const PROVIDERS = {
  schemaVersion: "1.0",
  providers: { claude: { argv: ["true"], stdin: "none" } },
};
const PREPARE =
  "prepare --task-key=a/b/c --task-type=discussion --brief=brief.md --worker=claude --project-root=. --provider-file=providers.json";

/**
 * Runs each tool for each of its calls, and returns what V8 compiled for each, which is of use even if a call fails; and
 * last, as JSON, the names of all parts that the calls run.
 */
export function compile(programs) {
  const folder = makeScratch("okstra-build-");
  const runs = join(folder, ".okstra/tasks/a/b/c/runs/discussion");
  const manifest = join(runs, "manifests/run-manifest-discussion-001.json");
  const env = {
    ...process.env,
    OKSTRA_RUN: manifest,
    OKSTRA_RUN_MANIFEST_PATH: manifest,
    OKSTRA_BIN_DIR: join(folder, "bin"),
    NODE_OPTIONS: "",
  };
  const run = (i, cache, words) => {
    const { status, stderr } = spawnSync(process.execPath, [WARM, `${i}.cjs`, cache, ...words], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) {
      console.error(`build: note: ${words.join(" ")} ended with ${status}: ${stderr}`);
    }
  };
  programs.forEach(({ text }, i) => writeFileSync(join(folder, `${i}.cjs`), text));
  writeFileSync(join(folder, "brief.md"), "Warm up.\n");
  writeFileSync(join(folder, "providers.json"), JSON.stringify(PROVIDERS));
  writeFileSync(join(folder, "run.json"), '{"taskKey": "a/b/c"}');
  mkdirSync(env.OKSTRA_BIN_DIR);
  writeFileSync(join(env.OKSTRA_BIN_DIR, "okstra-wrapper-status"), "");
  run(0, "not-kept", PREPARE.split(" "));
  return CALLS.map((calls, i) => {
    calls.forEach(([name, ...words], j) => run(i, `${i}-${j}`, [...name.split(" "), ...words]));
    const kept = calls.map((_, j) => join(folder, `${i}-${j}`));
    const parts = kept.flatMap((path) => JSON.parse(readFileSync(`${path}.parts`, "utf8")));
    return [...kept.map((path) => readFileSync(path)), JSON.stringify([...new Set(parts)])];
  });
}

const WARM = join(dirname(fileURLToPath(import.meta.url)), "warm.cjs");
