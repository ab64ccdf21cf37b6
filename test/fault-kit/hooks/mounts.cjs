// Loaded before a tool: says that everything lies on a file system of another type. For Node and Deno.
//
// FAULT_FILE_SYSTEM=TYPE  the type, as /proc/self/mountinfo has it
const fs = require("node:fs"), place = globalThis.Deno ?? fs, { readFileSync } = place;
const table = Buffer.from(`1 0 8:1 / / rw - ${process.env.FAULT_FILE_SYSTEM} /dev/sda1 rw\n`);
place.readFileSync = (path, ...rest) =>
  path === "/proc/self/mountinfo" ? table : readFileSync(path, ...rest);
