import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { cutText } from "./cut-text.ts";

const encoder = new TextEncoder();

describe("cutText()", () => {
  it("returns parts whose bytes are those of the text", () => {
    // In two at least, before a pair, within one, after one, and at a half that stands alone.
    for (const unit of ["😀", "a😀", "é", "\ud800a", "a\ud800", "a\udc00", "x"]) {
      const text = `${unit.repeat(1 << 20)}b`, parts = [...cutText(text)];
      assert(parts.length > 1 && parts.every((part) => part !== ""), unit);
      const bytes = parts.map((part) => encoder.encode(part)), whole = encoder.encode(text);
      let at = 0;
      for (const each of bytes) {
        assert(each.every((byte, i) => byte === whole[at + i]), unit);
        at += each.length;
      }
      assertEquals(at, whole.length);
    }
  });

  it("returns short texts as they are, and nothing of an empty one", () => {
    assertEquals([[...cutText("")], [...cutText("a\ud800")]], [[], ["a\ud800"]]);
  });
});
