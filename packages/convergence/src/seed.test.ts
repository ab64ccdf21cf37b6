import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { digestState } from "./digests.ts";
import { seedWorkState } from "./seed.ts";
import { testGroup, testGroups } from "./testing.ts";

const issuesOf = (fn: () => unknown): string[] =>
  assertThrows(fn, OkstraError).issues.map(({ message }) => message);

describe("seedWorkState()", () => {
  it("starts with no rounds and freezes roster, rounds and the digest of the groups (V-020)", () => {
    const groups = testGroups(["a", "b"], [testGroup("F-001", ["a"])]);
    const work = seedWorkState(groups);
    assertEquals(work.rounds, []);
    assertEquals(work.maxRounds, 2);
    assertEquals(work.workers, groups.workers);
    assertEquals(work.groupsDigest, digestState(groups));
    assertEquals(work.findings[0]?.classification, "worker-unique");
    assertEquals(work.findings[0]?.tally, { support: ["a"], oppose: [], silent: ["b"] });
  });

  it("lists all problems of the groups with the finding's id (V-021)", () => {
    const bad = {
      schemaVersion: "2.0",
      taskKey: " ",
      workers: [{ worker: "a", provider: "x" }, { worker: "a", provider: "x" }, { worker: "b" }],
      groups: [
        { ...testGroup("F-001", ["a"]), summary: " ", originWorker: "b" },
        { ...testGroup("F-001", ["c"]), evidenceArtifacts: [{ locator: "1" }] },
        { ...testGroup("F-1", ["a", "a"]), discoveredBy: ["a", "a-worker"] },
        { ...testGroup("F-004", ["a"]), ticketIds: [1], discoveredBy: [] },
        7,
      ],
    };
    assertEquals(issuesOf(() => seedWorkState(bad)), [
      'schemaVersion is "2.0", not "1.0"',
      "taskKey is missing or blank",
      "a: the roster names it twice",
      "b: provider is missing",
      "F-001: summary is blank or no text",
      "F-001: originWorker b is not in discoveredBy",
      "F-001: the id stands twice",
      "F-001: evidence 1 is not an object with a path",
      "F-001: c is not in workers",
      "F-001: originWorker c is not in discoveredBy",
      "F-1: findingId is not F- and at least three digits",
      "F-1: discoveredBy names a-worker twice",
      "F-004: ticketIds is not an array of texts",
      "F-004: discoveredBy is not an array of at least one worker",
      "group 5 is not an object",
    ]);
    for (const value of [null, [], "x", {}]) {
      assert(issuesOf(() => seedWorkState(value)).length > 0);
    }
    assertEquals(issuesOf(() => seedWorkState({ ...bad, workers: [], groups: {}, taskKey: "t" })), [
      'schemaVersion is "2.0", not "1.0"',
      "workers names no worker",
      "groups is not an array",
    ]);
  });

  it("finds fault with a field that only the schema knows where it stands (V-021)", () => {
    const groups = testGroups(["a"], [testGroup("F-001", ["a"], { title: 5 as never })]);
    const { issues } = assertThrows(() => seedWorkState(groups), OkstraError);
    assertEquals(issues.map(({ pointer }) => pointer), ["/groups/0/title"]);
  });

  it("refuses a title, a ticket and a place of which nothing is seen (V-021)", () => {
    const hidden = "\u200b\u2060 ", place = { path: hidden };
    for (
      const fields of [{ title: hidden }, { ticketIds: [hidden] }, { evidenceArtifacts: [place] }]
    ) {
      const groups = testGroups(["a"], [testGroup("F-001", ["a"], fields)]);
      const { issues } = assertThrows(() => seedWorkState(groups), OkstraError);
      assertEquals(issues.length, 1);
      assertStringIncludes(issues[0]!.pointer!, `/groups/0/${Object.keys(fields)[0]}`);
    }
  });

  it("stores the roster's spelling of a worker, and the run's bare id (decisions 9, Identity)", () => {
    const groups = testGroups(["a-worker", "b"], [testGroup("F-001", ["a", "b-worker"])]);
    assertEquals(seedWorkState(groups).findings[0]?.discoveredBy, ["a-worker", "b"]);
    const work = seedWorkState(groups, new Set(["a", "b"]));
    assertEquals(work.workers.map(({ worker }) => worker), ["a", "b"]);
    assertEquals(work.findings[0]?.originWorker, "a");
    assertEquals(work.findings[0]?.discoveredBy, ["a", "b"]);
  });

  it("refuses a roster that names one worker of the run in both spellings (V-021)", () => {
    const groups = testGroups(["a", "b", "a-worker"], [testGroup("F-001", ["a"])]);
    const workersOf = (ids: readonly string[]) =>
      seedWorkState(groups, new Set(ids)).workers.map(({ worker }) => worker);
    assertEquals(workersOf(["a", "b", "a-worker"]), ["a", "b", "a-worker"]);
    const { issues } = assertThrows(() => workersOf(["a", "b"]), OkstraError);
    assertEquals(issues.map(({ pointer, message }) => [pointer, message]), [
      ["/workers/2/worker", "a-worker: the run knows it and a as one worker, a"],
    ]);
  });
});
