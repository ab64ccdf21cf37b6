import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { StoreFacts } from "./check-store.ts";
import { lookTwice } from "./io/store-facts.ts";

const facts = (text: string): StoreFacts => ({
  records: new TextEncoder().encode(text),
  commits: null,
  anchor: null,
  paths: { records: "r", commits: "c", anchor: "a" },
});

/** Looks at files that are other ones each time; returns what was found and how many were read. */
function look(...texts: readonly string[]) {
  let reads = 0;
  const found = lookTwice(
    () => facts(texts[Math.min(reads++, texts.length - 1)] ?? ""),
    ({ records }) => new TextDecoder().decode(records ?? undefined),
    (text) => text.startsWith("good"),
  );
  return [found, reads];
}

describe("lookTwice", () => {
  it("lookTwice() looks once if what it finds is good", () => {
    assertEquals(look("good", "bad"), ["good", 1]);
  });

  it("lookTwice() looks again as long as commits come in between", () => {
    assertEquals(look("bad 1", "bad 2", "good"), ["good", 3]);
  });

  it("lookTwice() tells of damage, which stays", () => {
    assertEquals(look("bad"), ["bad", 2]);
    assertEquals(look("bad 1", "bad 2"), ["bad 2", 3]);
  });
});
