import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { recordTeardown, tornDownSince } from "./teardowns.ts";

describe("tornDownSince()", () => {
  it("tornDownSince() tells whom a teardown meant that came after the state (T-018)", () => {
    const before = recordTeardown({ workers: [] }, [], "2026-01-01T00:00:00Z");
    const isTornDown = tornDownSince(before);
    const one = recordTeardown(before, ["alpha"], "2026-01-01T00:00:01Z");
    const all = recordTeardown(one, [], "2026-01-01T00:00:02Z");
    assertEquals(
      [before, one, all].map((state) => ["alpha", "beta"].map((id) => isTornDown(state, id))),
      [[false, false], [true, false], [true, true]],
    );
    assertEquals(tornDownSince({ workers: [] })(one, "beta"), true);
  });
});
