import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { isSameJson } from "./same-json.ts";

describe("isSameJson()", () => {
  it("compares values, not the order of keys", () => {
    assertEquals(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), true);
    assertEquals(isSameJson({ a: undefined }, {}), true);
    assertEquals(isSameJson(0.1, 0.1), true);
  });

  it("tells apart what differs in value, type, length or place", () => {
    const pairs: [unknown, unknown][] = [
      [1, "1"],
      [null, undefined],
      [null, {}],
      [[], {}],
      [[1, 2], [2, 1]],
      [[1], [1, 2]],
      [{ a: 1 }, { a: 1, b: null }],
      [{ toString: 1 }, {}],
      [{}, { constructor: Object }],
    ];
    for (const [a, b] of pairs) {
      assertEquals([isSameJson(a, b), isSameJson(b, a)], [false, false], JSON.stringify([a, b]));
    }
  });
});
