// Opens the cycle of a run and is killed at a point of the commit: RUN POINT.
import { openRunCycle } from "../src/io/open-cycle.ts";
import { openRunTask } from "../src/io/task.ts";

const [run = "", point = ""] = process.argv.slice(2);
const onPoint = (reached: string) => {
  if (reached === point) process.kill(process.pid, "SIGKILL");
};
openRunCycle(openRunTask(run, { cwd: "/" }), { now: "2026-01-31T09:05:00Z", onPoint });
