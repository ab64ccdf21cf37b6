import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "./errors.ts";
import { parseWritePolicy } from "./parse-write-policy.ts";
import { buildWriteContract } from "./write-policy.ts";

describe("parseWritePolicy()", () => {
  it("takes what a write contract holds, read back from JSON (T-042)", () => {
    for (const worktree of ["", "/w"]) {
      const { writePolicy } = buildWriteContract({
        role: "executor",
        projectRoot: "/p",
        worktree,
        artifactPaths: ["/p/b", "/p/a"],
        precision: "none",
        isSandboxed: false,
      });
      assertEquals(parseWritePolicy("i", JSON.parse(JSON.stringify(writePolicy))), writePolicy);
    }
  });

  it("refuses everything else with every problem at once (T-042)", () => {
    for (const value of [null, 7, [], {}]) {
      assertThrows(() => parseWritePolicy("i-1", value), OkstraError, "write policy of i-1");
    }
    const bad = { role: "x", projectRoot: "", sourcePolicy: { allowedRoot: 1 } };
    const error = assertThrows(() => parseWritePolicy("i", bad), OkstraError);
    assertEquals(error.issues.map((issue) => issue.pointer), [
      "/writePolicy/projectRoot",
      "/writePolicy/sourcePolicy/allowedRoot",
      "/writePolicy/sourcePolicy/plannedPaths",
      "/writePolicy/sourcePolicy/plannedPathsDeclared",
      "/writePolicy/artifactPaths",
      "/writePolicy/auxiliaryRoots",
      "/writePolicy/precision",
    ]);
  });
});
