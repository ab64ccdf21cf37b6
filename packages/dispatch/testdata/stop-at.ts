// Runs a command of okstra-dispatch and kills itself with KILL at a crash point: stop-at.ts POINT COMMAND RUN-MANIFEST
import process from "node:process";
import { environment } from "@okstra/kit/host";
import { awaitDispatches, start, startAndAwait } from "../src/io/commands.ts";
import { REQUEST } from "../src/test-jobs.ts";
import type { Surroundings } from "../src/io/surroundings.ts";

const [point, command, runPath = ""] = process.argv.slice(2);

const surroundings: Surroundings = {
  now: () => new Date(Number(process.env["SOURCE_DATE_EPOCH"]) * 1000),
  env: (name) => process.env[name],
  environment,
  say: () => {},
  lockTimeoutMs: 10_000,
  screen: null,
  reach: (reached) => {
    if (reached !== point) return;
    process.kill(process.pid, "SIGKILL");
    // The signal may reach another thread of the runtime first; this one must not go on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
};
const wait = { timeout: 120, poll: 0.05, heartbeat: 0, isRetryAllowed: true, retryOn: [] };

if (command === "start") await start(runPath, REQUEST, Infinity, surroundings);
else if (command === "run") await startAndAwait(runPath, REQUEST, Infinity, wait, surroundings);
else await awaitDispatches(runPath, { workerIds: [], dispatchKind: null }, wait, surroundings);
