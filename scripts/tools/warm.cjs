// node warm.cjs CODE CACHE [ARGUMENT…]: runs the program in the file CODE with the arguments, and writes into
// the file CACHE what V8 compiled for it, together with what CACHE held before, and into CACHE.parts which parts ran.
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { resolve } = require("node:path");
const { Script } = require("node:vm");

const [codePath, cachePath] = process.argv.slice(2, 4).map((path) => resolve(path));
const words = process.argv.slice(4);
const script = new Script(readFileSync(codePath, "utf8"), {
  filename: codePath,
  ...(existsSync(cachePath) ? { cachedData: readFileSync(cachePath) } : {}),
});
process.on("exit", () => {
  writeFileSync(cachePath, script.createCachedData());
  writeFileSync(`${cachePath}.parts`, JSON.stringify(Object.keys(loaded)));
});
process.argv = [process.execPath, codePath, ...words];
const loaded = {};
const load = (name) => loaded[name] ??= parts[name]();
const later = (name) => Promise.resolve().then(() => load(name));
const parts = script.runInThisContext()(require, load, later);
load("main");
