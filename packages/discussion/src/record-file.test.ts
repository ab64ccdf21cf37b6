import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { checkRecords } from "./check-records.ts";
import { complete } from "./complete.ts";
import { decide } from "./decide.ts";
import { bookOf, listRecords } from "./record-book.ts";
import { readCharacters } from "./io/characters.ts";
import { openRecordFile, readRecordFile } from "./record-file.ts";
import { formatRecords } from "./records.ts";
import { closeIn, finding, openIn, row, runA, settleIn, subjectLedger } from "../testdata/world.ts";
import { randomLedger } from "../testdata/random-discussion.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

const readFile = (bytes: Uint8Array) => readRecordFile(bytes, readCharacters(bytes), "f");

/** A discussion with texts of every sort and most kinds of records. */
function smallLedger() {
  const ledger = subjectLedger();
  const texts = ['a "b" \\ c', " blank first", "two\nlines\u0001", "größer 😀", "\u202e]} C-0001"];
  for (const text of texts) {
    addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" });
  }
  openIn(ledger, runA, new Map());
  settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
  ledger.append({
    kind: "recovery",
    author: "user",
    sourceRun: "",
    fields: {
      failureId: "FL-0001",
      choice: "reduce",
      worker: "beta",
      cycleId: "R-0001",
      questionId: "",
    },
  });
  const votes = { beta: { verdict: "disagree", explanation: "No\tway" } };
  closeIn(ledger, runA, [finding("F-001", "contested", { rounds: [{ round: 1, votes }] })]);
  ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
  answer(ledger, runA, { question: "Q-0001", text: "# This" });
  decide(ledger, runA, { text: "So", settles: ["C-0001"] });
  const { recordsDigest: draftVersion } = ledger.draft;
  complete(ledger, runA, { draftVersion, contentPath: (id) => `revisions/${id}.md` });
  return ledger;
}

describe("readRecordFile", () => {
  it("readRecordFile() makes of the lines what follows from the records", () => {
    for (const ledger of [smallLedger(), randomLedger(7, 150), randomLedger(8, 150)]) {
      const { records } = ledger, bytes = bytesOf(formatRecords(records));
      const { book, lineLengths } = readFile(bytes);
      assertEquals(book.projection, bookOf(records).projection);
      assertEquals(listRecords(book), records);
      assertEquals(lineLengths().reduce((sum, length) => sum + length, 0), bytes.length);
      assertEquals(bytes, bytesOf(formatRecords(records)), "the bytes are what they were");
    }
  });

  it("readRecordFile() takes a text of millions of escapes", () => {
    const ledger = subjectLedger();
    const text = `x${"\n".repeat(4_000_000)}`;
    addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" });
    const { book } = readFile(bytesOf(formatRecords(ledger.records)));
    assertEquals(book.projection, ledger.book.projection);
  });

  it("readRecordFile() refuses bytes that are no records, though they were proven", () => {
    for (
      const text of ["x\n", "{}\n", "[1]\n", formatRecords(smallLedger().records).slice(0, -1)]
    ) {
      assertThrows(() => readFile(bytesOf(text)), OkstraError);
    }
  });
});

describe("checkRecords", () => {
  it("checkRecords() finds every changed byte, and names the line (E-121)", () => {
    const bytes = bytesOf(formatRecords(smallLedger().records.slice(0, 6)));
    let line = 1;
    for (let at = 0; at < bytes.length; at++) {
      const was = bytes[at] as number, isEnd = was === 0x0a;
      bytes[at] = was ^ 1 << at % 8;
      const { issues } = checkRecords(bytes, "f"), lines = issues.map((issue) => issue.line);
      // The digest leaves the time out; that is for the commits.
      if (issues.length > 0) {
        assert(lines.includes(line) || isEnd && lines.includes(line + 1), `${at} ${lines}`);
      } else {
        const before = new TextDecoder().decode(bytes.subarray(0, at)).split("\n").at(-1) ?? "";
        assert(/"recordedAt":"[^"]{0,19}$/.test(before), `${at} ${before}`);
      }
      bytes[at] = was;
      if (isEnd) line++;
    }
    assertEquals(checkRecords(bytes, "f").issues, []);
  });

  it("checkRecords() finds lines that were removed, doubled or swapped", () => {
    const lines = formatRecords(smallLedger().records).split("\n").slice(0, -1);
    const refuse = (changed: readonly string[]) => {
      const bytes = bytesOf(changed.map((line) => `${line}\n`).join(""));
      return checkRecords(bytes, "f").issues.map(({ line }) => line);
    };
    for (let at = 0; at < lines.length - 1; at++) {
      assertEquals(refuse(lines.toSpliced(at, 1))[0], at + 1, "removed");
      assertEquals(refuse(lines.toSpliced(at, 0, lines[at] as string))[0], at + 2, "doubled");
      const [a = "", b = ""] = lines.slice(at);
      assertEquals(refuse(lines.toSpliced(at, 2, b, a))[0], at + 1, "swapped");
    }
  });

  it("checkRecords() finds lines that somebody added by hand", () => {
    const { records } = smallLedger(), good = formatRecords(records);
    const [first = ""] = good.split("\n"), last = records.at(-1);
    const forged = { ...last, recordId: "RV-0002", previous: last?.digest };
    for (const line of ["", "{}", "x", '{"kind":"subject"}', first, JSON.stringify(forged)]) {
      const bytes = bytesOf(`${good}${line}\n`);
      assertEquals(checkRecords(bytes, "f").issues[0]?.line, records.length + 1);
    }
  });

  it("checkRecords() finds a name that is not the next one of its kind", () => {
    const { records } = smallLedger(), [line = ""] = formatRecords(records.slice(0, 1)).split("\n");
    const bytes = bytesOf(`${line.replace("S-0001", "S-0002")}\n`);
    assert(checkRecords(bytes, "f").issues.length > 0);
  });
});

describe("openRecordFile", () => {
  it("openRecordFile() loads each record from its place in the bytes", () => {
    const { records, book } = smallLedger(), bytes = bytesOf(formatRecords(records));
    const lengths = readFile(bytes).lineLengths();
    const opened = openRecordFile(bytes, "f", structuredClone(book.projection), lengths);
    assertEquals(opened.book.at(3), records[3] as never);
    assertEquals(listRecords(opened.book), records);
    assertEquals(opened.lineLengths(), lengths);
  });
});

describe("foldFact", () => {
  it("foldFact() gives the same projection, however often it was put away and taken up again", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { records, book } = randomLedger(seed, 80);
      for (const at of [0, 1, Math.floor(records.length / 2)]) {
        const { projection } = bookOf(records.slice(0, at));
        const kept = JSON.parse(JSON.stringify(projection));
        const bytes = bytesOf(formatRecords(records.slice(0, at)));
        const lengths = at === 0 ? [] : readFile(bytes).lineLengths();
        const again = openRecordFile(bytes, "f", kept, lengths).book;
        for (const record of records.slice(at)) again.append(record);
        assertEquals(again.projection, book.projection);
      }
    }
  });
});
