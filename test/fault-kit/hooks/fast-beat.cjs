// Loaded before the wrapper: what it does every 15 seconds, which is its sign of life, it does five times a second. For
// Node and Deno.
const { setInterval } = globalThis;
globalThis.setInterval = (call, ms, ...rest) =>
  setInterval(call, ms === 15_000 ? 200 : ms, ...rest);
