// Builds the tools, that need nothing else: one file each for Node in dist/bin, and a module each for Deno in dist/deno,
// beside a folder with the parts that not every call needs.
//
// Compiling is most of what a short command costs: as an ordinary bundle `okstra-team-state show` takes 1.5 times
// as long as an empty Node program, and so 1.2. The program stands in its file as a comment, which V8 skips, and is
// compiled with the help of what V8 kept from the build, in dist/compiled. Without that, or with another version of V8, it
// is compiled as any other program is. Deno loads at most three modules in place of the hundred of the sources, of which
// it loads even those that are imported only when they are used: what every call needs, what the most usual calls need,
// and the rest. What it compiled it keeps by itself, but only what it compiled before a module ran: so that is all of the
// first two.
//
// Files are replaced by rename and only if they changed, so that a build under running tools, or one that is
// killed, never leaves half a tool.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { CALLS, compile, USUAL } from "./compile.mjs";
import { parseNames, parseWords } from "./parse-words.mjs";
import { findNode, NODE_LINES } from "./runtimes.mjs";

/** The tools, by the name of their package; the binary of `x` is `okstra-x`. */
export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

const THIS = fileURLToPath(import.meta.url), HERE = dirname(THIS);

/** Builds every tool below `root` into `root/dist`; throws naming the entry files that do not exist. */
export async function buildTools(root) {
  const entries = TOOLS.map((tool) => join(root, "packages", tool, "src", "main.ts"));
  const missing = entries.filter((entry) => !existsSync(entry));
  if (missing.length > 0) {
    const names = missing.map((entry) => relative(root, entry)).join(", ");
    throw new Error(`Cannot build the tools: ${names} does not exist`);
  }
  const dist = (...names) => join(root, "dist", ...names);
  for (const folder of ["bin", "compiled", "deno/parts"]) {
    mkdirSync(dist(folder), { recursive: true });
  }
  // Node takes a file without extension for what the nearest package.json says; that of the repository says module.
  replaceFile(dist("bin", "package.json"), '{ "type": "commonjs" }\n', 0o644);
  replaceFile(dist("bin", "okstra"), readFileSync(join(HERE, "okstra.sh"), "utf8"), 0o755);

  const programs = await Promise.all(entries.map((entry) => bundleTool(root, entry)));
  const names = programs.map(({ digest }, i) =>
    [...CALLS[i].map(wordsOf), "parts.json"].map((name) =>
      `okstra-${TOOLS[i]}-${digest}-${V8}-${name}`
    )
  );
  if (names.flat().some((name) => !existsSync(dist("compiled", name)))) {
    compile(programs).forEach((compiled, i) => {
      compiled.forEach((bytes, j) => replaceFile(dist("compiled", names[i][j]), bytes, 0o644));
    });
  }
  for (const [i, program] of programs.entries()) {
    const tool = `okstra-${TOOLS[i]}`;
    replaceFile(dist("bin", tool), formatForNode(tool, program, CALLS[i]), 0o755);
    const usual = JSON.parse(readFileSync(dist("compiled", names[i].at(-1)), "utf8"));
    for (const [path, text] of await formatForDeno(tool, program, usual)) {
      replaceFile(dist("deno", path), text, path === `${tool}.mjs` ? 0o755 : 0o644);
    }
  }
  const packages = new Set(programs.flatMap((program) => program.packages));
  replaceFile(dist("THIRD-PARTY-LICENCES"), formatLicences(packages), 0o644);
  const isCurrent = (name) =>
    programs.some(({ digest }, i) => name.startsWith(`okstra-${TOOLS[i]}-${digest}-`));
  for (const name of readdirSync(dist("compiled"))) {
    if (!isCurrent(name)) rmSync(dist("compiled", name), { force: true });
  }
  return dist("bin");
}

/** What compiled code belongs to: it is of no use to another V8, and rejected by it. */
const V8 = `${process.versions.v8}-${process.arch}`;

/** Bundles a program; `text` is all of it as Node takes it, and `digest` names that. */
async function bundleTool(root, entry) {
  const tables = `${relative(root, dirname(entry))}/cli/`;
  const isForHelp = (path) => path === "packages/kit/src/cli/help.ts" || path.startsWith(tables);
  const program = await bundle(root, entry, isForHelp);
  const text = await program.format([...program.entry, ...program.others]);
  return { ...program, text, digest: createHash("sha256").update(text).digest("hex").slice(0, 16) };
}

/** The licences of what the tools hold of others, which have to come with every copy. */
function formatLicences(packages) {
  return [...packages].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`Cannot build the tools: ${name} comes without its licence`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}

/** Writes the file of a tool. V8 compares no more of a text than its length, so the digest names what belongs to it. */
function formatForNode(tool, { text, digest }, calls) {
  if (text.includes(END)) throw new Error(`Cannot build the tools: a program holds ${END}`);
  return `#!/usr/bin/env node
"use strict";
const hidden=()=>{/*${text.replaceAll("*/", END)}*/};
const text=String(hidden).slice(7,-3).replaceAll("${END}","*/");
const known=${JSON.stringify(calls.map(wordsOf))};
const words=process.argv.slice(2);
const kind=words.some((word)=>word==="--help"||word==="-h")?"--help":known.find((name)=>name===words[0]||name===words[0]+"-"+words[1])??known[${USUAL}];
const {arch,versions}=process;
const options={filename:__filename};
try{
options.cachedData=process.getBuiltinModule("node:fs").readFileSync(__dirname+"/../compiled/${tool}-${digest}-"+versions.v8+"-"+arch+"-"+kind);
}catch{}
${LAZY}
const need=(name)=>${KNOWN}.includes(name)?require(name):lazy(()=>require(name));
const loaded={};
const load=(name)=>loaded[name]??=parts[name]();
const later=(name)=>Promise.resolve().then(()=>load(name));
const parts=new (process.getBuiltinModule("node:vm").Script)(text,options).runInThisContext()(need,load,later);
load("main");
`;
}

/** The words that name a command, as part of the name of a file. */
const wordsOf = ([command]) => command.replace(" ", "-");

/** Writes the modules of a tool for Deno, by their paths; `usual` names the parts that the most usual calls need. */
async function formatForDeno(tool, { entry, others, format }, usual) {
  const isUsual = (name) => usual.includes(name);
  const module = async (names) => `export default ${await format(names, isUsual)};\n`;
  const [usualPath, restPath] = ["usual", "rest"].map((name) => `parts/${tool}-${name}.mjs`);
  const main = `#!/usr/bin/env -S deno run -A
${LAZY}
const need=(name)=>lazy(()=>process.getBuiltinModule(name));
const loaded={};
const load=(name)=>loaded[name]??=parts[name]();
const add=(module)=>Object.assign(parts,module.default(need,load,later));
const later=async(name)=>{
if(!parts[name])add(await import("./${usualPath}"));
if(!parts[name])add(await import("./${restPath}"));
return load(name);
};
const parts=${await format(entry, isUsual)}(need,load,later);
load("main");
`;
  return [
    [`${tool}.mjs`, main],
    [usualPath, await module(others.filter(isUsual))],
    [restPath, await module(others.filter((name) => !isUsual(name)))],
  ];
}

/**
 * Loads a module of the runtime when something of it is first used, and not with the part of the program that imports it:
 * that costs 3 ms for node:child_process under Node, and 10 to 20 ms for any under Deno. It has no keys of its own, so
 * that the bundler's wrapper for default imports copies nothing; all named imports are read where they are used.
 */
const LAZY =
  `const lazy=(load)=>new Proxy({},{get:(_,key)=>load()[key],set:(_,key,value)=>Reflect.set(load(),key,value),has:(_,key)=>key in load()});`;

/** Stands in a comment for the end of a comment. */
const END = "*<>/";

/** Modules that Node has loaded anyway. */
const KNOWN = JSON.stringify(["node:fs", "node:path", "node:process"]);

function replaceFile(file, content, mode) {
  const bytes = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, bytes);
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}

/** Lets the Node of other lines build, too, which adds what its V8 compiled. */
export function buildBy(lines) {
  for (const line of lines) {
    const { status, stderr } = spawnSync(findNode(line), [THIS], { encoding: "utf8" });
    if (status !== 0) throw new Error(`Cannot build the tools by Node ${line}: ${stderr}`);
  }
}

/** Reads for which other lines of Node a script is to build; as `parseWords`. */
export function parseLines(script) {
  const words = parseWords(script, { options: { node: { type: "string", default: "" } } });
  return words && parseNames(script, words.values.node.split(",").filter(Boolean), NODE_LINES);
}

/** Builds as scripts/build does. */
async function main() {
  const lines = parseLines("build");
  if (lines === null) return;
  try {
    await buildTools(dirname(dirname(HERE)));
    buildBy(lines);
  } catch (error) {
    console.error(`build: error: ${error.message}`);
    process.exitCode = 4;
  }
}

if (process.argv[1] === THIS) await main();
