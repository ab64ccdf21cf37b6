import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { canonicalJson } from "./canonical-json.ts";
import { OkstraError } from "./errors.ts";
import { digestBytes, digestJson, EMPTY_DIGEST } from "./digest.ts";

describe("canonicalJson()", () => {
  it("sorts keys by code point and writes no space (K-008)", () => {
    assertEquals(
      canonicalJson({ "\u{1f600}": 1, "\uffff": 2, b: [true, null], a: { d: "é", c: undefined } }),
      '{"a":{"d":"é"},"b":[true,null],"\uffff":2,"\u{1f600}":1}',
    );
  });

  it("keeps that order for keys that objects list in one of their own, or hide (K-008)", () => {
    const odd = JSON.parse(
      '{"10":{"b":1,"a":2},"9":1,"__proto__":{"z":1,"y":[{"d":1,"c":2}]},"a":0}',
    );
    assertEquals(
      canonicalJson([odd, { d: 1, c: 2 }]),
      '[{"10":{"a":2,"b":1},"9":1,"__proto__":{"y":[{"c":2,"d":1}],"z":1},"a":0},{"c":2,"d":1}]',
    );
  });

  it("does not change the value, whatever in it is out of order (K-008)", () => {
    const value = { b: [{ d: 1, c: '\ud800 "\n' }, null], a: { x: true } },
      text = JSON.stringify(value);
    assertEquals(canonicalJson(value), '{"a":{"x":true},"b":[{"c":"\\ud800 \\"\\n","d":1},null]}');
    assertEquals(JSON.stringify(value), text);
    assertEquals(canonicalJson({ at: new Date(0) }), '{"at":{}}');
  });

  it("refuses what JSON cannot hold", () => {
    for (const value of [undefined, () => 0, Symbol(), 1n, [undefined], { a: [() => 0] }]) {
      assertThrows(() => canonicalJson(value), TypeError, "as JSON");
      assertThrows(() => canonicalJson({ 7: value ?? 1n }), TypeError, "as JSON");
    }
  });

  it("refuses numbers that have more than one spelling (K-008)", () => {
    assertThrows(() => canonicalJson({ n: 0.5 }), OkstraError, "0.5");
    assertThrows(() => canonicalJson(2 ** 53), OkstraError);
    assertThrows(() => canonicalJson(NaN), OkstraError);
  });
});

describe("digestBytes()", () => {
  it("is sha256: and the hexadecimal SHA-256 (K-008)", () => {
    assertEquals(digestBytes(""), EMPTY_DIGEST);
    // FIPS 180-2, appendix B.1
    assertEquals(
      digestBytes("abc"),
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    assertEquals(digestJson({ b: 1, a: 2 }), digestBytes('{"a":2,"b":1}'));
  });
});
