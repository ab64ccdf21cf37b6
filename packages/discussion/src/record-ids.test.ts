import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { formatRecordId, parseRecordId } from "./record-ids.ts";

describe("parseRecordId()", () => {
  it("parseRecordId() takes the names that formatRecordId() gives, and nothing else", () => {
    for (const number of [1, 9999, 10_000]) {
      assertEquals(parseRecordId(formatRecordId("claim", number)), { kind: "claim", number });
    }
    for (const id of ["C-0000", "C-00001", "C-1", "X-0001", "c-0001", "C-0001 ", ""]) {
      assertEquals(parseRecordId(id), null, id);
    }
  });
});
