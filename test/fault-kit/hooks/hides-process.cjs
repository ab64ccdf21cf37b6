// Loaded before a tool: the system says nothing about the process whose number is FAULT_HIDDEN, as with hidepid or in
// another namespace; with FAULT_FORBIDDEN it may not even be signalled. For Node and Deno.
const fs = require("node:fs");
const { env } = process, hidden = `/proc/${env.FAULT_HIDDEN}/stat`;
const fail = (code) => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};
const guard = (read) => (path, ...rest) => path === hidden ? fail("EACCES") : read(path, ...rest);
fs.readFileSync = guard(fs.readFileSync);
if (globalThis.Deno) Deno.readFileSync = guard(Deno.readFileSync);
const kill = (original) => (pid, ...rest) =>
  env.FAULT_FORBIDDEN && pid === Number(env.FAULT_HIDDEN) ? fail("EPERM") : original(pid, ...rest);
process.kill = kill(process.kill.bind(process));
if (globalThis.Deno) Deno.kill = kill(Deno.kill);
