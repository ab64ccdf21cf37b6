import { describe, it } from "node:test";
import { appendFileSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { LogTail } from "./io/log-tail.ts";

function withBench(body: (bench: { at(name: string): string }) => void): void {
  const directory = mkdtempSync(join(tmpdir(), "okstra-tail-"));
  body({ at: (name) => join(directory, name) });
}

describe("LogTail", () => {
  it("hands over each line once, however its bytes arrive", () =>
    withBench(({ at }) => {
      const lines: string[] = [], take = (line: string) => lines.push(line);
      const tail = new LogTail(at("log"));
      tail.readLines(take);
      const bytes = new TextEncoder().encode("one\nzwölf\n\nlast");
      for (const byte of bytes) {
        appendFileSync(at("log"), new Uint8Array([byte]));
        tail.readLines(take);
      }
      assertEquals(lines, ["one", "zwölf", ""]);
      tail.readRest(take);
      tail.readRest(take);
      assertEquals(lines, ["one", "zwölf", "", "last"]);
    }));

  it("leaves out what stood there before, and cuts a line without end", () =>
    withBench(({ at }) => {
      writeFileSync(at("log"), "old\n");
      const lines: string[] = [], tail = new LogTail(at("log"), { skippedBytes: 4 });
      appendFileSync(at("log"), "x".repeat(200_000));
      tail.readLines((line) => lines.push(line));
      tail.readRest((line) => lines.push(line));
      assertEquals(lines.join(""), "x".repeat(200_000));
      assertEquals(lines.length > 1, true);
    }));

  it("does not break a character where it cuts a line", () =>
    withBench(({ at }) => {
      const lines: string[] = [], tail = new LogTail(at("log"), { lineBytes: 10 });
      writeFileSync(at("log"), `${"zwölf€𝄞".repeat(50)}\nnext\n`);
      tail.readLines((line) => lines.push(line));
      assertEquals(lines.join(""), `${"zwölf€𝄞".repeat(50)}next`);
      assertEquals(lines.at(-1), "next");
    }));

  it("leaves out lines that are too long, if it is told to, and finds the next one", () =>
    withBench(({ at }) => {
      const lines: string[] = [];
      const tail = new LogTail(at("log"), { lineBytes: 1000, longLines: "drop" });
      writeFileSync(at("log"), `a\n${"x".repeat(1001)}\nb\n${"y".repeat(300_000)}`);
      tail.readLines((line) => lines.push(line));
      appendFileSync(at("log"), `\n${"z".repeat(1000)}\n`);
      tail.readRest((line) => lines.push(line));
      assertEquals(lines, ["a", "b", "z".repeat(1000)]);
    }));

  it("begins anew where another file took the place of the log", () =>
    withBench(({ at }) => {
      const lines: string[] = [], tail = new LogTail(at("log"));
      writeFileSync(at("log"), "a long first line\nhalf");
      tail.readLines((line) => lines.push(line));
      writeFileSync(at("log"), "second\n");
      tail.readRest((line) => lines.push(line));
      assertEquals(lines, ["a long first line", "second"]);
    }));

  it("knows another file by more than its size", () =>
    withBench(({ at }) => {
      const lines: string[] = [], tail = new LogTail(at("log"));
      writeFileSync(at("log"), "first\nhalf");
      tail.readLines((line) => lines.push(line));
      renameSync(at("log"), at("log.before-1"));
      writeFileSync(at("log"), "second, which is longer\nthird\n");
      tail.readLines((line) => lines.push(line));
      assertEquals(lines, ["first", "second, which is longer", "third"]);
    }));

  it("reads no more at once than it is told to, and nothing twice", () =>
    withBench(({ at }) => {
      const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}`);
      writeFileSync(at("log"), `${text.join("\n")}\n`);
      const lines: string[] = [], tail = new LogTail(at("log"));
      const counts: number[] = [];
      for (let isMore = true; isMore;) {
        isMore = tail.readLines((line) => lines.push(line), 300_000);
        counts.push(lines.length);
      }
      assertEquals(lines, text);
      assertEquals(counts.length > 3, true);
    }));

  it("goes to the end of what is too much, and begins there with a whole line", () =>
    withBench(({ at }) => {
      const text = Array.from({ length: 1000 }, (_, i) => `line ${String(i).padStart(4, "0")}`);
      writeFileSync(at("log"), `${text.join("\n")}\n`);
      const lines: string[] = [], tail = new LogTail(at("log"));
      tail.readRest((line) => lines.push(line), 25);
      assertEquals(lines, ["line 0998", "line 0999"]);
      tail.readRest((line) => lines.push(line), 25);
      assertEquals(lines.length, 2);
    }));
});
