// Loaded before a tool: writes down, one a line in the file that FAULT_TRACE names, what makes a write durable: `sync` of
// a temporary file, `rename`, `sync-directory`. For Node and Deno.
const fs = require("node:fs");
const { appendFileSync, statSync } = fs;
const note = (word) => appendFileSync(process.env.FAULT_TRACE, `${word}\n`);
const noteSync = (path) => {
  if (String(path).endsWith(".tmp")) note("sync");
  else if (statSync(path).isDirectory()) note("sync-directory");
};
if (globalThis.Deno) {
  const { openSync, renameSync } = Deno;
  Deno.openSync = (path, ...rest) => {
    const file = openSync(path, ...rest), sync = file.syncSync.bind(file);
    file.syncSync = () => {
      sync();
      noteSync(path);
    };
    return file;
  };
  Deno.renameSync = (...words) => {
    renameSync(...words);
    note("rename");
  };
} else {
  const { openSync, fsyncSync, renameSync } = fs, paths = new Map();
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    paths.set(fd, path);
    return fd;
  };
  fs.fsyncSync = (fd) => {
    fsyncSync(fd);
    noteSync(paths.get(fd));
  };
  fs.renameSync = (...words) => {
    renameSync(...words);
    note("rename");
  };
}
