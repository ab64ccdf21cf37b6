import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { invocationOf } from "./identity.ts";
import { formatWorker, parseRoster } from "./worker-spec.ts";

describe("formatWorker()", () => {
  it("formatWorker() writes what parseRoster() reads again, and no word more than it needs", () => {
    const own = { lint: { argv: ["true"], defaultModel: "m-1" } };
    for (
      const spec of [
        "claude",
        "alpha,provider=lint",
        "alpha,provider=lint,model=none",
        "beta,provider=lint,model=m 2,role=critic",
      ]
    ) {
      const [worker] = parseRoster([spec], "discussion", own);
      assertEquals(formatWorker(worker!, worker!.entry.defaultModel), spec);
    }
  });
});

describe("invocationOf()", () => {
  it("invocationOf() takes the attempt off a dispatch, with and without an id", () => {
    assertEquals(
      ["a-001:attempt-2", "/p/x.md#12", "not-run:beta", "a:attempt-x"].map(invocationOf),
      ["a-001", "/p/x.md", "not-run:beta", "a:attempt-x"],
    );
  });
});
