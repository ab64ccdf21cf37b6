import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { describeActivity } from "./activity.ts";
import { sampleSidecar } from "./test-sidecar.ts";

describe("describeActivity()", () => {
  const ended = (changes: Partial<StatusSidecar>) =>
    describeActivity(sampleSidecar({ isTerminal: true, stage: "exited", ...changes }), 0);

  it("says of a refused worker how long to leave its provider alone, or that nobody told (P-14)", () => {
    assertEquals(ended({ failureClass: "rate-limited", retryAfterMs: 2500 }), [
      "its provider asked to be left alone for 2.5 s from then on",
    ]);
    assertEquals(ended({ failureClass: "server", retryAfterMs: null }), [
      "how long to leave its provider alone was not told: okstra-dispatch takes a back-off of its own",
    ]);
    assertEquals(ended({ failureClass: "quota", retryAfterMs: null }), [
      "when the quota comes back was not told",
    ]);
  });

  it("says nothing of that where waiting is of no use", () => {
    assertEquals(ended({ failureClass: "auth", retryAfterMs: null }), []);
    assertEquals(ended({ failureClass: null }), []);
  });
});
