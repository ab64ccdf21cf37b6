// Loaded before a tool: ends it with SIGKILL right before the rename whose number OKSTRA_TEST_KILL_AT gives (from 1),
// when the temporary file is written and the document is still the old one. Without a number it counts the renames, and
// writes their count to the file that OKSTRA_TEST_COUNT names. For Node and Deno.
const fs = require("node:fs");
const { env, pid } = process;
let count = 0;
const wrap = (rename) => (...args) => {
  count++;
  if (count === Number(env.OKSTRA_TEST_KILL_AT)) process.kill(pid, "SIGKILL");
  if (env.OKSTRA_TEST_COUNT) fs.writeFileSync(env.OKSTRA_TEST_COUNT, String(count));
  return rename(...args);
};
if (globalThis.Deno) Deno.renameSync = wrap(Deno.renameSync);
else fs.renameSync = wrap(fs.renameSync);
