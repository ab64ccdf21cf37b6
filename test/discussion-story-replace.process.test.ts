// Two cycles with a contested claim, a question to a participant, a failed worker that is replaced in a further run, a
// decision, completion, reopening and a second revision: driven by the six tools in a shell alone.
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { STORY_KINDS, tellStory } from "./discussion-story.ts";
import { RUNTIME } from "./support.ts";

// Every command twice is twice the time; the rules are the same on both runtimes.
const REPEAT = RUNTIME === "node" ? "1" : "";

/** Steps that made a record, and steps that told the same again. */
const CREATING = ["subject", "alternative", "first-open", "second-open", "second-close", "address"]
  .concat("answer", "told", "third-open", "third-close", "decision", "reopen");
const TELLING = ["first-settle", "second-settle", "options", "end"];

describe("the story of a discussion whose worker is replaced", () => {
  it("goes on in further runs to two revisions, and each step may be repeated (G-002, G-075, G-138)", () =>
    tellStory("cli", { REPEAT }, ({ status, stderr, answer, text }) => {
      assertEquals(status, 0, stderr);

      const [failure] = answer("first-settle").failures;
      assertEquals([failure.worker, failure.unverifiedScope], [
        "beta",
        "the research of beta in cycle R-0001",
      ]);
      assertEquals([answer("first-wait").action, answer("first-wait").failures], [
        "await-recovery",
        ["FL-0001"],
      ]);
      assertStringIncludes(
        answer("replace").nextCommands[0],
        "--discussion-start demo/review/reader",
      );
      assertEquals(answer("first-end").action, "prepare-run");

      assertEquals([answer("second-open").cycle, answer("second-open").inputRefs], [
        "R-0002",
        ["M-0001", "RS-0001"],
      ]);
      assertEquals(answer("second-open").workers, ["alpha", "gamma"]);
      assertEquals(answer("asked").created, ["Q-0001"]);
      const closed = answer("second-close");
      assertEquals(closed.remainingDisagreements[0].standing, "disputed");
      assertEquals([closed.claims, closed.phase], [["C-0001", "C-0002"], "awaiting-user"]);
      assertEquals(answer("options").action, "present-options");
      assertEquals(answer("options").alternatives[0].recordId, "M-0001");
      assertEquals(answer("answer").phase, "awaiting-participant");
      assertStringIncludes(answer("told").record.text, "# Answer to Q-0002");
      assertEquals(answer("second-end").action, "prepare-run");

      assertEquals(answer("third-open").inputRefs, ["M-0001", "RS-0001", "A-0001"]);
      assertEquals(answer("third-close").remainingDisagreements.length, 1);
      assertEquals(answer("decision").remainingDisagreements, []);
      assertEquals([answer("completed").revisionId, answer("completed").phase], [
        "RV-0001",
        "completed",
      ]);
      assertEquals(answer("end").action, "completed");
      assertStringIncludes(text("refused.txt"), "okstra-discussion reopen");

      assertEquals(answer("completed-again").revisionId, "RV-0002");
      const now = answer("status");
      assertEquals([now.phase, now.completedRevision, now.basedOn.revisionId], [
        "completed",
        "RV-0002",
        "RV-0001",
      ]);
      assertEquals(now.cycles.map((cycle: { status: string }) => cycle.status), [
        "superseded",
        "closed",
        "closed",
      ]);
      assertEquals(answer("verify").ok, true);
      const replayed = answer("replay");
      assertEquals([replayed.ok, replayed.instructions.length, replayed.revisions.length], [
        true,
        3,
        2,
      ]);
      const records = text("log.jsonl").trimEnd().split("\n").map((line) => JSON.parse(line));
      assertEquals(records.map(({ kind }) => kind), [...STORY_KINDS]);

      const page = text("show.html"), shown = text("show.md");
      assert(page.startsWith("<!doctype html>") && !page.includes("<script"));
      for (const content of [page, shown]) {
        for (const told of ["C-0001", "The last line stays", "RV-0002", "A customer left"]) {
          assertStringIncludes(content, told);
        }
      }
      assertStringIncludes(shown, "### RV-0002, ");
      assertStringIncludes(shown, "- Since RV-0001");

      for (const step of REPEAT === "" ? [] : CREATING) {
        const first = answer(step), again = answer(`${step}-again`);
        assertEquals([step, first.created, again.created], [step, true, false]);
        assertEquals(again.record, first.record);
      }
      for (const step of REPEAT === "" ? [] : TELLING) {
        assertEquals(text(`${step}-again.json`), text(`${step}.json`));
      }
    }));
});
