// node warm.cjs FOLDER CACHE [ARGUMENT…]: runs the program whose texts are in FOLDER with the arguments, as its file in
// dist/bin does, and writes into CACHE what V8 compiled of the usual parts, and into CACHE.parts which parts ran.
const { readFileSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const { Script } = require("node:vm");

const [folder, cachePath] = process.argv.slice(2, 4).map((path) => resolve(path));
const words = process.argv.slice(4);
const texts = Object.entries(JSON.parse(readFileSync(join(folder, "texts.json"), "utf8")));
const scripts = [], parts = {}, loaded = {};
const add = ([name, text]) => {
  const script = new Script(text, { filename: join(folder, `${name}.js`) });
  scripts.push(script);
  Object.assign(parts, script.runInThisContext()(require, load, later));
};
const load = (name) => {
  while (!(name in parts)) add(texts.shift());
  return loaded[name] ??= parts[name]();
};
const later = (name) => Promise.resolve().then(() => load(name));
process.on("exit", () => {
  writeFileSync(cachePath, scripts[0].createCachedData());
  writeFileSync(`${cachePath}.parts`, JSON.stringify(Object.keys(loaded)));
});
process.argv = [process.execPath, folder, ...words];
load("main");
