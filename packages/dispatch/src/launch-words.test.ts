import { describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import { claimPaths } from "@okstra/manifest-io/run-names";
import { parseClaim } from "./launch-words.ts";

describe("parseClaim()", () => {
  it("parseClaim() reads who started, and that nobody will (P-17)", () => {
    assertEquals(parseClaim("4242 998877\n"), {
      kind: "started",
      pid: 4242,
      startTime: "998877",
      surface: "",
    });
    assertEquals(parseClaim("4242 998877\n5A1F-4\n"), {
      kind: "started",
      pid: 4242,
      startTime: "998877",
      surface: "5A1F-4",
    });
    assertEquals(parseClaim("4242 Sat Jan  3 10:00:00 2026\n"), {
      kind: "started",
      pid: 4242,
      startTime: "Sat Jan  3 10:00:00 2026",
      surface: "",
    });
    assertEquals(parseClaim("4242 \n\n"), {
      kind: "started",
      pid: 4242,
      startTime: null,
      surface: "",
    });
    assertEquals(parseClaim("4242 1\n--odd; id\n"), {
      kind: "started",
      pid: 4242,
      startTime: "1",
      surface: "",
    });
    assertEquals(parseClaim("withdrawn\n"), { kind: "withdrawn" });
    for (const text of ["", "\n", "x", "-1 2", "12345678901 1"]) {
      assertEquals(parseClaim(text).kind, "unreadable", text);
    }
  });
});

describe("claimPaths()", () => {
  it("claimPaths() gives every attempt and every launch of it a claim of its own (P-15)", () => {
    const all = [...claimPaths("/p/a.md", 1), ...claimPaths("/p/a.md", 2)];
    assertEquals(new Set(all).size, 4);
    assertNotEquals(claimPaths("/p/a.md", 1)[0], claimPaths("/p/b.md", 1)[0]);
  });
});
