import { describe, it } from "node:test";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { findSessionFiles } from "./io/session-files.ts";
import { resolveSessionDirectories } from "./session-directories.ts";

describe("resolveSessionDirectories()", () => {
  it("takes home and variables from the child's environment, and leaves out what is not set", () => {
    const values = { HOME: "/home/a", CODEX_HOME: "/c", EMPTY: "", RELATIVE: "x" };
    const env = (name: string) => new Map(Object.entries(values)).get(name);
    assertEquals(
      resolveSessionDirectories(
        ["~/.a/s", "~", "$CODEX_HOME/s", "$ABSENT/s", "$EMPTY/s", "$RELATIVE/s", "/abs/s", "rel/s"],
        env,
      ),
      ["/home/a/.a/s", "/home/a", "/c/s", "/abs/s"],
    );
    assertEquals(resolveSessionDirectories(["~x/s", "$1/s", "~/s"], () => undefined), []);
    // A line separator is no end of a path.
    assertEquals(resolveSessionDirectories(["~/a\u2028b"], () => "/h"), ["/h/a\u2028b"]);
  });
});

describe("findSessionFiles()", () => {
  it("knows a session by its id, or by the beginning of it in a name of gemini's form", () => {
    const root = mkdtempSync(join(tmpdir(), "okstra-sessions-"));
    const id = "0ba1322e-ad8a-4fae-9077-46f2bf04223e", chats = join(root, "work/chats");
    mkdirSync(join(root, id, "parts"), { recursive: true });
    mkdirSync(chats, { recursive: true });
    const own = [
      join(chats, "session-2026-01-31T09-05-0ba1322e.jsonl"),
      join(root, id, "parts/events.jsonl"),
      join(root, `rollout-${id}.jsonl`),
    ].sort();
    const others = [
      join(chats, "session-2026-01-31T09-05-0ba1322f.jsonl"),
      join(chats, "rollout-0ba1322e.jsonl"),
      join(chats, "session-0ba1322e-more.jsonl"),
    ];
    for (const path of [...own, ...others]) writeFileSync(path, "x");
    symlinkSync(own[0]!, join(root, `link-${id}`));
    assertEquals(findSessionFiles([root, root, join(root, "absent")], id), own);
    assertEquals(findSessionFiles([root], ""), []);
  });
});
