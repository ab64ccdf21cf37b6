// Tells the quickstart and the table of commands on every runtime, at the same paths and at the same time by the
// clock that SOURCE_DATE_EPOCH sets, and compares with the first runtime. See scripts/parity.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOOLS } from "../tools/build.mjs";
import { denoPath } from "../tools/deno-path.mjs";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";
import { findNode, NODE_LINES } from "../tools/runtimes.mjs";
import { makeScratch } from "../tools/scratch.mjs";
import { COMMANDS, writeFiles } from "./commands.mjs";
import { blank, listDifferences, readTree } from "./compare.ts";
import { walkEverything } from "./walk.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = need(parseWords("parity", {
  options: {
    node: { type: "string", default: "20,22,24" },
    "no-deno": { type: "boolean", default: false },
    only: { type: "string", default: "quickstart,commands,walk" },
    keep: { type: "boolean", default: false },
  },
}));
const PARTS = ["quickstart", "commands", "walk"];
const wanted = need(parseNames("parity", values.only.split(","), PARTS));
const lines = need(parseNames("parity", values.node.split(",").filter(Boolean), NODE_LINES));
const scratch = makeScratch("okstra-parity-", { isKept: values.keep });
const bin = join(scratch, "bin"), project = join(scratch, "project");
const { DENO_DIR = join(root, "node_modules/.cache/deno"), PATH } = process.env;
const env = {
  PATH: [bin, dirname(process.execPath), PATH].join(delimiter),
  HOME: scratch,
  LANG: "C.UTF-8",
  SOURCE_DATE_EPOCH: "1767225600",
  OKSTRA_BIN_DIR: bin,
  DENO_DIR,
  DENO_NO_UPDATE_CHECK: "1",
};

/** The runtimes: name, and the words that start a tool on it. */
function listRuntimes() {
  const nodes = lines.map((line) => {
    const node = findNode(line);
    return [`Node ${line}`, (tool) => [node, join(root, "dist/bin", `okstra-${tool}`)]];
  });
  const deno = [denoPath(), "run", "-A"];
  return [
    ...nodes,
    ...values["no-deno"] ? [] : [
      ["Deno", (tool) => [...deno, "--no-config", join(root, "dist/deno", `okstra-${tool}.mjs`)]],
      ["Deno, sources", (tool) => [...deno, join(root, "packages", tool, "src/main.ts")]],
    ],
  ];
}

const IN_TURN = `case " $* " in
" run "*"--parallel "*) set -- "$@" --heartbeat 0 ;;
" run "*) shift; set -- run --parallel 1 --heartbeat 0 "$@" ;;
esac
`;

/** Makes the tools commands of one runtime. Workers run one at a time, in silence, or the order would be theirs. */
function writeTools(start) {
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  for (const tool of TOOLS) {
    const words = start(tool).map((word) => `'${word}'`).join(" ");
    const text = `#!/bin/sh\n${tool === "dispatch" ? IN_TURN : ""}exec ${words} "$@"\n`;
    writeFileSync(join(bin, `okstra-${tool}`), text, { mode: 0o755 });
  }
}

/** Runs a program; texts are kept as bytes, a character each, so that wrong ones are compared, too. */
function run([command, ...args], how = {}) {
  const { cwd = project, stdin = "", env: more } = how;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...{ cwd, env: { ...env, ...more }, input: stdin },
    encoding: "latin1",
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

const format = ({ status, stdout, stderr }) =>
  blank(`status ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}`);

/** The files of the project stay the same ones, inode and times included; only what the tools wrote goes. */
const parts = {
  quickstart: {
    prepare: () => cpSync(join(root, "scripts/quickstart.d/sample"), project, { recursive: true }),
    tell: () => {
      const words = [join(root, "scripts/quickstart"), "-v", "--tools", bin, project];
      return [["quickstart", format(run(words))]];
    },
  },
  commands: {
    prepare: () => writeFiles(project),
    tell: () =>
      COMMANDS.map(([tool, words, stdin], i) => {
        const number = String(i + 1).padStart(3, "0");
        const name = `${number} okstra-${tool} ${words.join(" ")}`;
        return [name, format(run([join(bin, `okstra-${tool}`), ...words], { stdin }))];
      }),
  },
  walk: {
    prepare: () => {},
    tell: async () => {
      rmSync(project, { recursive: true });
      mkdirSync(project);
      const told = await walkEverything(project, bin, run);
      return told.map(([name, said]) => [name, format(said)]);
    },
  },
};

/** Tells one part on one runtime, and returns everything that was printed and written. */
async function tellPart(part) {
  for (const name of [".okstra", "out.txt", "brief.md.log", "brief.md.status.json"]) {
    rmSync(join(project, name), { recursive: true, force: true });
  }
  const outputs = await part.tell();
  return { outputs: new Map(outputs), files: readTree(project) };
}

async function comparePart(name, runtimes) {
  const part = parts[name];
  mkdirSync(project);
  part.prepare();
  let first, isSame = true;
  for (const [runtime, start] of runtimes) {
    writeTools(start);
    const told = await tellPart(part);
    first ??= told;
    const differences = [
      ...listDifferences(first.outputs, told.outputs),
      ...listDifferences(first.files, told.files),
    ];
    isSame &&= differences.length === 0;
    const columns = [name.padEnd(11), runtime.padEnd(14), String(told.outputs.size).padStart(7)];
    const verdict = told === first ? "compared with" : differences.length || "the same";
    console.log([...columns, String(told.files.size).padStart(5), verdict].join("  "));
    for (const { name, offset, wanted, found } of differences) {
      console.log(`  ${name.slice(0, 160)}, byte ${offset}:\n    ${runtimes[0][0]}: ${wanted}`);
      console.log(`    ${runtime}: ${found}`);
    }
  }
  rmSync(project, { recursive: true });
  return isSame;
}

try {
  const runtimes = listRuntimes();
  console.log("part         runtime         outputs  files  differences");
  for (const name of wanted) {
    if (!await comparePart(name, runtimes)) process.exitCode = 1;
  }
} catch (error) {
  console.error(`parity: error: ${error.message}`);
  process.exitCode = 4;
}
if (values.keep) console.error(`kept: ${scratch}`);
