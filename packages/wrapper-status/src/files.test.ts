import { describe, it } from "node:test";
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { assertEquals } from "@std/assert";
import { NO_FINDINGS } from "./events/findings.ts";
import { findMissingPaths, nearestDirectory, recordStart } from "@okstra/manifest-io/io/completion";
import { EventLog } from "./io/event-log.ts";
import { GrowthWatch } from "./io/growth.ts";
import { SessionFiles } from "./io/session-files.ts";
import { readSidecar, replaceSidecar, writeSidecar } from "./io/sidecar.ts";
import { sampleSidecar } from "./test-sidecar.ts";
import { withBench } from "./test-bench.ts";

const UNKNOWN = { before: new Map(), witness: null };
const OLD = "not written in this attempt";

describe("findMissingPaths()", () => {
  it("accepts regular files with something in them, also through links inside (W-014)", () =>
    withBench(({ at, directory }) => {
      writeFileSync(at("a"), "x");
      mkdirSync(at("sub"));
      symlinkSync(at("sub"), at("way"));
      writeFileSync(at("sub/b"), "x");
      symlinkSync("sub/b", at("c"));
      const paths = [at("a"), at("way/b"), at("c")];
      assertEquals(findMissingPaths(paths, [directory], UNKNOWN), []);
    }));

  it("names what is wrong with each other path, in order (W-014, P-10)", () =>
    withBench(({ at }) => {
      mkdirSync(at("project"));
      writeFileSync(at("outside"), "x");
      symlinkSync(at("outside"), at("project/link"));
      writeFileSync(at("project/empty"), "");
      mkdirSync(at("project/directory"));
      symlinkSync("circle", at("project/circle"));
      const names = ["link", "empty", "directory", "absent", "circle", "empty/below", "../outside"];
      const found = findMissingPaths(
        names.map((name) => at(`project/${name}`)),
        [at("project"), at("no such root")],
        UNKNOWN,
      );
      assertEquals(found.map(({ state }) => state), [
        "outside",
        "empty",
        "not a regular file",
        "missing",
        "missing",
        "missing",
        "outside",
      ]);
    }));

  it("tells an untouched file from one that was written again (P-10, P-16)", () =>
    withBench(({ at, directory, promptPath }) => {
      for (const name of ["kept", "grown", "replaced"]) writeFileSync(at(name), "x");
      const paths = ["kept", "grown", "replaced", "new"].map(at);
      const start = recordStart(paths, promptPath);
      appendFileSync(at("grown"), "y");
      writeFileSync(at("other"), "x");
      rmSync(at("replaced"));
      linkSync(at("other"), at("replaced"));
      writeFileSync(at("new"), "x");
      assertEquals(findMissingPaths(paths, [directory], start), [
        { path: at("kept"), state: OLD },
      ]);
    }));

  it("judges the file at the end of every way by its own time: links, names, moves and copies (P-10)", () =>
    withBench(({ at, directory }) => {
      const witness = { dev: statSync(directory).dev, mtimeMs: 1_000_000_000_500 };
      const [start, aged] = [{ before: new Map(), witness }, 999_999_990.25];
      const write = (name: string, seconds: number) => {
        writeFileSync(at(name), "x");
        utimesSync(at(name), seconds, seconds);
      };
      for (const [of, seconds] of [["old", aged], ["new", 1_000_000_001.25]] as const) {
        for (const name of ["file", "moved"]) write(`${of}-${name}`, seconds);
        symlinkSync(at(`${of}-file`), at(`${of}-link`));
        symlinkSync(at(`${of}-link`), at(`${of}-link-to-link`));
        linkSync(at(`${of}-file`), at(`${of}-second-name`));
        renameSync(at(`${of}-moved`), at(`${of}-renamed`));
        copyFileSync(at(`${of}-file`), at(`${of}-copy`));
        utimesSync(at(`${of}-copy`), seconds, seconds);
        mkdirSync(at(`${of}-sub`));
        write(`${of}-sub/file`, seconds);
        symlinkSync(at(`${of}-sub`), at(`${of}-way`));
      }
      const names = ["file", "link", "link-to-link", "second-name", "renamed", "copy", "way/file"];
      const find = (of: string) =>
        findMissingPaths(names.map((name) => at(`${of}-${name}`)), [directory], start);
      assertEquals(find("new"), []);
      assertEquals(find("old"), names.map((name) => ({ path: at(`old-${name}`), state: OLD })));
    }));
});

describe("replaceSidecar()", () => {
  it("writes over what stands there if the disk is full, and half of a status counts as none", () =>
    withBench(({ promptPath, read, at }) => {
      const full = () => {
        throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      };
      const status = (reason: string) => ({ ...sampleSidecar({ reason }), promptPath });
      writeSidecar(status("a long reason that was there before"));
      const { ino } = statSync(at("prompt.md.status.json"));
      for (const reason of ["short", "longer than the short one"]) {
        replaceSidecar(status(reason), full);
        assertEquals(readSidecar(promptPath), status(reason));
      }
      assertEquals(statSync(at("prompt.md.status.json")).ino, ino);
      const text = read("prompt.md.status.json");
      for (const half of [text.slice(0, 40), `${text.slice(0, 40)}${"x".repeat(text.length)}`]) {
        writeFileSync(at("prompt.md.status.json"), half);
        assertEquals(readSidecar(promptPath), null);
      }
      rmSync(at("prompt.md.status.json"));
      let code = "";
      try {
        replaceSidecar(status("x"), () => {
          throw Object.assign(new Error("no right"), { code: "EACCES" });
        });
      } catch (error) {
        code = (error as { code: string }).code;
      }
      assertEquals(code, "EACCES");
    }));
});

describe("nearestDirectory()", () => {
  it("finds where a name leads to as far as it is there, links resolved", () =>
    withBench(({ at, directory }) => {
      mkdirSync(at("real/deep"), { recursive: true });
      symlinkSync(at("real"), at("link"));
      writeFileSync(at("file"), "x");
      const found = ["r.md", "link/r.md", "link/deep/a/b/r.md", "file/r.md"].map((name) =>
        nearestDirectory(at(name))
      );
      const real = realpathSync(at("real"));
      assertEquals(found, [directory, real, `${real}/deep`, directory]);
      assertEquals(nearestDirectory("/"), "/");
    }));
});

describe("GrowthWatch", () => {
  it("notices bytes, not the making of an empty file", () =>
    withBench(({ at }) => {
      const watch = new GrowthWatch(() => [at("a"), at("b")]);
      assertEquals(watch.hasGrown(), false);
      writeFileSync(at("a"), "");
      assertEquals(watch.hasGrown(), false);
      appendFileSync(at("a"), "x");
      assertEquals([watch.hasGrown(), watch.hasGrown()], [true, false]);
      writeFileSync(at("b"), "y");
      assertEquals(watch.hasGrown(), true);
    }));
});

describe("EventLog", () => {
  const failed = (message: string) =>
    `${JSON.stringify({ type: "turn.failed", error: { message } })}\n`;

  it("reads events as they come, among any other output", () =>
    withBench(({ at }) => {
      writeFileSync(at("log"), failed("an earlier attempt, status: 500"));
      const log = new EventLog(at("log"), "codex", statSync(at("log")).size);
      assertEquals(log.read(), NO_FINDINGS);
      appendFileSync(at("log"), new Uint8Array([0, 255, 10, 123, 10, 27, 91, 50, 74, 10]));
      appendFileSync(
        at("log"),
        '{"type":"thread.started","thread_id":"t-1"}\n[1]\nnull\n{"type":\n',
      );
      assertEquals(log.read(), { ...NO_FINDINGS, sessionId: "t-1" });
      const event = failed("last status: 429 Too Many Requests");
      appendFileSync(at("log"), event.slice(0, 20));
      assertEquals(log.read().trouble, null);
      appendFileSync(at("log"), event.slice(20, -1));
      assertEquals(log.read().trouble, null);
      assertEquals(log.finish().trouble?.failureClass, "rate-limited");
    }));

  it("finds nothing in plain text, in an unknown format and where there is no log", () =>
    withBench(({ at }) => {
      for (const format of [null, "mine", "toString"]) {
        writeFileSync(at("log"), failed("status: 500"));
        const log = new EventLog(at("log"), format, 0);
        assertEquals([log.read(), log.finish()], [NO_FINDINGS, NO_FINDINGS]);
      }
      assertEquals(new EventLog(at("absent"), "codex", 0).finish(), NO_FINDINGS);
    }));

  it("tells no sum of tokens of which a part was left out", () =>
    withBench(({ at }) => {
      const step = (input: number) =>
        `${
          JSON.stringify({
            type: "step_finish",
            part: { reason: "stop", tokens: { input, output: 1 } },
          })
        }\n`;
      writeFileSync(at("log"), step(10) + step(20));
      assertEquals(new EventLog(at("log"), "opencode", 0).finish().usage?.inputTokens, 30);
      const total = '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}\n';
      writeFileSync(at("log"), `${step(10)}${"x".repeat(9 << 20)}\n${step(20)}${total}`);
      assertEquals(new EventLog(at("log"), "opencode", 0).finish().usage, null);
      assertEquals(new EventLog(at("log"), "codex", 0).finish().usage?.inputTokens, 5);
    }));
});

describe("SessionFiles", () => {
  it("finds the files of one session, however deep, and no other's", () =>
    withBench(({ at }) => {
      mkdirSync(at("s/2026/01"), { recursive: true });
      mkdirSync(at("s/id-1/parts"), { recursive: true });
      writeFileSync(at("s/2026/01/rollout-id-1.jsonl"), "x");
      writeFileSync(at("s/2026/01/rollout-id-2.jsonl"), "x");
      writeFileSync(at("s/id-1/parts/events"), "x");
      const files = new SessionFiles([at("s"), at("absent")], 0);
      assertEquals(files.list("id-1"), [
        at("s/2026/01/rollout-id-1.jsonl"),
        at("s/id-1/parts/events"),
      ]);
      assertEquals([files.list(null), files.list("")], [[], []]);
    }));

  it("looks again only after its interval", () =>
    withBench(({ at }) => {
      mkdirSync(at("s"));
      const files = new SessionFiles([at("s")], 1e9);
      assertEquals(files.list("id"), []);
      writeFileSync(at("s/id"), "x");
      assertEquals(files.list("id"), []);
      assertEquals(new SessionFiles([at("s")], 1e9).list("id"), [at("s/id")]);
    }));
});
