// One CommonJS file a tool. Node starts it sooner than an ES module, and what a command loads lazily stands in
// it as a comment: V8 skips a comment, while functions cost a millisecond for 30 KB in every start, called or
// not. A file is replaced by rename and only if it changed, so that a build under running tools, or one that
// is killed, never leaves half a tool.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

/** The tools, by the name of their package; the binary of `x` is `okstra-x`. */
export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

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
  writeIfChanged(
    join(root, "dist", "package.json"),
    Buffer.from('{ "type": "commonjs" }\n'),
    0o644,
  );
  await Promise.all(TOOLS.map(async (tool, i) => {
    writeIfChanged(join(binDir, `okstra-${tool}`), await bundle(root, entries[i]), 0o755);
  }));
  const script = readFileSync(join(root, "scripts", "tools", "okstra.sh"));
  writeIfChanged(join(binDir, "okstra"), script, 0o755);
  return binDir;
}

const COMMON = {
  platform: "node",
  target: "node20.16",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/** Stands for the end of a comment inside a comment. */
const MARK = "*<>/";

/** Bundles a program: the parts that it loads at once as functions, those behind `import()` as a comment. */
async function bundle(root, entry) {
  const { outputFiles, metafile } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: join(root, "dist"),
    write: false,
    metafile: true,
  });
  const parts = new Map(
    Object.entries(metafile.outputs).map(([path, { imports }]) => [basename(path), imports]),
  );
  const withImports = (name) => {
    const names = new Set([name]);
    for (const each of names) {
      for (const { path, kind } of parts.get(each)) {
        if (kind === "import-statement" && parts.has(basename(path))) names.add(basename(path));
      }
    }
    return names;
  };
  const main = basename(entry).replace(/\.ts$/, ".js");
  const atOnce = withImports(main);
  const now = [];
  const later = [];
  let text = "";
  for (const file of outputFiles) {
    const name = basename(file.path);
    const { code } = await transform(file.text.replace(/^#!.*\n/, ""), {
      ...COMMON,
      format: "cjs",
      supported: { "dynamic-import": false },
    });
    // Parentheses make V8 compile a function at once instead of looking over it first.
    const part = `"./${name}":(function(require,module,exports){${code}})`;
    if (atOnce.has(name)) now.push(part);
    else {
      if (part.includes(MARK)) throw new Error(`${name} holds the mark ${MARK}`);
      const comment = part.replaceAll("*/", MARK);
      const imports = [...withImports(name)].filter((each) => !atOnce.has(each) && each !== name);
      const names = imports.map((each) => `"./${each}"`);
      later.push(`"./${name}":[${[text.length, text.length + comment.length, ...names]}]`);
      text += comment;
    }
  }
  return Buffer.from(`#!/usr/bin/env node
"use strict";
const now={${now.join(",\n")}};
const later={${later.join(",\n")}};
const text=()=>{/*${text}*/};
const loaded={__proto__:null};
const compile=(name)=>{
const all=String(text).slice(7);
const names=[name,...later[name].slice(2)].filter((each)=>!now[each]);
const parts=names.map((each)=>all.slice(later[each][0],later[each][1]).replaceAll("${MARK}","*/"));
Object.assign(now,(0,eval)("({"+parts.join(",")+"})//# sourceURL="+__filename+name.slice(1)));
};
const load=(name)=>{
if(loaded[name])return loaded[name].exports;
if(!now[name]){
if(!later[name])return require(name);
compile(name);
}
const module=loaded[name]={exports:{}};
now[name](load,module,module.exports);
return module.exports;
};
load("./${main}");
`);
}

function writeIfChanged(file, bytes, mode) {
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, bytes);
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  try {
    await buildTools(root);
  } catch (error) {
    console.error(`build: error: ${error.message}`);
    process.exitCode = 4;
  }
}
