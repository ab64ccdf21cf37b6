import { describe, it } from "node:test";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { assertEquals } from "@std/assert";
import { NO_FINDINGS } from "./events/findings.ts";
import { findMissingPaths, snapshotFiles } from "./io/completion.ts";
import { EventLog } from "./io/event-log.ts";
import { GrowthWatch } from "./io/growth.ts";
import { SessionFiles } from "./io/session-files.ts";
import { withBench } from "./test-bench.ts";

describe("findMissingPaths()", () => {
  it("accepts regular files with something in them, also through links inside (W-014)", () =>
    withBench(({ at, directory }) => {
      writeFileSync(at("a"), "x");
      mkdirSync(at("sub"));
      symlinkSync(at("sub"), at("way"));
      writeFileSync(at("sub/b"), "x");
      symlinkSync("sub/b", at("c"));
      const paths = [at("a"), at("way/b"), at("c")];
      assertEquals(findMissingPaths(paths, [directory], new Map()), []);
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
        [at("project")],
        new Map(),
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
    withBench(({ at }) => {
      for (const name of ["kept", "grown", "replaced", "linked"]) writeFileSync(at(name), "x");
      const paths = ["kept", "grown", "replaced", "new"].map(at);
      const before = snapshotFiles(paths);
      appendFileSync(at("grown"), "y");
      writeFileSync(at("other"), "x");
      rmSync(at("replaced"));
      linkSync(at("other"), at("replaced"));
      writeFileSync(at("new"), "x");
      assertEquals(findMissingPaths(paths, null, before), [
        { path: at("kept"), state: "of an earlier attempt" },
      ]);
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
