import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { COMMON_FIELDS, RECORD_KINDS, recordFieldNames } from "./discussion-record.ts";

const FIXTURE = new URL(
  "../../testdata/discussion-record/good-every-kind.jsonl",
  import.meta.url,
);

describe("recordFieldNames()", () => {
  it("names the fields of each kind in the order in which they are written", () => {
    const records = readFileSync(FIXTURE, "utf8").trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    assertEquals(records.map(({ kind }) => kind), [...RECORD_KINDS]);
    for (const record of records) {
      const own = Object.keys(record).filter((name) => !COMMON_FIELDS.includes(name));
      assertEquals(own, [...recordFieldNames(record.kind)]);
    }
  });
});
