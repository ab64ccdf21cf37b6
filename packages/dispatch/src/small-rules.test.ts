import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { backupName } from "./backup-name.ts";
import { dispatchMode } from "./dispatch-mode.ts";

describe("backupName()", () => {
  it("backupName() takes the first number above all in use and ignores other names", () => {
    assertEquals(backupName("p.log", []), "p.log.before-1");
    assertEquals(
      backupName("p.log", [
        "p.log",
        "p.log.before-1",
        "p.log.before-10",
        "p.log.before-x",
        "q.log.before-40",
      ]),
      "p.log.before-11",
    );
  });
});

describe("dispatchMode()", () => {
  it("dispatchMode() is the shared backend, else mixed (T-021, T-022)", () => {
    assertEquals(dispatchMode(["cli-wrapper", "cli-wrapper"]), "cli-wrapper");
    assertEquals(dispatchMode(["cli-wrapper", "tmux-pane"]), "mixed");
  });

  it("dispatchMode() refuses an empty plan (T-021)", () => {
    assertEquals(assertThrows(() => dispatchMode([]), OkstraError).code, "empty-plan");
  });
});
