// One CommonJS file a tool, with two things in it that only a comment can hold at no cost: the program as text,
// and what V8 compiled of it when it was built. Compiling is most of what a short command costs: without this
// `okstra-team-state show` takes 1.5 times as long as an empty Node program, with it 1.2. Another version of
// Node than that of the build rejects what was compiled, and compiles the text as it would any other.
//
// A file is replaced by rename and only if the program changed, so that a build under running tools, or one
// that is killed, never leaves half a tool.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The tools, by the name of their package; the binary of `x` is `okstra-x`. */
export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

const HERE = dirname(fileURLToPath(import.meta.url));

/** Builds every tool below `root` into `root/dist/bin`; throws naming the entry files that do not exist. */
export async function buildTools(root) {
  const entries = TOOLS.map((tool) => join(root, "packages", tool, "src", "main.ts"));
  const missing = entries.filter((entry) => !existsSync(entry));
  if (missing.length > 0) {
    const names = missing.map((entry) => relative(root, entry)).join(", ");
    throw new Error(`Cannot build the tools: ${names} does not exist`);
  }
  const binDir = join(root, "dist", "bin");
  mkdirSync(binDir, { recursive: true });
  // Node takes a file without extension for what the nearest package.json says; that of the repository says module.
  writeIfChanged(join(root, "dist", "package.json"), '{ "type": "commonjs" }\n', 0o644);
  writeIfChanged(join(binDir, "okstra"), readFileSync(join(HERE, "okstra.sh"), "utf8"), 0o755);

  const programs = await Promise.all(entries.map((entry) => bundle(root, entry)));
  const files = TOOLS.map((tool) => join(binDir, `okstra-${tool}`));
  const heads = programs.map(formatHead);
  const isOld = heads.map((head, i) =>
    !existsSync(files[i]) || !readFileSync(files[i], "utf8").startsWith(head)
  );
  if (!isOld.includes(true)) return binDir;
  const caches = warmUp(programs);
  files.forEach((file, i) => {
    if (isOld[i]) {
      writeIfChanged(file, `${heads[i]}${caches[i]}*/};\n${formatTail(programs[i])}`, 0o755);
    }
  });
  return binDir;
}

async function bundle(root, entry) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node20.16",
    format: "cjs",
    minify: true,
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  const code = result.outputFiles[0].text.replace(/^#!.*\n/, "");
  return `(function(require,module,exports,__filename){${code}})`;
}

/** Makes a text fit for a comment, and ASCII, since V8 keeps a file with other characters at twice the size. */
function hide(text) {
  if (/\*<[0-9a-f]*>\//.test(text)) {
    throw new Error("Cannot build the tools: a program looks hidden already");
  }
  return text.replaceAll("*/", "*<>/").replace(
    /[^\0-\x7f]/g,
    (unit) => `*<${unit.charCodeAt(0).toString(16)}>/`,
  );
}

/** The call in a built file that undoes `hide`. */
function restore(text) {
  return /[^\0-\x7f]/.test(text)
    ? `.replace(/\\*<([0-9a-f]*)>\\//g,(_,hex)=>hex?String.fromCharCode(parseInt(hex,16)):"*/")`
    : `.replaceAll("*<>/","*/")`;
}

/** Everything of a built file before what V8 compiled; it names the Node that did, so that another one builds anew. */
function formatHead(program) {
  return `#!/usr/bin/env node
"use strict";
const text=()=>{/*${hide(program)}*/};
const compiled=()=>{/*${process.version} `;
}

function formatTail(program) {
  return `const held=(comment)=>String(comment).slice(7,-3);
new (process.getBuiltinModule("node:vm").Script)(held(text)${restore(program)},{
filename:__filename,
cachedData:Buffer.from(held(compiled).split(" ")[1],"base64"),
}).runInThisContext()(require,module,exports,__filename);
`;
}

/** For each tool the commands that are called most; what they need is compiled in advance, at a price in size. */
const USUAL = ["get run.json /taskKey", "show", "liveness", "plan", "status", "status"];

/** Runs the usual commands of each tool in a small run, and returns what V8 compiled for them in base64. */
function warmUp(programs) {
  const folder = mkdtempSync(join(tmpdir(), "okstra-build-"));
  const runs = join(folder, ".okstra/tasks/a/b/c/runs/discussion");
  const env = {
    ...process.env,
    OKSTRA_RUN: join(runs, "manifests/run-manifest-discussion-001.json"),
    NODE_OPTIONS: "",
  };
  const warm = (...args) =>
    spawnSync(process.execPath, [join(HERE, "warm.cjs"), ...args], {
      cwd: folder,
      env,
      stdio: "ignore",
    });
  try {
    programs.forEach((program, i) => writeFileSync(join(folder, `${i}.cjs`), program));
    writeFileSync(join(folder, "brief.md"), "Warm up.\n");
    const words =
      "prepare --task-key=a/b/c --task-type=discussion --brief=brief.md --worker=claude";
    warm("0.cjs", "not-kept", ...words.split(" "), "--project-root=.");
    writeFileSync(join(folder, "run.json"), '{"taskKey": "a/b/c"}');
    return programs.map((_, i) => {
      for (const call of ["--help", USUAL[i]]) warm(`${i}.cjs`, `${i}.cache`, ...call.split(" "));
      const cache = join(folder, `${i}.cache`);
      return existsSync(cache) ? readFileSync(cache, "base64") : "";
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeIfChanged(file, text, mode) {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, "utf8");
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildTools(dirname(dirname(HERE)));
  } catch (error) {
    console.error(`build: error: ${error.message}`);
    process.exitCode = 4;
  }
}
