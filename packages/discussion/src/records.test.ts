import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import { RECORD_KINDS } from "@okstra/manifest-io/schemas/discussion-record";
import { createHash } from "node:crypto";
import { addMaterial } from "./add-material.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { openLedger } from "./ledger.ts";
import { checkRecords } from "./check-records.ts";
import { nextRecordId } from "./record-book.ts";
import { formatRecordId } from "./record-ids.ts";
import { formatRecords } from "./records.ts";
import { runA, subjectLedger } from "../testdata/world.ts";

const bytes = (content: string) => new TextEncoder().encode(content);

function threeRecords(now = "2026-01-31T09:05:00Z") {
  const ledger = openLedger([], now);
  confirmSubject(ledger, runA, { subject: "src", question: "Which faults?" });
  for (const text of ["one", "two"]) {
    addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" });
  }
  return ledger.records;
}

/** What is wrong with a record file; fails if nothing is. */
function refuse(content: string | Uint8Array) {
  const read = typeof content === "string" ? bytes(content) : content;
  const { issues } = checkRecords(read, "records.jsonl");
  assert(issues.length > 0);
  return { issues, message: issues.map(({ line, message }) => `line ${line}: ${message}`).join() };
}

describe("checkRecords", () => {
  it("checkRecords() reads back what formatRecords() wrote", () => {
    const records = threeRecords();
    const { issues, lines } = checkRecords(bytes(formatRecords(records)), "f");
    assertEquals([issues, lines], [[], records]);
  });

  it("checkRecords() refuses a record of which one character was changed, and names it (E-121)", () => {
    const error = refuse(formatRecords(threeRecords()).replace('"text":"one"', '"text":"ono"'));
    assertStringIncludes(error.message, "line 2: M-0001 was changed");
    assertEquals(error.issues.map(({ line }) => line), [2]);
  });

  it("checkRecords() refuses a line that says the same in other bytes (E-121)", () => {
    const content = formatRecords(threeRecords());
    const others = [
      content.replace('"kind":', '"kind": '),
      content.replace('"text":"one"', '"text":"forged","text":"one"'),
      content.replace('"text":"one"', '"text":"\\u006fne"'),
    ];
    for (const other of others) assertStringIncludes(refuse(other).message, "was changed");
  });

  it("checkRecords() refuses a record that was taken out", () => {
    const lines = formatRecords(threeRecords()).split("\n");
    const error = refuse([lines[0], lines[2], ""].join("\n"));
    assertStringIncludes(error.message, "line 2: M-0002 does not follow S-0001");
  });

  it("checkRecords() refuses a line without an end (E-122)", () => {
    const error = refuse(formatRecords(threeRecords()).slice(0, -20));
    assertEquals(error.issues.map(({ line }) => line), [3]);
    assertStringIncludes(error.message, "cut");
  });

  it("checkRecords() refuses a file that only lacks its last line end (E-122)", () => {
    assertStringIncludes(refuse(formatRecords(threeRecords()).slice(0, -1)).message, "cut");
  });

  it("checkRecords() refuses an empty file", () => {
    assertStringIncludes(refuse("").message, "empty");
  });

  it("checkRecords() refuses an unknown kind and an unknown version (C.1)", () => {
    const [line = ""] = formatRecords(threeRecords()).split("\n");
    const kind = refuse(`${line.replace('"kind":"subject"', '"kind":"rumour"')}\n`);
    assertStringIncludes(kind.message, "/kind");
    const version = refuse(`${line.replace('"schemaVersion":"1.0"', '"schemaVersion":"9"')}\n`);
    assertStringIncludes(version.message, "/schemaVersion");
  });

  it("checkRecords() refuses a record that is there twice", () => {
    const [line = ""] = formatRecords(threeRecords()).split("\n");
    const { issues } = checkRecords(bytes(`${line}\n${line}\n`), "f");
    assertEquals(issues.map(({ message }) => message), [
      "S-0001 is there twice",
      "S-0001 does not follow S-0001",
    ]);
  });

  it("checkRecords() lists the problems of all lines", () => {
    const lines = formatRecords(threeRecords()).split("\n");
    const { issues } = checkRecords(bytes(["{", "[]", lines[2], ""].join("\n")), "f");
    assertEquals(issues.map(({ line }) => line), [1, 2]);
  });

  it("checkRecords() refuses bytes that are no UTF-8", () => {
    assertStringIncludes(refuse(new Uint8Array([0xff, 0x0a])).message, "not UTF-8");
  });
});

describe("digestRecords", () => {
  it("digestRecords() is the digest of no bytes for an empty record (E-111)", () => {
    assertEquals(openLedger([], "2026-01-31T09:05:00Z").draft.recordsDigest, EMPTY_DIGEST);
  });

  it("digestRecords() is the same for the same facts at different times (E-124)", () => {
    const early = threeRecords("2026-01-31T09:05:00Z"), late = threeRecords("2031-12-31T23:59:59Z");
    assertEquals(early.at(-1)?.digest, late.at(-1)?.digest);
  });

  it("digestRecords() changes with the order of the facts", () => {
    const swapped = openLedger([], "2026-01-31T09:05:00Z");
    confirmSubject(swapped, runA, { subject: "src", question: "Which faults?" });
    for (const text of ["two", "one"]) {
      addMaterial(swapped, runA, { kind: "evidence", text, author: "user", location: "" });
    }
    assertEquals(swapped.draft.recordsDigest === threeRecords().at(-1)?.digest, false);
  });
});

describe("sealRecord", () => {
  it("sealRecord() chains records by the digest of their canonical facts, without the clock (C.3)", () => {
    let before = EMPTY_DIGEST;
    for (const record of threeRecords()) {
      const { digest, recordedAt: _recordedAt, ...facts } = record;
      const sorted = Object.entries(facts).sort(([a], [b]) => a < b ? -1 : 1);
      const content = JSON.stringify(Object.fromEntries(sorted));
      const hex = createHash("sha256").update(content).digest("hex");
      assertEquals([record.previous, digest], [before, `sha256:${hex}`]);
      before = digest;
    }
  });
});

describe("formatRecordId", () => {
  it("formatRecordId() names records of every kind, with four digits or more (C.3)", () => {
    const firsts = RECORD_KINDS.map((kind) => formatRecordId(kind, 1));
    const prefixes = "S R RS FL RC C CL Q A M D DR RV RO".split(" ");
    assertEquals([...firsts].sort(), prefixes.map((prefix) => `${prefix}-0001`).sort());
    assertEquals(formatRecordId("cycle", 12345), "R-12345");
    assertEquals(formatRecordId("failure", 12), "FL-0012");
  });
});

describe("nextRecordId", () => {
  it("nextRecordId() counts the records of that kind from 1", () => {
    const { book } = subjectLedger();
    assertEquals(nextRecordId(book, "subject"), "S-0002");
    assertEquals(nextRecordId(book, "cycle"), "R-0001");
  });
});
