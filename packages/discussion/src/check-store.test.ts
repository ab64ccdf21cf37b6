import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { digestBytes } from "@okstra/manifest-io/digest";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { anchorOf } from "./anchor.ts";
import { checkStore, type StoreFacts } from "./check-store.ts";
import { formatCommit, listCommits } from "./commits.ts";
import { bookOf } from "./record-book.ts";
import { formatRecords } from "./records.ts";
import { materialsAt } from "../testdata/world.ts";

const paths = { records: "records", commits: "commits", anchor: "anchor" };
const encode = (text: string) => new TextEncoder().encode(text);
// Four commits; the third made two records.
const all = materialsAt(1, 2, 3, 3, 5);
const commitLines = listCommits(all).map(formatCommit);

/** A store of which each file knows of so many records or commits; null: there is no such file. */
function storeOf(
  records: readonly DiscussionRecord[] | null,
  commits: number | null,
  anchored: number | null,
): StoreFacts {
  const log = (count: number) => commitLines.slice(0, count).join("");
  const known = all.slice(0, anchored ?? 0);
  return {
    records: records === null ? null : encode(formatRecords(records)),
    commits: commits === null ? null : encode(log(commits)),
    anchor: anchorOf(bookOf(known), {
      records: digestBytes(formatRecords(known)),
      commits: digestBytes(listCommits(known).map(formatCommit).join("")),
    }, null),
    paths,
  };
}

/** Where something is wrong: file, line and the record or the beginning of the message. */
function judge(facts: StoreFacts) {
  const { integrity, completeness } = checkStore(facts);
  const tell = (issues: typeof integrity) =>
    issues.map(({ file, line, message }) =>
      `${file}:${line ?? ""} ${message.split(/ was | is | \(/)[0]}`
    );
  return [...tell(integrity), ...tell(completeness)];
}

const changed = (places: readonly number[], field: string) =>
  all.map((record, place) =>
    places.includes(place)
      ? { ...record, [field]: String((record as never)[field]).replace("2026", "1999") }
      : record
  );

describe("checkStore", () => {
  it("checkStore() takes every state that a commit can be killed in", () => {
    const states: readonly Parameters<typeof storeOf>[] = [
      [null, null, null], // before the first announcement
      [null, 1, null], // announced
      [all.slice(0, 1), 1, null], // written
      [all.slice(0, 1), 1, 1], // anchored
      [all.slice(0, 2), 3, 2], // announced, two records of one commit
      [all.slice(0, 4), 3, 2], // written
      [all.slice(0, 4), 3, 4],
      [all.slice(0, 4), 4, 4], // the next one announced
      [all, 4, 1],
      [all, 4, null], // a lost anchor, which the commits make up for
    ];
    for (const state of states) assertEquals(judge(storeOf(...state)), [], JSON.stringify(state));
  });

  it("checkStore() counts the commits whose records are there", () => {
    const length = (count: number) => encode(commitLines.slice(0, count).join("")).length;
    assertEquals(checkStore(storeOf(all.slice(0, 2), 3, 2)).commitsLength, length(2));
    assertEquals(checkStore(storeOf(all, 4, 5)).commitsLength, length(4));
    assertEquals(checkStore(storeOf(null, 1, null)).commitsLength, 0);
  });

  it("checkStore() takes a store without commits if its anchor knows all of it", () => {
    assertEquals(judge(storeOf(all, null, 5)), []);
    const { anchor, ...rest } = storeOf(all, null, 5);
    const { files: _files, ...old } = anchor as NonNullable<typeof anchor>;
    assertEquals(judge({ ...rest, anchor: old }), []);
  });

  it("checkStore() finds good lines that no commit announced, each with its record", () => {
    assertEquals(judge(storeOf(all, 2, 2)), [
      "records:3 M-0003",
      "records:4 M-0004",
      "records:5 M-0005",
    ]);
    assertEquals(judge(storeOf(all, 1, null)).length, 4);
    assertEquals(judge(storeOf(all, null, 4)), ["records:5 M-0005"]);
    assertEquals(judge(storeOf(all, null, null))[0]?.startsWith("records:1 neither"), true);
    // A part of what was announced, and more than was announced.
    assertEquals(judge(storeOf(all.slice(0, 3), 3, 2)), ["records:4 the record"]);
    assertEquals(judge(storeOf(all, 3, 2)), ["records:5 M-0005"]);
    assertEquals(judge(storeOf(all, 3, 4)), ["records:5 M-0005"]);
  });

  it("checkStore() refuses other records than those that were announced", () => {
    const other = [...all.slice(0, 2), ...materialsAt(1, 2, 3, 3, 5).slice(2, 3)];
    const forged = materialsAt(1, 2, 4).slice(0, 3); // the same facts at another time
    assertEquals(judge(storeOf(other, 3, 2)).length > 0, true);
    assertEquals(judge(storeOf(forged, 3, 2)).length > 0, true);
  });

  it("checkStore() names each record whose time was changed, however many", () => {
    assertEquals(judge(storeOf(changed([0, 2, 3], "recordedAt"), 4, 5)), [
      "records:1 M-0001",
      "records:3 M-0003",
      "records:4 M-0004",
    ]);
    // Without commits a change is noticed, if not where.
    assertEquals(judge(storeOf(changed([0, 2], "recordedAt"), null, 5)), [
      "anchor: a time in the first 5 lines of records",
    ]);
  });

  it("checkStore() names what is cut", () => {
    assertEquals(judge(storeOf(all.slice(0, 2), 4, 2)), ["records:3 the record"]);
    assertEquals(judge(storeOf(null, 4, 5)).length, 2);
    assertEquals(judge(storeOf(null, 4, null)), ["records:1 the record"]);
    // As if the last commit had been killed, but every commit begins with an anchor of all records before it.
    assertEquals(judge(storeOf(all.slice(0, 4), 4, null)), ["records:5 the record"]);
    assertEquals(judge(storeOf(all.slice(0, 4), 4, 2)), ["records:5 the record"]);
    // The commits themselves: all records are there, but not all announcements.
    assertEquals(judge(storeOf(all.slice(0, 4), 2, 4)), ["records:3 M-0003", "records:4 M-0004"]);
  });

  it("checkStore() names the line of the commits that is none", () => {
    const facts = storeOf(all, 4, 5);
    const withCommits = (text: string) => judge({ ...facts, commits: encode(text) });
    const good = commitLines.join("");
    assertEquals(withCommits(good.replace('"at":', '"at": ')).slice(0, 1), ["commits:1 the line"]);
    assertEquals(withCommits(good.slice(0, -1)).slice(0, 1), ["commits:4 the line has no end"]);
    assertEquals(withCommits("").slice(0, 1), ["commits: the file"]);
    assertEquals(withCommits(commitLines.toReversed().join(""))[0]?.startsWith("commits:2"), true);
    assertEquals(withCommits(good.replace('Count":1', 'Count":2')).length > 0, true);
  });

  it("checkStore() finds every changed byte of the commits", () => {
    const facts = storeOf(all, 4, 5), commits = facts.commits as Uint8Array;
    for (let at = 0; at < commits.length; at++) {
      const other = Uint8Array.from(commits);
      other[at] = (commits[at] ?? 0) ^ 1 << at % 8;
      assertEquals(judge({ ...facts, commits: other }).length > 0, true, String(at));
    }
  });
});
