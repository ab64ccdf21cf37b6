import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { digestBytes, digestChunks, EMPTY_DIGEST, openDigest } from "./digest.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("digestBytes", () => {
  it("digestBytes() takes a text as its UTF-8 bytes", () => {
    assertEquals(digestBytes(""), EMPTY_DIGEST);
    assertEquals(digestBytes("größer 😀"), digestBytes(bytes("größer 😀")));
    assertEquals(
      digestBytes("abc"),
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

describe("openDigest", () => {
  it("openDigest() goes on from the same bytes as often as it is asked", () => {
    const open = openDigest(bytes("ab"));
    assertEquals(open.digest, digestBytes("ab"));
    assertEquals(open.digestWith(bytes("c")), digestBytes("abc"));
    assertEquals(open.digestWith(bytes("d")), digestBytes("abd"));
    assertEquals(open.digestWith(bytes("")), open.digest);
    assertEquals(digestChunks([bytes("ab"), bytes("d")]), open.digestWith(bytes("d")));
  });
});
