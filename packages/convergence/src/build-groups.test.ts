import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { buildGroups, type GroupInput } from "./build-groups.ts";
import { checkGroups } from "./check-groups.ts";
import type { ParsedFinding } from "./finding-text.ts";
import { findNearPlaces } from "./near-places.ts";
import { testGroup } from "./testing.ts";

const found = (
  localId: string,
  path: string,
  locator: string | null,
  fields = {},
): ParsedFinding => ({
  localId,
  title: `title of ${localId}`,
  category: "correctness",
  evidence: [{ path, locator, excerpt: `seen in ${path}` }],
  ticketIds: [],
  summary: `summary of ${localId}`,
  line: 5,
  ...fields,
});
const input = (fields: Partial<GroupInput> = {}): GroupInput => ({
  taskKey: "demo/review/src",
  workers: ["alpha", "beta", "gamma"].map((worker) => ({ worker, provider: worker })),
  reports: [
    {
      worker: "beta",
      resultPath: "r/beta.md",
      findings: [found("F-007", "a.ts", "5-9"), found("F-001", "b.ts", null)],
    },
    {
      worker: "alpha",
      resultPath: "r/alpha.md",
      findings: [found("F-001", "a.ts", "8-12", { ticketIds: ["T-1"] })],
    },
  ],
  absent: ["gamma"],
  joins: [],
  ...fields,
});

describe("buildGroups()", () => {
  it("numbers findings in roster order, then in the order of each file (decisions 9, Findings)", () => {
    const groups = buildGroups(input());
    assertEquals(
      groups.groups.map(({ findingId, originWorker, title }) => [findingId, originWorker, title]),
      [
        ["F-001", "alpha", "title of F-001"],
        ["F-002", "beta", "title of F-007"],
        ["F-003", "beta", "title of F-001"],
      ],
    );
    assertEquals(groups.groups[0]?.sources, [
      { worker: "alpha", localId: "F-001", resultPath: "r/alpha.md", line: 5 },
    ]);
    assertEquals(groups.groups[0]?.originEvidence, "seen in a.ts");
    assertEquals(groups.groups[2]?.evidenceArtifacts, [
      { path: "b.ts", locator: null, excerpt: "seen in b.ts" },
    ]);
    assertEquals(checkGroups(groups), []);
  });

  it("keeps an absent worker in the roster and names it (decisions 9, Findings)", () => {
    const { workers, absentWorkers } = buildGroups(input());
    assertEquals([workers.length, absentWorkers], [3, ["gamma"]]);
    assertEquals("absentWorkers" in buildGroups(input({ absent: [] })), false);
  });

  it("gives the same groups whatever the order of the results", () => {
    const { reports } = input();
    assertEquals(buildGroups(input({ reports: [...reports].reverse() })), buildGroups(input()));
  });

  it("joins only what --join names, and keeps every source (P-13)", () => {
    const groups = buildGroups(input({ joins: [" beta:F-007 , alpha-worker:F-001"] }));
    assertEquals(groups.groups.length, 2);
    const [joined, other] = groups.groups;
    assertEquals([joined?.originWorker, joined?.discoveredBy], ["alpha", ["alpha", "beta"]]);
    assertEquals(joined?.evidenceArtifacts.map(({ locator }) => locator), ["8-12", "5-9"]);
    assertEquals(joined?.ticketIds, ["T-1"]);
    assertEquals(joined?.sources?.map(({ worker, localId }) => `${worker}:${localId}`), [
      "alpha:F-001",
      "beta:F-007",
    ]);
    assertEquals([other?.findingId, other?.title], ["F-002", "title of F-001"]);
    assertEquals(checkGroups(groups), []);
  });

  it("takes joins that share a finding for one", () => {
    const joins = ["beta:F-001,beta:F-007", "beta:F-007,alpha:F-001"];
    const { groups } = buildGroups(input({ joins }));
    assertEquals(groups.map(({ sources }) => sources?.length), [3]);
    assertEquals(groups, buildGroups(input({ joins: [...joins].reverse() })).groups);
    assertEquals(groups, buildGroups(input({ joins: [...joins, joins[0]!] })).groups);
  });

  for (
    const joins of [
      ["alpha:F-001"],
      ["alpha:F-001,beta:F-002"],
      ["alpha:F-001,zoe:F-001"],
      ["alpha:F-001,alpha:F-001"],
      ["alpha,beta"],
      [""],
    ]
  ) {
    it(`refuses ${JSON.stringify(joins)}`, () => {
      assertEquals(assertThrows(() => buildGroups(input({ joins })), OkstraError).code, "bad-join");
    });
  }
});

describe("findNearPlaces()", () => {
  it("lists findings of different workers with overlapping lines and one category (P-13)", () => {
    assertEquals(findNearPlaces(buildGroups(input()).groups), [{
      path: "a.ts",
      locator: "5-12",
      category: "correctness",
      findingIds: ["F-001", "F-002"],
      join: "alpha:F-001,beta:F-007",
    }]);
  });

  it("lists nothing once they are joined", () => {
    const groups = buildGroups(input({ joins: ["alpha:F-001,beta:F-007"] }));
    assertEquals(findNearPlaces(groups.groups), []);
  });

  const near = (
    ...rows:
      readonly (readonly [worker: string, path: string, locator: string | null, category: string])[]
  ) =>
    findNearPlaces(
      rows.map(([worker, path, locator, category], i) =>
        testGroup(`F-00${i + 1}`, [worker], {
          category,
          evidenceArtifacts: [{ path, ...(locator === null ? {} : { locator }) }],
        })
      ),
    ).map(({ findingIds, locator }) => `${findingIds.join("+")} ${locator}`);

  it("takes as many places as findings cite", () => {
    const evidenceArtifacts = Array.from({ length: 100_000 }, () => ({ path: "x", locator: "7" }));
    const groups = ["a", "b"].map((name) => testGroup(`F-${name}`, [name], { evidenceArtifacts }));
    assertEquals(findNearPlaces(groups).map(({ locator }) => locator), ["7"]);
  });

  it("looks at path, lines, category and worker", () => {
    assertEquals(near(["a", "x", "1-3", "c"], ["b", "x", "3", "C"]), ["F-001+F-002 1-3"]);
    assertEquals(near(["a", "./x", "L2", "c"], ["b", "x", "2", "c"]), ["F-001+F-002 2"]);
    assertEquals(near(["a", "x", "1-3", "c"], ["b", "x", "4", "c"]), []);
    assertEquals(near(["a", "x", "1", "c"], ["b", "y", "1", "c"]), []);
    assertEquals(near(["a", "x", "1", "c"], ["b", "x", "1", "d"]), []);
    assertEquals(near(["a", "x", "1", "c"], ["a", "x", "1", "c"]), []);
    assertEquals(near(["a", "x", null, "c"], ["b", "x", null, "c"]), ["F-001+F-002 null"]);
    assertEquals(near(["a", "x", null, "c"], ["b", "x", "1", "c"]), []);
    assertEquals(
      near(["a", "x", "1-9", "c"], ["b", "x", "20", "c"], ["b", "x", "9-12", "c"], [
        "c",
        "x",
        "20",
        "c",
      ]),
      ["F-001+F-003 1-12", "F-002+F-004 20"],
    );
  });
});
