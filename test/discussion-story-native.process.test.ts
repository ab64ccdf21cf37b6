// The story of the replaced worker once more, with workers that are sessions of the host: the script plays the host,
// which puts each dispatch into the ledger and links its result. Identities are of version 2 throughout.
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { STORY_KINDS, tellStory } from "./discussion-story.ts";

interface Row {
  readonly executionIdentityVersion?: number;
  readonly dispatchKind?: string;
  readonly dispatchId: string;
  readonly resultPath?: string;
}

describe("the story of a discussion whose workers are sessions of the host", () => {
  it("comes to the same record, by the ledger and its links (G-044, G-045, G-111)", () =>
    tellStory("native", {}, ({ status, stderr, answer, text, ofRun }) => {
      assertEquals(status, 0, stderr);
      const records = text("log.jsonl").trimEnd().split("\n").map((line) => JSON.parse(line));
      assertEquals(records.map(({ kind }) => kind), [...STORY_KINDS]);

      const [failure] = answer("first-settle").failures;
      assertEquals([failure.worker, failure.stage], ["beta", "after-retries"]);
      assertStringIncludes(failure.reason, "ended as error and no result was linked");

      const [first, second] = [1, 2].map((run) => ofRun(run, "state/team-state"));
      assertEquals([first.workerDispatches, first.agentDispatches.length], [[], 2]);
      assertEquals(first.agentResultLinks.map(({ dispatchId }: Row) => dispatchId), [
        "discussion-r-0001-alpha-001:attempt-1",
      ]);
      const rows: readonly Row[] = second.agentDispatches;
      assertEquals(rows.map((row) => row.executionIdentityVersion), rows.map(() => 2));
      assertEquals(
        new Set(rows.map((row) => row.dispatchKind)),
        new Set([
          "initial",
          "reverify-r1",
          "reverify-r2",
          "discussion-question",
        ]),
      );

      const told = answer("told").record;
      assertEquals(told.author, "gamma");
      const links: readonly Row[] = second.agentResultLinks;
      const [link] = links.filter(({ dispatchId }) => dispatchId.includes("question-q-0002"));
      assertEquals(told.resultPath, link?.resultPath);
      assertEquals(
        records.filter(({ kind }) => kind === "result").map(({ dispatch }) => dispatch),
        [
          "discussion-r-0001-alpha-001:attempt-1",
          "discussion-r-0002-alpha-002:attempt-1",
          "discussion-r-0002-gamma-002:attempt-1",
          "discussion-r-0003-alpha-003:attempt-1",
          "discussion-r-0003-gamma-003:attempt-1",
        ],
      );
      assertEquals([answer("completed-again").revisionId, answer("verify").ok], ["RV-0002", true]);
      assertEquals(answer("replay").ok, true);
    }));
});
