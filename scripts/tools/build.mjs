// Builds the tools: one file each for Node in dist/bin, and one for Deno in dist/deno, that need nothing else.
//
// Compiling is most of what a short command costs: as an ordinary bundle `okstra-team-state show` takes 1.5 times
// as long as an empty Node program, and so 1.2. The program stands in its file as a comment, which V8 skips, and is
// compiled with the help of what V8 kept from the build, in dist/compiled. Without that, or with another version of
// Node, it is compiled as any other program is. Deno loads one module in place of the hundred of the sources, of which
// it loads even those that are imported only when they are used. What it compiled it keeps by itself, but only what it
// compiled before the program ran: so that is what the most usual command needs.
//
// Files are replaced by rename and only if they changed, so that a build under running tools, or one that is
// killed, never leaves half a tool.
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
import { parseWords } from "./parse-words.mjs";

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

/** Builds every tool below `root` into `root/dist`; throws naming the entry files that do not exist. */
export async function buildTools(root) {
  const entries = TOOLS.map((tool) => join(root, "packages", tool, "src", "main.ts"));
  const missing = entries.filter((entry) => !existsSync(entry));
  if (missing.length > 0) {
    const names = missing.map((entry) => relative(root, entry)).join(", ");
    throw new Error(`Cannot build the tools: ${names} does not exist`);
  }
  const binDir = join(root, "dist", "bin");
  const compiledDir = join(root, "dist", "compiled");
  const denoDir = join(root, "dist", "deno");
  for (const folder of [binDir, compiledDir, denoDir]) mkdirSync(folder, { recursive: true });
  // Node takes a file without extension for what the nearest package.json says; that of the repository says module.
  replaceFile(join(binDir, "package.json"), '{ "type": "commonjs" }\n', 0o644);
  replaceFile(join(binDir, "okstra"), readFileSync(join(HERE, "okstra.sh"), "utf8"), 0o755);

  const programs = await Promise.all(entries.map((entry) => bundle(root, entry)));
  const names = programs.map(({ digest }, i) =>
    [...CALLS[i].map(wordsOf), "parts.json"].map((name) => `${digest}-${process.version}-${name}`)
  );
  if (names.flat().some((name) => !existsSync(join(compiledDir, name)))) {
    compile(programs).forEach((compiled, i) => {
      compiled.forEach((bytes, j) => replaceFile(join(compiledDir, names[i][j]), bytes, 0o644));
    });
  }
  for (const [i, program] of programs.entries()) {
    replaceFile(join(binDir, `okstra-${TOOLS[i]}`), formatFile(program, CALLS[i]), 0o755);
    const parts = JSON.parse(readFileSync(join(compiledDir, names[i].at(-1)), "utf8"));
    const text = await program.formatEager(parts);
    replaceFile(join(denoDir, `okstra-${TOOLS[i]}.mjs`), formatForDeno(text), 0o755);
  }
  const packages = new Set(programs.flatMap((program) => program.packages));
  replaceFile(join(root, "dist", "THIRD-PARTY-LICENCES"), formatLicences(packages), 0o644);
  for (const name of readdirSync(compiledDir)) {
    if (!names.flat().includes(name)) rmSync(join(compiledDir, name), { force: true });
  }
  return binDir;
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
function formatFile({ text, digest }, calls) {
  if (text.includes(END)) throw new Error(`Cannot build the tools: a program holds ${END}`);
  return `#!/usr/bin/env node
"use strict";
const hidden=()=>{/*${text.replaceAll("*/", END)}*/};
const text=String(hidden).slice(7,-3).replaceAll("${END}","*/");
const known=${JSON.stringify(calls.map(wordsOf))};
const words=process.argv.slice(2);
const kind=words.some((word)=>word==="--help"||word==="-h")?"--help":known.find((name)=>name===words[0]||name===words[0]+"-"+words[1])??known[${USUAL}];
const options={filename:__filename};
try{
options.cachedData=process.getBuiltinModule("node:fs").readFileSync(__dirname+"/../compiled/${digest}-"+process.version+"-"+kind);
}catch{}
${LAZY}
new (process.getBuiltinModule("node:vm").Script)(text,options).runInThisContext()((name)=>${KNOWN}.includes(name)?require(name):lazy(()=>require(name)));
`;
}

/** The words that name a command, as part of the name of a file. */
const wordsOf = ([command]) => command.replace(" ", "-");

/** Writes the file of a tool for Deno. */
function formatForDeno(text) {
  return `#!/usr/bin/env -S deno run -A
${LAZY}
${text}((name)=>lazy(()=>process.getBuiltinModule(name)));
`;
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

if (
  process.argv[1] === fileURLToPath(import.meta.url) && parseWords("build", {}) !== null
) {
  try {
    await buildTools(dirname(dirname(HERE)));
  } catch (error) {
    console.error(`build: error: ${error.message}`);
    process.exitCode = 4;
  }
}
