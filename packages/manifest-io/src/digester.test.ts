import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { createDigester } from "./digester.ts";

const expected = (data: Uint8Array | string) =>
  `sha256:${createHash("sha256").update(data).digest("hex")}`;
const bytes = (size: number) => Uint8Array.from({ length: size }, (_, at) => at * 7 + (at >> 8));

const LIMIT = 1000;
/** Around the ends of a block of 64 bytes, of its padding, and of what is few. */
const SIZES = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, LIMIT - 1, LIMIT, LIMIT + 1];
const TEXTS = [
  "",
  "abc",
  "größer 😀",
  "한국어".repeat(30),
  "\ud800 alone",
  "a\0b",
  "é".repeat(LIMIT),
  // Cut in two, before a pair, within one, after one, and at a half that stands alone.
  ...["😀", "a😀", "é", "\ud800a", "a\ud800", "a\udc00"].map((unit) => `${unit.repeat(1 << 20)}b`),
];

describe("createDigester", () => {
  for (const [name, limit] of [["library", Infinity], ["node:crypto", 0], ["either", LIMIT]]) {
    it(`createDigester() digests bytes and texts as node:crypto does, with ${name}`, () => {
      for (const data of [...SIZES.map(bytes), ...TEXTS]) {
        assertEquals(createDigester(Number(limit)).digestBytes(data), expected(data));
      }
    });
    it(`createDigester() goes on from a digest as often as it is asked, with ${name}`, () => {
      for (const size of SIZES) {
        const whole = bytes(size + 130),
          open = createDigester(Number(limit)).openDigest(bytes(size));
        for (const end of [size + 1, size + 64, size, size + 130]) {
          assertEquals(
            open.digestWith(whole.subarray(size, end)),
            expected(whole.subarray(0, end)),
          );
          assertEquals(open.digest, expected(bytes(size)));
        }
      }
    });
  }

  it("createDigester() changes over in the middle without a digest that differs", () => {
    const digester = createDigester(LIMIT);
    const open = digester.openDigest(bytes(100));
    for (let round = 0; round < 20; round++) {
      assertEquals(digester.digestBytes(bytes(90 + round)), expected(bytes(90 + round)));
      assertEquals(
        open.digestWith(bytes(round)),
        expected(Buffer.concat([bytes(100), bytes(round)])),
      );
    }
    assertEquals(
      digester.digestChunks([bytes(70), bytes(3)]),
      expected(Buffer.concat([bytes(70), bytes(3)])),
    );
  });

  it("createDigester() takes a view of a larger buffer for no more than it shows", () => {
    const view = bytes(300).subarray(100, 170);
    for (const limit of [0, Infinity]) {
      assertEquals(createDigester(limit).digestBytes(view), expected(Uint8Array.from(view)));
    }
  });
});
