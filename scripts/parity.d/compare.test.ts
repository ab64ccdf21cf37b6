import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blank, listDifferences, readTree } from "./compare.ts";

/** The bytes of a text, a character each. */
const bytes = (text: string) => Buffer.from(text).toString("latin1");

describe("blank()", () => {
  it("hides what belongs to one process, and nothing else", () => {
    const text = (pid: number, host: string, program: string, exit: number) =>
      JSON.stringify(
        { pid, child: { host, startTime: String(pid) }, argv: [program, "x"], exitCode: exit },
        null,
        2,
      );
    assertEquals(blank(text(1, 'a"b', "/a/sh", 0)), blank(text(22, "c", "sh", 0)));
    assertEquals(blank(text(1, "a", "sh", 0)) === blank(text(1, "a", "sh", 1)), false);
    assertEquals(blank('{"argv": ["a", "b"]}'), '{"argv": ["…", "b"]}');
    assertEquals(blank('{"revision": 4}'), '{"revision": 4}');
    assertEquals(blank("wrapper 12 runs 12"), "wrapper … runs 12");
    assertEquals(blank("12 34\nx\n", "a.md.launch-1"), "…\nx\n");
    assertEquals(blank("12 34\nx\n", "a.md"), "12 34\nx\n");
  });
});

describe("listDifferences()", () => {
  it("names the first byte that differs, and texts that are missing", () => {
    const wanted = new Map([["same", "x"], ["other", bytes("é = 1")], ["gone", "a"]]);
    const found = new Map([["same", "x"], ["other", bytes("é = 2")], ["new", "b"]]);
    assertEquals(listDifferences(wanted, found), [
      { name: "gone", offset: 0, wanted: '"a"', found: "(nothing)" },
      { name: "new", offset: 0, wanted: "(nothing)", found: '"b"' },
      { name: "other", offset: 5, wanted: '"é = 1"', found: '"é = 2"' },
    ]);
  });

  it("tells bytes apart that are no text", () => {
    const [difference] = listDifferences(new Map([["a", "x\xe4"]]), new Map([["a", "x\xe5"]]));
    const [wanted, found] = ["bytes 78e4", "bytes 78e5"];
    assertEquals(difference, { name: "a", offset: 1, wanted, found });
  });

  it("shows no part of a character", () => {
    const text = (last: string) => new Map([["a", bytes(`${"é".repeat(40)}${last}`)]]);
    const [difference] = listDifferences(text("ä"), text("ö"));
    const shown = "é".repeat(20);
    assertEquals(difference?.wanted, `"${shown}ä"`);
    assertEquals(difference?.found, `"${shown}ö"`);
  });

  it("ends where the shorter text ends", () => {
    const [difference] = listDifferences(new Map([["a", "xy"]]), new Map([["a", "x"]]));
    assertEquals(difference, { name: "a", offset: 1, wanted: '"xy"', found: '"x"' });
  });
});

describe("readTree()", () => {
  it("reads files below folders, and says what is none", () => {
    const folder = mkdtempSync(join(tmpdir(), "okstra-parity-"));
    try {
      mkdirSync(join(folder, "sub"));
      writeFileSync(join(folder, "sub", "a.json"), '{"pid": 7}');
      symlinkSync("sub", join(folder, "link"));
      assertEquals([...readTree(folder)], [
        ["link", "no regular file"],
        ["sub/a.json", '{"pid": "…"}'],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
