import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { supersederOf } from "./superseder.ts";

describe("supersederOf()", () => {
  it("names the dispatch that does the work of a rejected one", () => {
    const link = { dispatchId: "a", resultPath: "r.md" };
    const rejected = { ...link, supersededBy: " b ", rejectionReason: "x" };
    assertEquals(supersederOf([rejected], "a"), "b");
    for (const links of [[link], [rejected, link], [{ ...rejected, dispatchId: "c" }], undefined]) {
      assertEquals(supersederOf(links, "a"), null);
    }
  });
});
