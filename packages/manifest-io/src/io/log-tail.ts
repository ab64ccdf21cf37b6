import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** How a log is read. */
export interface LogTailOptions {
  /** Bytes that are left out at the beginning (default 0). */
  readonly skippedBytes?: number;
  /** Longest line in bytes (default 64 KiB). */
  readonly lineBytes?: number;
  /** What becomes of a longer line: it is handed over in pieces (default), or left out. */
  readonly longLines?: "split" | "drop";
}

/** Reads the lines that are appended to a log, once each, in bounded memory. */
export class LogTail {
  readonly #path: string;
  readonly #lineBytes: number;
  readonly #isSplit: boolean;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  readonly #decoder = new TextDecoder();
  #offset: number;
  /** Of the file that was read last. */
  #inode: number | null = null;
  /** The beginning of a line whose end is not there yet. */
  #open: Uint8Array[] = [];
  #openBytes = 0;
  /** The rest of this line is left out. */
  #isDropping = false;
  #hasLeftOut = false;

  /** The file need not exist yet. */
  constructor(path: string, options: LogTailOptions = {}) {
    this.#path = path;
    this.#offset = options.skippedBytes ?? 0;
    this.#lineBytes = options.lineBytes ?? CHUNK_BYTES;
    this.#isSplit = options.longLines !== "drop";
  }

  /** Whether something was left out that stood in the log. */
  get hasLeftOut(): boolean {
    return this.#hasLeftOut;
  }

  /**
   * Hands over the lines that were completed since the last call, without their line feeds.
   *
   * @param maxBytes most bytes that are read; the rest is left for the next call
   * @returns whether something may be left to read
   */
  readLines(take: (line: string) => void, maxBytes = Infinity): boolean {
    let left = maxBytes;
    for (const bytes of this.#readChunks()) {
      this.#takeChunk(bytes, take);
      left -= bytes.length;
      if (left <= 0) return true;
    }
    return false;
  }

  /**
   * Hands over all that is left, also a last line without line feed.
   *
   * @param maxBytes if more is left, only so many bytes of the end are read, from the next line on
   */
  readRest(take: (line: string) => void, maxBytes = Infinity): void {
    this.#skipTo(maxBytes);
    this.readLines(take);
    this.#takeOpen(take);
  }

  #skipTo(maxBytes: number): void {
    const file = this.#tryOpen();
    if (file === null) return;
    try {
      const start = fstatSync(file).size - maxBytes;
      if (start <= this.#offset) return;
      this.#offset = start;
      this.#leaveOut();
    } finally {
      closeSync(file);
    }
  }

  /** Leaves out the line that is being read, up to its end. */
  #leaveOut(): void {
    [this.#open, this.#openBytes, this.#isDropping, this.#hasLeftOut] = [[], 0, true, true];
  }

  #takeChunk(bytes: Uint8Array, take: (line: string) => void): void {
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(LINE_FEED, from);
      const part = bytes.subarray(from, end < 0 ? bytes.length : end);
      from = end < 0 ? bytes.length : end + 1;
      if (!this.#isDropping) this.#append(part, take);
      if (end < 0) continue;
      if (!this.#isDropping) this.#takeLine(take);
      this.#isDropping = false;
    }
  }

  #append(part: Uint8Array, take: (line: string) => void): void {
    // The chunk is used again for the next read.
    this.#open.push(part.slice());
    this.#openBytes += part.length;
    if (this.#openBytes <= this.#lineBytes) return;
    if (this.#isSplit) this.#takeLine(take, true);
    else this.#leaveOut();
  }

  #takeOpen(take: (line: string) => void): void {
    if (this.#openBytes > 0) this.#takeLine(take);
  }

  #takeLine(take: (line: string) => void, isPiece = false): void {
    const line = new Uint8Array(this.#openBytes);
    let at = 0;
    for (const part of this.#open) {
      line.set(part, at);
      at += part.length;
    }
    [this.#open, this.#openBytes] = [[], 0];
    // A piece may end within a character.
    take(this.#decoder.decode(line, { stream: isPiece }));
  }

  *#readChunks(): Generator<Uint8Array> {
    const file = this.#tryOpen();
    if (file === null) return;
    try {
      for (;;) {
        const count = readSync(file, this.#chunk, 0, CHUNK_BYTES, this.#offset);
        if (count === 0) return;
        this.#offset += count;
        yield this.#chunk.subarray(0, count);
      }
    } finally {
      closeSync(file);
    }
  }

  /** `null`: it is not there, or not to be read. */
  #tryOpen(): number | null {
    let file: number;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return null;
    }
    // Another file took the place of the log, as for the next attempt; a longer one is known by its inode alone.
    const { ino, size } = fstatSync(file);
    if (size < this.#offset || (this.#inode !== null && ino !== this.#inode)) {
      [this.#offset, this.#open, this.#openBytes, this.#isDropping] = [0, [], 0, false];
    }
    this.#inode = ino;
    return file;
  }
}
