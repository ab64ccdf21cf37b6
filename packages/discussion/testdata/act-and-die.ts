// Runs a command on a run and is killed at a point of its commit: RUN COMMAND POINT.
import { actUpTo } from "./commits.ts";

const [run = "", command = "", point = ""] = process.argv.slice(2);
actUpTo(run, command, point, () => process.kill(process.pid, "SIGKILL"));
