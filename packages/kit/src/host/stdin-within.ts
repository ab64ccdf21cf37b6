import { deno, nodeFs } from "./runtime.ts";
import { monotonicMs } from "./process.ts";
import { joinChunks } from "./streams.ts";
import { systemCode } from "./system-error.ts";

const CHUNK_BYTES = 65536;

let isAbandoned = false;

/** Tells whether a read of standard input was given up and is still pending, which keeps Deno alive. */
export function isStdinAbandoned(): boolean {
  return isAbandoned;
}

/**
 * Reads standard input to its end if it ends within `ms` milliseconds; `null` if it does not.
 * After `null` nothing more can be read from it, and it does not keep the process alive.
 */
export function readStdinWithin(ms: number): Promise<Uint8Array | null> {
  if (deno) return readDeno(ms);
  const fd = openNonBlocking();
  return fd === null ? readStream(ms) : pollDescriptor(fd, ms);
}

async function readDeno(ms: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  const input = (async (): Promise<"ended"> => {
    for (;;) {
      const buffer = new Uint8Array(CHUNK_BYTES);
      const size = await deno!.stdin.read(buffer);
      if (size === null) return "ended";
      chunks.push(buffer.subarray(0, size));
    }
  })();
  const timer = startTimer(ms);
  try {
    if (await Promise.race([input, timer.ended]) === "ended") return joinChunks(chunks);
    isAbandoned = true;
    input.catch(() => {});
    return null;
  } finally {
    timer.stop();
  }
}

/** Starts a timer that costs nothing to start under Deno, where the first `setTimeout` takes 5 ms. */
function startTimer(ms: number): { ended: Promise<unknown>; stop(): void } {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const { waitAsync } = Atomics as unknown as {
    waitAsync(
      cell: Int32Array,
      index: number,
      value: number,
      ms: number,
    ): { value: Promise<string> | string };
  };
  const { value } = waitAsync(cell, 0, 0, ms);
  return { ended: Promise.resolve(value), stop: () => Atomics.notify(cell, 0) };
}

/**
 * Opens the pipe behind standard input a second time, so that reading it never blocks; `null` where the system cannot.
 * `process.stdin` would do the same for 5 ms more.
 */
function openNonBlocking(): number | null {
  const fs = nodeFs();
  try {
    return fs.openSync("/proc/self/fd/0", fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return null; // no /proc, a socket, or a pipe of another user
  }
}

async function pollDescriptor(fd: number, ms: number): Promise<Uint8Array | null> {
  const fs = nodeFs();
  const deadline = monotonicMs() + ms;
  const chunks: Uint8Array[] = [];
  try {
    for (let pauseMs = 1;;) {
      const buffer = new Uint8Array(CHUNK_BYTES);
      try {
        const size = fs.readSync(fd, buffer);
        if (size === 0) return joinChunks(chunks);
        chunks.push(buffer.subarray(0, size));
        pauseMs = 1;
      } catch (error) {
        if (systemCode(error) !== "EAGAIN") throw error;
        const left = deadline - monotonicMs();
        if (left <= 0) return null;
        await new Promise((resolve) => setTimeout(resolve, Math.min(left, pauseMs)));
        pauseMs = Math.min(20, pauseMs * 2);
      }
    }
  } finally {
    fs.closeSync(fd);
  }
}

function readStream(ms: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const timer = setTimeout(() => {
      process.stdin.destroy();
      resolve(null);
    }, ms);
    const stop = (): void => clearTimeout(timer);
    process.stdin
      .on("data", (chunk: Uint8Array) => chunks.push(chunk))
      .on("end", () => (stop(), resolve(joinChunks(chunks))))
      .on("error", (error) => (stop(), reject(error)));
  });
}
