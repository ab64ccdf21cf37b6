// Loaded before a tool: one of its two clocks goes wrong two seconds after the start. For Node and Deno.
//
// FAULT_CLOCK=set-back  the wall clock is set back by an hour, again and again
// FAULT_CLOCK=asleep    the machine sleeps for a day: the monotonic clock has stood still meanwhile
const start = performance.now(), { now } = Date, monotonic = performance.now.bind(performance);
const isOver = () => monotonic() - start > 2000;
if (process.env.FAULT_CLOCK === "set-back") {
  Date.now = () => isOver() ? now() - 3_600_000 - (monotonic() - start) : now();
} else {
  Date.now = () => isOver() ? now() + 86_400_000 : now();
  const still = () => Math.min(monotonic(), start + 2000), { hrtime } = process;
  performance.now = still;
  process.hrtime = Object.assign(
    () => [Math.floor(still() / 1000), (still() % 1000) * 1e6],
    hrtime,
  );
}
