import { builtin, deno, nodeFs } from "./runtime.ts";
import { sleepSync } from "./process.ts";
import { inWords, systemCode } from "./system-error.ts";

/** What standard input is connected to; `pipe` is a FIFO or a socket. */
export type StdinKind = "terminal" | "pipe" | "file" | "other";

/** Thrown by `writeOut` once the reader of standard output is gone; the command line ends quietly on it. */
export class OutputClosedError extends Error {
  readonly exitCode = 141;
}

function writeAll(fd: 1 | 2, text: string): void {
  const bytes = deno ? new TextEncoder().encode(text) : Buffer.from(text);
  const stream = deno && (fd === 1 ? deno.stdout : deno.stderr);
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += stream
        ? stream.writeSync(bytes.subarray(offset))
        : nodeFs().writeSync(fd, bytes, offset);
    } catch (error) {
      if (systemCode(error) !== "EAGAIN") throw error;
      sleepSync(1);
    }
  }
}

/**
 * Writes a text to standard output, completely.
 *
 * @throws {OutputClosedError} If the reader is gone.
 */
export function writeOut(text: string): void {
  try {
    inWords("write", "standard output", () => writeAll(1, text));
  } catch (error) {
    if (systemCode(error) === "EPIPE") throw new OutputClosedError("standard output is closed");
    throw error;
  }
}

/** Writes a text to standard error, completely; a failure is ignored, since there is nowhere to report it. */
export function writeErr(text: string): void {
  try {
    writeAll(2, text);
  } catch { /* words for nobody */ }
}

/** Tells whether a standard stream is a terminal. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  if (deno) return (fd === 0 ? deno.stdin : fd === 1 ? deno.stdout : deno.stderr).isTerminal();
  try {
    if (!nodeFs().fstatSync(fd).isCharacterDevice()) return false; // spares loading node:tty
  } catch {
    return false;
  }
  return builtin("node:tty").isatty(fd);
}

/** Returns how large the terminal behind standard error is; 80 by 24 where it does not tell. */
export function terminalSize(): { readonly columns: number; readonly rows: number } {
  try {
    const { columns = 0, rows = 0 } = deno ? deno.consoleSize() : process.stderr;
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}

/** Returns what standard input is connected to. */
export function stdinKind(): StdinKind {
  if (isTerminal(0)) return "terminal";
  try {
    if (deno) {
      const info = deno.statSync("/dev/stdin");
      return info.isFifo || info.isSocket ? "pipe" : info.isFile ? "file" : "other";
    }
    const info = nodeFs().fstatSync(0);
    return info.isFIFO() || info.isSocket() ? "pipe" : info.isFile() ? "file" : "other";
  } catch {
    return "other";
  }
}

/** Joins pieces of a stream. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

/** Reads standard input to its end; waits as long as that takes. */
export function readStdin(): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(65536);
    let size: number;
    try {
      size = inWords(
        "read",
        "standard input",
        () => deno ? deno.stdin.readSync(buffer) ?? 0 : nodeFs().readSync(0, buffer),
      );
    } catch (error) {
      const code = systemCode(error);
      if (code === "EOF") size = 0; // Windows: the writer closed the pipe
      else if (code !== "EAGAIN") throw error;
      else {
        sleepSync(1);
        continue;
      }
    }
    if (size === 0) return joinChunks(chunks);
    chunks.push(buffer.subarray(0, size));
  }
}
