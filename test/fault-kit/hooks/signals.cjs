// Loaded before a tool: its clock goes on by what it waits for alone, so that no load of the machine shows in it, and every
// signal that it sends is written down with that time in milliseconds. For Node and Deno.
//
// FAULT_SIGNALS=FILE  where that is written, one a line: `SIGTERM 620`
// FAULT_HURRY=NUMBER  a wait of so many milliseconds or more takes a tenth of that, until the tool kills
// FAULT_DEAF=1        nobody gets the signals
const { appendFileSync } = require("node:fs");
const { setTimeout } = globalThis, { kill, hrtime } = process;
const { FAULT_SIGNALS, FAULT_HURRY, FAULT_DEAF } = process.env;
let now = 0, hasKilled = false;
globalThis.setTimeout = (call, ms = 0, ...rest) => {
  const due = now + ms, isLong = ms >= Number(FAULT_HURRY) && !hasKilled;
  const callThen = (...words) => {
    now = Math.max(now, due);
    call(...words);
  };
  return setTimeout(callThen, isLong ? ms / 10 : ms, ...rest);
};
performance.now = () => now;
process.hrtime = Object.assign(() => [Math.floor(now / 1000), (now % 1000) * 1e6], hrtime);
process.kill = (pid, signal) => {
  if (signal === "SIGKILL") hasKilled = true;
  if (signal !== 0) appendFileSync(FAULT_SIGNALS, `${signal} ${now}\n`);
  if (FAULT_DEAF && signal !== 0) return true;
  return kill.call(process, pid, signal);
};
