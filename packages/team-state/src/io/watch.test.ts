import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import { prepareTestRun } from "../../../../test/prepared-run.ts";
import { teamStatePath } from "./team-state.ts";
import { watchFile } from "./watch.ts";

describe("watchFile()", () => {
  it("shows the document, and ends with its label and path once it is gone (M-007)", async () => {
    const path = teamStatePath(prepareTestRun());
    let shown = 0;
    const error = await assertRejects(() =>
      watchFile(path, () => {
        shown += 1;
        rmSync(path);
      }), OkstraError);
    assertEquals([shown, error.code], [1, "not-found"]);
    assertStringIncludes(error.message, `"${path}" as team state`);
  });
});
