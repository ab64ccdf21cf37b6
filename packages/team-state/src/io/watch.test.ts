import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import { prepareTestRun } from "../../../../test/prepared-run.ts";
import { teamStatePath } from "./team-state.ts";
import { watchTeamState } from "./watch.ts";

describe("watchTeamState()", () => {
  it("shows the document, and ends with its label and path once it is gone (M-007)", async () => {
    const path = teamStatePath(prepareTestRun());
    let shown = 0;
    const error = await assertRejects(() =>
      watchTeamState(path, () => {
        shown += 1;
        rmSync(path);
      }), OkstraError);
    assertEquals([shown, error.code], [1, "not-found"]);
    assertStringIncludes(error.message, `"${path}" as team state`);
  });

  it("shows every state once, also one that is written while the one before is shown", async () => {
    const path = teamStatePath(prepareTestRun());
    const seen: (number | undefined)[] = [];
    await assertRejects(() =>
      watchTeamState(path, (state) => {
        seen.push(state.revision);
        if (seen.length > 1) return rmSync(path);
        writeFileSync(path, JSON.stringify({ ...state, revision: 7 }));
      }), OkstraError);
    assertEquals(seen, [1, 7]);
  });
});
