import { assertEquals, assertThrows } from "@std/assert";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { OkstraError } from "../errors.ts";
import { appendEvent, readEvents } from "./events.ts";
import { prepareTestRun } from "../../../../test/prepared-run.ts";

const now = new Date("2026-01-31T10:00:00.900Z");

describe("appendEvent()", () => {
  it("appends one line with the facts of the run (D-053, M-013, M-016)", () => {
    const run = prepareTestRun();
    const path = run.at(run.manifest.leadEventsPath);
    assertEquals(readEvents(run), []);
    appendEvent(run, "worker-dispatched", { workerId: "alpha", attempt: 1 }, now);
    appendEvent(run, "worker-failed", { reason: "zwei\nZeilen" }, now);
    const lines = readFileSync(path, "utf8").split("\n");
    assertEquals([lines.length, lines[2]], [3, ""]);
    assertEquals(JSON.parse(lines[0]!), {
      schemaVersion: "1.0",
      eventType: "worker-dispatched",
      leadRuntime: "external",
      taskKey: "demo/review/src",
      taskType: "discussion",
      runSequence: "001",
      timestamp: "2026-01-31T10:00:00Z",
      details: { workerId: "alpha", attempt: 1 },
    });
    assertEquals(readEvents(run).map((event) => event.eventType), [
      "worker-dispatched",
      "worker-failed",
    ]);
  });

  it("says by label and path that the file cannot be read (M-018)", () => {
    const run = prepareTestRun(), path = run.at(run.manifest.leadEventsPath);
    mkdirSync(path);
    for (const use of [() => readEvents(run), () => appendEvent(run, "one", {}, now)]) {
      const { message } = assertThrows(use, OkstraError);
      assertEquals(message, `Cannot read "${path}" as lead event: it is a directory`);
    }
  });

  it("drops a line that a killed writer left unfinished (P-1)", () => {
    const run = prepareTestRun();
    appendEvent(run, "one", {}, now);
    appendFileSync(run.at(run.manifest.leadEventsPath), '{"eventType": "tw');
    assertEquals(readEvents(run).map((event) => event.eventType), ["one"]);
    appendEvent(run, "three", {}, now);
    assertEquals(readEvents(run).map((event) => event.eventType), ["one", "three"]);
  });

  it("refuses a blank type and writes nothing", () => {
    const run = prepareTestRun();
    for (const type of [" ", "\u200b"]) {
      const { code } = assertThrows(() => appendEvent(run, type, {}, now), OkstraError);
      assertEquals(code, "event-invalid");
    }
    assertEquals(existsSync(run.at(run.manifest.leadEventsPath)), false);
  });
});

describe("readEvents()", () => {
  it("names the line of everything that is no event, and refuses what is not UTF-8 (M-032)", () => {
    const run = prepareTestRun();
    appendEvent(run, "one", {}, now);
    appendFileSync(run.at(run.manifest.leadEventsPath), 'not json\n{"eventType": "x"}\n');
    const error = assertThrows(() => readEvents(run), OkstraError, "lead-events");
    assertEquals([...new Set(error.issues.map((issue) => issue.line))], [2, 3]);
    appendFileSync(run.at(run.manifest.leadEventsPath), new Uint8Array([0xe9, 0x0a]));
    assertThrows(() => readEvents(run), OkstraError, "as lead event: it is not UTF-8");
  });
});
