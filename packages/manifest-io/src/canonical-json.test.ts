import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { canonicalJson } from "./canonical-json.ts";
import { digestBytes, digestJson, EMPTY_DIGEST } from "./digest.ts";

describe("canonicalJson()", () => {
  it("sorts keys by code point and writes no space (K-008)", () => {
    assertEquals(
      canonicalJson({ "\u{1f600}": 1, "\uffff": 2, b: [true, null], a: { d: "é", c: undefined } }),
      '{"a":{"d":"é"},"b":[true,null],"\uffff":2,"\u{1f600}":1}',
    );
  });

  it("refuses numbers that have more than one spelling (K-008)", () => {
    assertThrows(() => canonicalJson({ n: 0.5 }), TypeError, "0.5");
    assertThrows(() => canonicalJson(2 ** 53), TypeError);
    assertThrows(() => canonicalJson(NaN), TypeError);
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
