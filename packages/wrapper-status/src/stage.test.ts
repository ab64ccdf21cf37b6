import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { WRAPPER_STAGES } from "@okstra/manifest-io/schemas/status-sidecar";
import { isTerminalStage, nextStage, RUN_EVENTS } from "./stage.ts";

const allowed: Readonly<Record<string, string>> = {
  "starting refuse": "refused",
  "starting spawn": "running",
  "starting fail-to-spawn": "exited",
  "running stop": "ending",
  "running child-exit": "ending",
  "ending child-exit": "ending",
  "ending finish": "exited",
};

describe("nextStage()", () => {
  for (const stage of WRAPPER_STAGES) {
    for (const event of RUN_EVENTS) {
      const next = allowed[`${stage} ${event}`];
      it(`${next === undefined ? "refuses" : `gives ${next} for`} ${event} in ${stage}`, () => {
        if (next !== undefined) assertEquals(nextStage(stage, event), next as typeof stage);
        else {assertThrows(
            () => nextStage(stage, event),
            Error,
            `Cannot ${event} in stage ${stage}`,
          );}
      });
    }
  }
});

describe("isTerminalStage()", () => {
  it("is true for refused and exited alone", () => {
    assertEquals(WRAPPER_STAGES.filter(isTerminalStage), ["refused", "exited"]);
  });
});
