// Compiles programs for the running version of Node: runs them in a small run of their own, and keeps what V8 made.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { makeScratch } from "./scratch.mjs";

/**
 * For each tool the calls that are made most: what they run is read together, and each of them has a file of its own of
 * what was compiled for it, since the less is in it, the sooner it is read. Any other command takes what belongs to the
 * first of these.
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
];

/** The program that is run for a worker meanwhile. */
const PROVIDERS = {
  schemaVersion: "1.0",
  providers: { claude: { argv: ["true"], stdin: "none" } },
};
const PREPARE =
  "prepare --task-key=a/b/c --task-type=discussion --brief=brief.md --worker=claude --project-root=. --provider-file=providers.json";

/** Runs whole programs for help, version and each of their calls; for each, what it printed and the parts that the calls ran. */
export function tryCalls(texts) {
  const { run, folder } = makeRun(texts.map((usual) => ({ usual })));
  return CALLS.map((calls, i) => {
    const help = run(i, "answers", ["--help"]), version = run(i, "answers", ["--version"]);
    if (!help || !version) {
      throw new Error("Cannot build the tools: one does not tell help or version");
    }
    const ran = calls.flatMap(([name, ...words], j) => {
      run(i, `${j}`, [...name.split(" "), ...words]);
      return JSON.parse(readFileSync(join(folder, `${i}`, `${j}.parts`), "utf8"));
    });
    return { answers: { help, version }, ran: [...new Set(ran)] };
  });
}

/** Runs programs that are cut, by their texts; for each, what V8 compiled for each of its calls, and of the rest. */
export function compile(programs) {
  const { run, folder } = makeRun(programs);
  return programs.map(({ rest }, i) => {
    const kept = (name) => readFileSync(join(folder, `${i}`, name));
    CALLS[i].forEach(([name, ...words], j) => run(i, `${j}`, [...name.split(" "), ...words]));
    return [...CALLS[i].map((_, j) => kept(`${j}`)), new Script(rest).createCachedData()];
  });
}

/**
 * Makes a small run that programs are called on: `run` calls one with words, lets it keep what was compiled in a file of
 * its folder, which is of use even if the call fails, and returns what it printed.
 */
function makeRun(programs) {
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
    const args = [WARM, `${i}`, join(`${i}`, cache), ...words];
    const options = { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    if (status !== 0) {
      console.error(`build: note: ${words.join(" ")} ended with ${status}: ${stderr}`);
    }
    return stdout;
  };
  for (const [i, texts] of programs.entries()) {
    mkdirSync(join(folder, `${i}`));
    writeFileSync(join(folder, `${i}`, "texts.json"), JSON.stringify(texts));
  }
  writeFileSync(join(folder, "brief.md"), "Warm up.\n");
  writeFileSync(join(folder, "providers.json"), JSON.stringify(PROVIDERS));
  writeFileSync(join(folder, "run.json"), '{"taskKey": "a/b/c"}');
  mkdirSync(env.OKSTRA_BIN_DIR);
  writeFileSync(join(env.OKSTRA_BIN_DIR, "okstra-wrapper-status"), "");
  run(0, "not-kept", PREPARE.split(" "));
  return { folder, run };
}

const WARM = join(dirname(fileURLToPath(import.meta.url)), "warm.cjs");
