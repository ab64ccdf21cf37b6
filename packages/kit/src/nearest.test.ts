import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { nearest } from "./nearest.ts";

const known = ["--run-manifest", "--worker", "--if-revision", "--lock-timeout"];

describe("nearest()", () => {
  it("finds a word with a letter wrong, missing, added or swapped", () => {
    for (const word of ["--warker", "--woker", "--workerr", "--wokrer", "--Worker"]) {
      assertEquals(nearest(word, known), "--worker");
    }
  });

  it("finds the only word that begins so", () => {
    assertEquals(nearest("--run", known), "--run-manifest");
    assertEquals(nearest("--l", known), "--lock-timeout");
  });

  it("finds nothing if all are far or several begin so", () => {
    assertEquals(nearest("--banana", known), undefined);
    assertEquals(nearest("s", ["set", "show"]), undefined);
    assertEquals(nearest("-", known), undefined);
  });
});
