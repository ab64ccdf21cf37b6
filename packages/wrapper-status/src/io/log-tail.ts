import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 64 * 1024;

/** Reads the lines that are appended to a log, once each. */
export class LogTail {
  readonly #path: string;
  readonly #decoder = new TextDecoder();
  #offset: number;
  #open = "";

  /** Begins after the first `skippedBytes`; the file need not exist yet. */
  constructor(path: string, skippedBytes = 0) {
    this.#path = path;
    this.#offset = skippedBytes;
  }

  /** Hands over the lines that were completed since the last call, without their line feeds. */
  readLines(take: (line: string) => void): void {
    for (const text of this.#readChunks()) {
      const lines = (this.#open + this.#decoder.decode(text, { stream: true })).split("\n");
      this.#open = lines.pop()!;
      for (const line of lines) take(line);
      // Nobody needs to see a line of this length as one.
      if (this.#open.length > CHUNK_BYTES) this.#takeOpen(take);
    }
  }

  /** Hands over all that is left, also a last line without line feed. */
  readRest(take: (line: string) => void): void {
    this.readLines(take);
    this.#open += this.#decoder.decode();
    this.#takeOpen(take);
  }

  #takeOpen(take: (line: string) => void): void {
    if (this.#open !== "") take(this.#open);
    this.#open = "";
  }

  *#readChunks(): Generator<Uint8Array> {
    let file: number;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return; // not written yet
    }
    try {
      const chunk = new Uint8Array(CHUNK_BYTES);
      for (;;) {
        const count = readSync(file, chunk, 0, chunk.length, this.#offset);
        if (count === 0) return;
        this.#offset += count;
        yield chunk.subarray(0, count);
      }
    } finally {
      closeSync(file);
    }
  }
}
