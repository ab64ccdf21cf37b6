// Builds the tools, that need nothing else: for each a file for Node in dist/bin and a module for Deno in dist/deno, and the
// parts of its program in a folder `parts` beside it.
//
// Starting is most of what a short command costs, and that is reading and compiling: as an ordinary bundle
// `okstra-team-state show` takes 1.5 times as long as an empty Node program. So the version and the help of a tool are
// written into its file, and the program is cut in two: the parts that the usual calls run, and the rest, which is read when
// something of it is first needed. Node compiles them with the help of what V8 kept from the build; without that, or with
// another version of V8, they are compiled as any other program is. What Deno compiled it keeps by itself, but only what
// it compiled before a module ran: so that is all that the usual calls need.
//
// Files are replaced by rename and only if they changed, and what a tool reads later bears the digest of its program and
// outlives one build, so that a build under running tools, or one that is killed, never leaves half a tool.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, bundleAnswer } from "./bundle.mjs";
import { CALLS, compile, tryCalls } from "./compile.mjs";
import { digestOf, formatForDeno, formatForNode, wordsOf } from "./format-tool.mjs";
import { parseNames, parseWords } from "./parse-words.mjs";
import { findNode, NODE_LINES } from "./runtimes.mjs";
import { shapes } from "./shapes.mjs";

/** The tools, by the name of their package; the binary of `x` is `okstra-x`. */
export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

/** What is built, below dist. */
const FOLDERS = ["bin", "bin/parts", "deno", "deno/parts"];

const THIS = fileURLToPath(import.meta.url), HERE = dirname(THIS);

/** Builds every tool below `root` into `root/dist`; throws naming the entry files that do not exist. */
export async function buildTools(root) {
  const entries = TOOLS.map((tool) => join(root, "packages", tool, "src", "main.ts"));
  const missing = entries.filter((entry) => !existsSync(entry));
  if (missing.length > 0) {
    const names = missing.map((entry) => relative(root, entry)).join(", ");
    throw new Error(`Cannot build the tools: ${names} does not exist`);
  }
  const startedAt = Date.now(), dist = (...names) => join(root, "dist", ...names);
  for (const folder of FOLDERS) mkdirSync(dist(folder), { recursive: true });
  // Node takes a file without extension for what the nearest package.json says; that of the repository says module.
  replaceFile(dist("bin", "package.json"), '{ "type": "commonjs" }\n', 0o644);
  replaceFile(dist("bin", "okstra"), readFileSync(join(HERE, "okstra.sh"), "utf8"), 0o755);

  const readPrograms = () =>
    TOOLS.flatMap((tool) => [`bin/okstra-${tool}`, `deno/okstra-${tool}.mjs`])
      .map((name) => readIfThere(dist(name)));
  const before = readPrograms();
  const plugins = [await shapes(root)];
  const programs = await Promise.all(entries.map((entry) => bundle(root, entry, plugins)));
  const answer = await bundleAnswer(root);
  const cuts = await cutPrograms(programs, dist("bin/parts"));
  for (const [path, bytes] of compileMissing(cuts, dist("bin/parts"))) {
    replaceFile(path, bytes, 0o644);
  }
  for (const [i, cut] of cuts.entries()) {
    const tool = `okstra-${TOOLS[i]}`;
    for (const [name, text] of Object.entries(cut.texts)) {
      replaceFile(dist("bin/parts", `${tool}-${cut.digest}-${name}.js`), text, 0o644);
    }
    replaceFile(dist("bin", tool), formatForNode(tool, answer, cut, CALLS[i]), 0o755);
    for (const [path, text] of await formatForDeno(tool, answer, programs[i], cut)) {
      replaceFile(dist("deno", path), text, path === `${tool}.mjs` ? 0o755 : 0o644);
    }
  }
  const packages = new Set(programs.flatMap((program) => program.packages));
  replaceFile(dist("THIRD-PARTY-LICENCES"), formatLicences(packages), 0o644);
  const kept = [...before, ...readPrograms(), ...cuts.map(({ key }) => key)].join("\n");
  for (const folder of FOLDERS) removeOld(dist(folder), kept, startedAt);
  // Where builds once kept what is in `parts` now.
  for (const name of ["compiled", "parts"]) {
    rmSync(dist(name), { recursive: true, force: true });
  }
  return dist("bin");
}

/**
 * Cuts programs by which parts the usual calls run, which is found by running them. With each come the texts with which its
 * tool answers without it, and the digest that names all of it.
 */
async function cutPrograms(programs, folder) {
  const texts = await Promise.all(programs.map(({ parts, format }) => format(parts)));
  const keys = texts.map((text, i) => digestOf(text, JSON.stringify(CALLS[i])));
  const paths = keys.map((key, i) => join(folder, `okstra-${TOOLS[i]}-${key}-cut.json`));
  if (!paths.every((path) => existsSync(path))) {
    tryCalls(texts).forEach((cut, i) => replaceFile(paths[i], JSON.stringify(cut), 0o644));
  }
  return Promise.all(programs.map(async ({ parts, format }, i) => {
    const { answers, ran } = JSON.parse(readFileSync(paths[i], "utf8"));
    const usual = parts.filter((name) => ran.includes(name));
    const rest = parts.filter((name) => !ran.includes(name));
    const texts = { usual: await format(usual), rest: await format(rest) };
    return { key: keys[i], digest: digestOf(texts.usual, texts.rest), usual, texts, answers };
  }));
}

/**
 * Removes from a folder the parts whose digest is not in the text `kept`, and what killed builds left; but nothing that is
 * newer than this build, since another one may be under way.
 */
function removeOld(folder, kept, startedAt) {
  for (const name of readdirSync(folder)) {
    const isOfUse = basename(folder) !== "parts" || kept.includes(digestIn(name));
    if (isOfUse && !name.endsWith(".tmp")) continue;
    const path = join(folder, name), found = statSync(path, { throwIfNoEntry: false });
    if (found?.mtimeMs < startedAt) rmSync(path, { force: true });
  }
}

/** Returns the digest in the name of a part. */
export const digestIn = (name) => /-([0-9a-f]{16})-/.exec(name)?.[1] ?? name;

/**
 * Compiles what this V8 has not compiled yet, all of it if anything is missing: the bytes by their path. A V8 before 11.4
 * takes what its like on another platform or with other patches compiled, too, and runs wrong code: so the path names all
 * of that.
 */
function compileMissing(cuts, folder) {
  const { arch, platform, versions } = process;
  const paths = cuts.map(({ digest }, i) =>
    [...CALLS[i].map(wordsOf), "rest"].map((kind) =>
      join(folder, `okstra-${TOOLS[i]}-${digest}-${versions.v8}-${platform}-${arch}-${kind}`)
    )
  );
  if (paths.flat().every((path) => existsSync(path))) return [];
  return compile(cuts.map(({ texts }) => texts)).flatMap((compiled, i) =>
    compiled.map((bytes, j) => [paths[i][j], bytes])
  );
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

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

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
