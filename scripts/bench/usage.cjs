// Loaded before a measured program: tells on its way out what it used, in the file that OKSTRA_BENCH_USAGE names.
const { writeFileSync } = require("node:fs");
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const told = { cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: maxRSS / 1024 };
  writeFileSync(process.env.OKSTRA_BENCH_USAGE, JSON.stringify(told));
});
