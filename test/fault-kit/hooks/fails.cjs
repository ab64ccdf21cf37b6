// Loaded before a tool: lets calls on files fail, as a full or broken disk does. For Node and Deno.
//
// FAULT_WRITE=CODE   what is written into a temporary file finds no place
// FAULT_RENAME=CODE  a temporary file cannot take the place of the document
const fs = require("node:fs");
const { env } = process;
const fail = (code) => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};
const isTemporary = (path) => String(path).endsWith(".tmp");
if (globalThis.Deno) {
  const { openSync, renameSync } = Deno;
  Deno.openSync = (path, ...rest) => {
    const file = openSync(path, ...rest);
    if (env.FAULT_WRITE && isTemporary(path)) file.writeSync = () => fail(env.FAULT_WRITE);
    return file;
  };
  Deno.renameSync = (...words) => env.FAULT_RENAME ? fail(env.FAULT_RENAME) : renameSync(...words);
} else {
  const { openSync, writeSync, renameSync } = fs, temporary = new Set();
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    if (isTemporary(path)) temporary.add(fd);
    else temporary.delete(fd);
    return fd;
  };
  fs.writeSync = (fd, ...rest) =>
    env.FAULT_WRITE && temporary.has(fd) ? fail(env.FAULT_WRITE) : writeSync(fd, ...rest);
  fs.renameSync = (...words) => env.FAULT_RENAME ? fail(env.FAULT_RENAME) : renameSync(...words);
}
