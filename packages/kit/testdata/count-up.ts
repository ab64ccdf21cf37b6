// Adds one to the number in a file, N times, each time under its lock: count-up.ts FILE N
import { argv, setExitCode } from "../src/host.ts";
import { updateCount } from "./update-count.ts";

const [file = "", times = "1"] = argv();
for (let i = 0; i < Number(times); i++) updateCount(file, 30_000, 0);
setExitCode(0);
