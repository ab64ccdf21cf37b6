// Loaded before a tool: chance is no chance, and the wall clock may be set forward while the tool runs. For Node and Deno.
//
// FAULT_CHANCE=NUMBER  what every draw from 0 to 1 gives
// FAULT_AHEAD=FILE     by how many seconds the wall clock is ahead as long as there is this file
const { existsSync, readFileSync } = require("node:fs");
const { FAULT_CHANCE, FAULT_AHEAD } = process.env, { now } = Date;
Math.random = () => Number(FAULT_CHANCE);
if (FAULT_AHEAD) {
  Date.now = () =>
    now() + (existsSync(FAULT_AHEAD) ? Number(readFileSync(FAULT_AHEAD, "utf8")) * 1000 : 0);
}
