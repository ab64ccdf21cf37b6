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
    if (isOld[i]) writeIfChanged(file, `${heads[i]}${caches[i]}*/};\n${TAIL}`, 0o755);
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

/** Stands in the text for the end of a comment. */
const MARK = "*<>/";

/** Everything of a built file before what V8 compiled; it names the Node that did, so that another one builds anew. */
function formatHead(program) {
  if (program.includes(MARK)) {
    throw new Error(`Cannot build the tools: a program holds the mark ${MARK}`);
  }
  return `#!/usr/bin/env node
"use strict";
const text=()=>{/*${program.replaceAll("*/", MARK)}*/};
const compiled=()=>{/*${process.version} `;
}

const TAIL = `const held=(comment)=>String(comment).slice(7,-3);
new (process.getBuiltinModule("node:vm").Script)(held(text).replaceAll("${MARK}","*/"),{
filename:__filename,
cachedData:Buffer.from(held(compiled).split(" ")[1],"base64"),
}).runInThisContext()(require,module,exports,__filename);
`;

/** Runs the most usual commands of each tool, and returns what V8 compiled for them in base64. */
function warmUp(programs) {
  const folder = mkdtempSync(join(tmpdir(), "okstra-build-"));
  try {
    writeFileSync(join(folder, "brief.md"), "Warm up.\n");
    const run = join(
      folder,
      ".okstra/tasks/a/b/c/runs/discussion/manifests/run-manifest-discussion-001.json",
    );
    const usual = [
      [
        [
          "prepare",
          "--task-key=a/b/c",
          "--task-type=discussion",
          "--brief=brief.md",
          "--worker=claude",
          "--project-root=.",
        ],
        ["get", "--raw", run, "/taskKey"],
      ],
      [["show"], ["show", "--format=text"]],
      [["liveness"]],
      [["plan"]],
      [["status"], ["plan-round"]],
      [["confirm-subject", "--subject=a", "--question=b"], ["cycle-open"], ["status"]],
    ];
    return programs.map((program, i) => {
      const [code, cache] = [join(folder, `${i}.cjs`), join(folder, `${i}.cache`)];
      writeFileSync(code, program, "utf8");
      for (const words of [["--help"], ...usual[i]]) {
        const env = { ...process.env, OKSTRA_RUN: run, NODE_OPTIONS: "" };
        spawnSync(process.execPath, [join(HERE, "warm.cjs"), code, cache, ...words], {
          cwd: folder,
          env,
          stdio: "ignore",
        });
      }
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
