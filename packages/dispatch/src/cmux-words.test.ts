import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { formatSidebarEntry, openSurfaceWords, parseCaller, parseSurface } from "./cmux-words.ts";

describe("parseSurface()", () => {
  it("parseSurface() takes the exact name of an answer, and of nothing else (P-21)", () => {
    assertEquals(parseSurface("OK surface:100 pane:38 workspace:38\n"), "surface:100");
    assertEquals(parseSurface("OK surface:7 workspace:2"), "surface:7");
    assertEquals(parseSurface("OK pane:38 surface:7"), "surface:7");
    for (
      const answer of ["", "OK", "surface:7", "Error: surface:7", "OK surface:x", "OK xsurface:7"]
    ) {
      assertEquals(parseSurface(answer), null, answer);
    }
  });
});

describe("parseCaller()", () => {
  it("parseCaller() reads the caller, never what is focused (P-21)", () => {
    const answer = {
      caller: { workspace_id: "W", surface_ref: "surface:1", surface_id: null },
      focused: { workspace_id: "X", workspace_ref: "workspace:9", surface_id: "S" },
    };
    assertEquals(parseCaller(JSON.stringify(answer)), {
      workspaceId: "W",
      workspaceRef: "",
      surfaceId: "",
      surfaceRef: "surface:1",
    });
    for (const text of ["", "x", "null", "{}", '{"caller":null}', '{"caller":"x"}']) {
      assertEquals(parseCaller(text), null, text);
    }
  });
});

describe("openSurfaceWords()", () => {
  it("openSurfaceWords() becomes the script, whose path any shell reads as it is (P-8)", () => {
    const words = openSurfaceWords({
      workspace: "W",
      directory: "/d",
      scriptPath: "/a b'c/$(x).sh",
    });
    assertEquals(words.at(-1), "exec /bin/sh '/a b'\\''c/$(x).sh'");
    assertEquals(words.includes("send"), false);
  });
});

describe("formatSidebarEntry()", () => {
  const table: [string, Record<string, unknown>, string, string][] = [
    ["worker-dispatched", { workerId: "alpha" }, "progress", "alpha: dispatched"],
    ["worker-result-collected", { workerId: "alpha" }, "success", "alpha: result-collected"],
    ["worker-retry-scheduled", { workerId: "alpha" }, "warning", "alpha: retry-scheduled"],
    ["worker-failed", { workerId: "alpha" }, "error", "alpha: failed"],
    ["note", {}, "info", "worker: note"],
  ];
  for (const [type, details, level, text] of table) {
    it(`formatSidebarEntry() shows ${type} as ${level} (D-054)`, () => {
      const entry = formatSidebarEntry(type, details, "discussion");
      assertEquals([entry.level, entry.text], [level, text]);
      assertEquals(entry.notice !== null, type === "worker-failed");
    });
  }

  it("formatSidebarEntry() calls the user about a failure, with its reason or that there is none (D-054)", () => {
    const notice = (reason: unknown) =>
      formatSidebarEntry("worker-failed", { workerId: "alpha", reason }, "design").notice;
    assertEquals(notice("exit code 3"), {
      title: "okstra — design",
      body: "alpha: exit code 3",
    });
    assertEquals(notice(undefined)?.body, "alpha: no reason was recorded");
  });
});
