import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { digestBytes } from "@okstra/manifest-io/digest";
import { anchorOf, findAnchorFault, isAnchorOf, isProven } from "./anchor.ts";
import { bookOf } from "./record-book.ts";
import { materialsAt } from "../testdata/world.ts";

const all = materialsAt(1, 2, 3, 4, 5);
const files = { records: digestBytes("records"), commits: digestBytes("commits") };
const anchorAt = (count: number) => {
  const anchor = anchorOf(bookOf(all.slice(0, count)), files, null);
  if (anchor === null) throw new Error("there are records");
  return anchor;
};

describe("anchorOf", () => {
  it("anchorOf() is the anchor of just these records", () => {
    const book = bookOf(all), anchor = anchorAt(5);
    assertEquals(isAnchorOf(anchor, book), true);
    assertEquals(isAnchorOf(anchorAt(4), book), false);
    assertEquals(isAnchorOf({ ...anchor, at: "2031-01-31T09:05:00Z" }, book), false);
    assertEquals(isAnchorOf({ ...anchor, recordsDigest: files.records }, book), false);
    assertEquals(anchorOf(bookOf([]), files, null), null);
  });

  it("anchorOf() keeps the fields that it does not know of the anchor before", () => {
    const before = { ...anchorAt(4), note: "x", files: { ...files, records: "old", more: 1 } };
    const { recordCount, recordsDigest, at } = anchorAt(5);
    assertEquals(anchorOf(bookOf(all), files, before) as unknown, {
      recordCount,
      recordsDigest,
      at,
      files: { ...files, more: 1 },
      note: "x",
    });
  });
});

describe("isProven", () => {
  it("isProven() takes the bytes that the anchor tells of and no others", () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const anchor = anchorAt(5), { records } = files;
    assertEquals(isProven(anchor, records, bytes("commits")), true);
    assertEquals(isProven(anchor, records, null), true);
    assertEquals(isProven(anchor, records, bytes("commit")), false);
    assertEquals(isProven(anchor, digestBytes("x"), bytes("commits")), false);
    const { files: _files, ...old } = anchor;
    assertEquals([isProven(old, records, null), isProven(null, records, null)], [false, false]);
  });
});

describe("findAnchorFault", () => {
  it("findAnchorFault() finds nothing while the anchored records are what they were", () => {
    for (const count of [1, 3, 5]) assertEquals(findAnchorFault(all, anchorAt(count)), null);
  });

  it("findAnchorFault() names the first line that is missing and the last that is left", () => {
    assertEquals(findAnchorFault(all.slice(0, 3), anchorAt(5)), {
      line: 4,
      message: "the record is cut: it has 3 of 5 records, and ends with M-0003",
    });
    assertEquals(findAnchorFault([], anchorAt(5))?.line, 1);
  });

  it("findAnchorFault() names the record that has another digest or another time", () => {
    const other = { ...anchorAt(4), recordsDigest: all[0]?.digest ?? "" };
    assertEquals(findAnchorFault(all, other)?.line, 4);
    assertEquals(findAnchorFault(all, other)?.message.includes("M-0004"), true);
    const late = { ...anchorAt(5), at: "2031-01-31T09:06:00Z" };
    assertEquals(findAnchorFault(all, late)?.line, 5);
  });
});
