import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { addMaterial } from "./add-material.ts";
import { anchorOf, findAnchorFault, findBookFault } from "./anchor.ts";
import { openLedger } from "./ledger.ts";
import { bookOf } from "./record-book.ts";
import { addTime, findChangedPlace, NO_TIMES, type TimeSums } from "./time-sums.ts";
import { runA } from "../testdata/world.ts";

/** Some records of different times. */
function records(count = 5): readonly DiscussionRecord[] {
  let all: readonly DiscussionRecord[] = [];
  for (let i = 0; i < count; i++) {
    const ledger = openLedger(all, `2026-01-31T09:05:1${i}Z`);
    const text = `material ${i}`;
    addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" });
    all = ledger.records;
  }
  return all;
}

const anchorAt = (all: readonly DiscussionRecord[], count: number) => {
  const anchor = anchorOf(bookOf(all.slice(0, count)));
  if (anchor === null) throw new Error("there are records");
  return anchor;
};

describe("findAnchorFault", () => {
  it("findAnchorFault() finds nothing while the anchored records are what they were", () => {
    const all = records();
    for (const count of [1, 3, 5]) {
      assertEquals(findAnchorFault(all, anchorAt(all, count)), null);
      assertEquals(findBookFault(bookOf(all), anchorAt(all, count)), null);
    }
  });

  it("findAnchorFault() names the first line that is missing and the last that is left", () => {
    const all = records(), anchor = anchorAt(all, 5);
    const fault = {
      line: 4,
      message: "the record is cut: it has 3 of 5 records, and ends with M-0003",
    };
    assertEquals(findAnchorFault(all.slice(0, 3), anchor), fault);
    assertEquals(findBookFault(bookOf(all.slice(0, 3)), anchor), fault);
    assertEquals(findAnchorFault([], anchor)?.line, 1);
  });

  it("findAnchorFault() names the record that has another digest", () => {
    const all = records(), anchor = { ...anchorAt(all, 4), recordsDigest: all[0]?.digest ?? "" };
    assertEquals(findAnchorFault(all, anchor)?.line, 4);
    assertEquals(findAnchorFault(all, anchor)?.message.includes("M-0004"), true);
  });

  it("findAnchorFault() names the one record whose time was changed, which no digest covers", () => {
    const all = records(), anchor = anchorAt(all, 5);
    for (let place = 0; place < 5; place++) {
      const changed = all.map((record, at) =>
        at === place ? { ...record, recordedAt: "2026-01-31T09:06:00Z" } : record
      );
      const fault = findBookFault(bookOf(changed), anchor);
      assertEquals(fault?.line, place + 1);
      assertEquals(fault?.message.includes(`M-000${place + 1}`), true);
    }
  });

  it("findAnchorFault() tells that several times were changed, or the anchor itself", () => {
    const all = records(), anchor = anchorAt(all, 5);
    const changed = all.map((record, at) =>
      at % 2 === 0 ? { ...record, recordedAt: "2026-01-31T09:06:00Z" } : record
    );
    assertEquals(findAnchorFault(changed, anchor)?.line, null);
    const sums = [(anchor.timeSums?.[0] ?? 0) + 1, anchor.timeSums?.[1] ?? 0] as [number, number];
    assertEquals(findAnchorFault(all, { ...anchor, timeSums: sums })?.line, null);
    const late = { ...anchor, at: "2031-01-31T09:06:00Z" };
    assertEquals(findAnchorFault(all, late)?.line, 5);
  });
});

describe("findChangedPlace", () => {
  it("findChangedPlace() finds every single changed digit of every time", () => {
    const times = Array.from(
      { length: 40 },
      (_, i) => `20${10 + i}-1${i % 3}-0${i % 9}T0${i % 9}:1${i % 9}:2${i % 9}Z`,
    );
    const sum = (all: readonly string[]) =>
      all.reduce<TimeSums>((sums, time, at) => addTime(sums, time, at + 1), NO_TIMES);
    const told = sum(times);
    for (const [place, time] of times.entries()) {
      for (let at = 0; at < time.length; at++) {
        const digit = Number(time[at]);
        if (Number.isNaN(digit)) continue;
        const other = time.slice(0, at) + (digit + 1) % 10 + time.slice(at + 1);
        assertEquals(findChangedPlace(told, sum(times.with(place, other)), 40), place + 1);
      }
    }
    assertEquals(findChangedPlace(told, told, 40), null);
  });
});
