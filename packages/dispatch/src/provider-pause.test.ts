import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { FAILURE_CLASSES } from "@okstra/manifest-io/vocabulary";
import { describePause, pauseMs, spreadMs } from "./provider-pause.ts";

describe("pauseMs()", () => {
  for (const failureClass of FAILURE_CLASSES) {
    const isRefusal = failureClass === "rate-limited" || failureClass === "server";
    it(`pauseMs() ${isRefusal ? "leaves a provider alone" : "goes on"} after ${failureClass} (P-14)`, () => {
      assertEquals(pauseMs(failureClass, null, 1, 0.5) !== null, isRefusal);
    });
  }

  it("pauseMs() follows the time that the provider names, be it long, and of a used-up quota too (P-14)", () => {
    assertEquals(pauseMs("rate-limited", 7_200_000, 1, 0.9), 7_200_000);
    assertEquals(pauseMs("server", 0, 9, 0.9), 0);
    assertEquals(pauseMs("quota", 3_600_000, 1, 0.9), 3_600_000);
    assertEquals(pauseMs("crash", 5_000, 1, 0.9), null);
    assertEquals(pauseMs(null, 5_000, 1, 0.9), null);
  });

  it("pauseMs() draws from a range that doubles with each refusal, up to two minutes (P-14)", () => {
    const longest = (failures: number) => pauseMs("rate-limited", null, failures, 0.999999)!;
    assertEquals(pauseMs("rate-limited", null, 5, 0), 0);
    assert(longest(1) < 1_000 && longest(2) > 1_900 && longest(3) > 3_900);
    assert(longest(60) < 120_000 && longest(60) > 119_000);
  });
});

describe("spreadMs()", () => {
  it("spreadMs() lets those who were refused together come back one by one (P-14)", () => {
    assertEquals(spreadMs(0, 0.9), 0);
    assertEquals([spreadMs(1, 0), spreadMs(1, 0.5), spreadMs(3, 0.5)], [0, 500, 2000]);
  });
});

describe("describePause()", () => {
  it("describePause() says whose time it is, and nothing where that is not on record (P-14)", () => {
    assertEquals([1, 3].map((failures) => describePause(failures, null)), [
      "a back-off of ours after a refusal, since no time was named",
      "a back-off of ours after 3 refusals in a row, since no time was named",
    ]);
    assertEquals(describePause(3, 2500), "as it asked for 2.5 s");
    assertEquals(describePause(1, undefined), "");
  });
});
