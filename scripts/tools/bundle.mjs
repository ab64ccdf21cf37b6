// Makes expressions of a program: functions that take `require`, `load` and `later`, and return parts of it by name.
//
// What a command does not need has to cost nothing, not even to be known: V8 keeps a record of each function next to
// another that it compiled, used or not. So the program is cut where it imports something lazily (esbuild does that for
// ES modules only), and each part is a function, which runs when it is first imported: `load` returns what a part
// exports, `later` a promise of that.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import { build, transform } from "esbuild";

/**
 * Bundles the program of an entry file by esbuild with `plugins`. `packages` are the folders of what it takes from npm;
 * `parts` names all parts, `withNeeded` adds to some what these may need without waiting for it, and `format` makes an
 * expression of some; of those that are eager V8 compiles all functions when it compiles the expression.
 */
export async function bundle(root, entry, plugins) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    target: TARGET,
    format: "esm",
    minifySyntax: true,
    // Or it takes a pattern that nobody uses for a call that has to be made: valibot has one of all emoji.
    supported: { "regexp-unicode-property-escapes": true },
    legalComments: "none",
    plugins,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const sources = Object.keys(metafile.inputs).filter((path) => !path.startsWith("shapes:"));
  refuseVariables(root, sources);
  const parts = await Promise.all(outputFiles.map(formatPart));
  refuseCycles(parts);
  return {
    packages: listPackages(root, sources),
    parts: parts.map(({ name }) => name),
    withNeeded: (names) => listNeeded(parts, names),
    format: (names, isEager = () => false) =>
      formatParts(parts.filter(({ name }) => names.includes(name)), isEager),
  };
}

/** Bundles what answers without the program: code that makes it a property of `okstra`. */
export async function bundleAnswer(root) {
  const { outputFiles: [file] } = await build({
    entryPoints: [join(root, "packages", "kit", "src", "cli", "answer.ts")],
    bundle: true,
    platform: "node",
    target: TARGET,
    format: "iife",
    globalName: "okstra",
    minify: true,
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  return escapeText(file.text);
}

/** Returns the names of parts and of all that they need before they run, or while they do. */
function listNeeded(parts, names) {
  const found = new Set(), known = new Map(parts.map((part) => [part.name, part]));
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    const { needs, soon } = known.get(name);
    for (const each of [...needs, ...soon]) add(each);
  };
  names.forEach(add);
  return [...found];
}

/** Returns the folders of the npm packages that sources are of. */
function listPackages(root, sources) {
  const folder = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/;
  return [...new Set(sources.flatMap((path) => join(root, path).match(folder)?.[0] ?? []))].sort();
}

/** Makes the expression of parts. */
async function formatParts(parts, isEager) {
  const methods = parts.map(({ name, code }) =>
    isEager(name)
      ? `"${name}":(function(){let exported;${hoistFunctions(code)}return exported})`
      : `"${name}"(){let exported;${code}return exported}`
  );
  const whole = `parts=function(require,load,later){"use strict";return{${methods.join(",\n")}}}`;
  const { code } = await transform(whole, { minify: true, target: TARGET, legalComments: "none" });
  // In parentheses V8 compiles it at once, and not only when it is called.
  return escapeText(`(${code.trim().replace(/^parts=/, "").replace(/;$/, "")})`);
}

const TARGET = "node20.16";

const nameOf = (path) => basename(path, ".js");

/** Makes a method of a part: what it takes of other parts are constants, and it returns what they may take of it. */
async function formatPart({ path, text }) {
  const name = nameOf(path), needs = [], soon = [];
  const module = text
    .replace(/^#!.*\n/, "")
    .replace(/^import (?:\{([^}]*)\} from )?"\.\/([^"]+)\.js";$/gm, (_, names, part) => {
      needs.push(part);
      const call = `load("${part}");`;
      return names === undefined ? call : `const {${names.replaceAll(" as ", ": ")}} = ${call}`;
    })
    .replace(/^import (?:\* as )?(\w+) from ("node:\w+");$/gm, "const $1 = require($2);")
    .replace(/\bloadNow\(import\("\.\/([^"]+)\.js"\)\)/g, (_, part) => {
      soon.push(part);
      return `load("${part}")`;
    })
    .replace(/\bimport\("\.\/([^"]+)\.js"\)/g, 'later("$1")')
    .replace(
      /^export \{([^}]*)\};$/m,
      (_, names) => `exported = {${names.replace(/(\w+) as (\w+)/g, "$2: $1")}};`,
    );
  // What is left are names of builtins, which become properties, read where they are used.
  const { code } = await transform(module, { format: "cjs", target: TARGET });
  if (/^(module\.exports|import|export)\b|__toESM\(require\("/m.test(code)) {
    throw new Error(
      `Cannot build the tools: ${name} imports or exports in a way that is not known`,
    );
  }
  return { name, needs, soon, code: code.replace(/^"use strict";/, "") };
}

/**
 * Makes constants of the functions that a part declares, in parentheses as V8 wants them, and before all else, since
 * they may be called from anywhere.
 */
function hoistFunctions(code) {
  const functions = [];
  let rest = "", at = 0;
  const heads = code.matchAll(/^((?:async )?function\*? ?)(\w+)(?=\()/gm);
  for (const { 0: head, 1: kind, 2: name, index } of heads) {
    if (index < at) continue;
    const end = findEnd(code, index);
    functions.push(`const ${name}=(${kind}${code.slice(index + head.length, end)});`);
    rest += code.slice(at, index);
    at = end;
  }
  return functions.join("") + rest + code.slice(at);
}

/** Finds where a function ends: at the first brace at the start of a line with which it is one. */
function findEnd(code, start) {
  for (let end = code.indexOf("\n}", start); end >= 0; end = code.indexOf("\n}", end + 2)) {
    try {
      new Script(`(${code.slice(start, end + 2)})`);
      return end + 2;
    } catch { /* that one stood in a text */ }
  }
  throw new Error(
    `Cannot build the tools: a function has no end: ${code.slice(start, start + 80)}`,
  );
}

/** Throws if a source exports what may change later: another part would keep the value that it had first. */
function refuseVariables(root, sources) {
  const found = sources.find((path) =>
    /^export let\b/m.test(readFileSync(join(root, path), "utf8"))
  );
  if (found) throw new Error(`Cannot build the tools: ${found} exports a variable`);
}

/** Throws if parts need each other before either has run; only what is imported lazily may lead back. */
function refuseCycles(parts) {
  const needs = new Map(parts.map((part) => [part.name, part.needs])), done = new Set();
  const visit = (name, trail) => {
    if (trail.includes(name)) {
      throw new Error(
        `Cannot build the tools: parts need each other: ${[...trail, name].join(" → ")}`,
      );
    }
    if (done.has(name)) return;
    for (const needed of needs.get(name)) visit(needed, [...trail, name]);
    done.add(name);
  };
  for (const name of needs.keys()) visit(name, []);
}

/** Makes a text ASCII, since V8 keeps any other at twice the size; esbuild leaves characters in tagged templates and patterns. */
export function escapeText(text) {
  if (!/[^\0-\x7f]/.test(text)) return text;
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(text)) {
    throw new Error("Cannot build the tools: a raw template may not hold other than ASCII");
  }
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
