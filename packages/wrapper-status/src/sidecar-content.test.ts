import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { statusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import type { Conclusion } from "./conclusion.ts";
import { type Findings, NO_FINDINGS, type Trouble } from "./events/findings.ts";
import { findingFields, retryAfterOf } from "./sidecar-content.ts";
import { sampleSidecar } from "./test-sidecar.ts";

const told = (changes: Partial<Trouble> = {}): Findings => ({
  ...NO_FINDINGS,
  trouble: {
    failureClass: "rate-limited",
    message: "slow down",
    isTerminal: false,
    retryAfterMs: null,
    retryAt: null,
    ...changes,
  },
});

describe("findingFields()", () => {
  it("keeps the time at which an error was told first, and a new one's own", () => {
    const before = sampleSidecar();
    const first = findingFields(told(), before, "2026-01-31T09:06:00Z");
    assertEquals(first.providerError, {
      failureClass: "rate-limited",
      message: "slow down",
      isTerminal: false,
      at: "2026-01-31T09:06:00Z",
    });
    const sidecar = { ...before, ...first };
    assertEquals(validateShape(statusSidecar, sidecar), []);
    const again = findingFields(told(), sidecar, "2026-01-31T09:07:00Z");
    assertEquals(again.providerError, first.providerError);
    for (
      const change of [{ isTerminal: true }, { message: "no" }, { failureClass: "server" as const }]
    ) {
      const next = findingFields(told(change), sidecar, "2026-01-31T09:07:00Z");
      assertEquals(next.providerError?.at, "2026-01-31T09:07:00Z");
    }
    assertEquals(findingFields(NO_FINDINGS, sidecar, "2026-01-31T09:08:00Z").providerError, null);
  });

  it("takes the session that the agent names only where none was given", () => {
    const found = { ...NO_FINDINGS, sessionId: "own" };
    const now = "2026-01-31T09:06:00Z";
    assertEquals(findingFields(found, sampleSidecar(), now).sessionId, "own");
    assertEquals(
      findingFields(found, sampleSidecar({ sessionId: "given" }), now).sessionId,
      "given",
    );
  });
});

describe("retryAfterOf()", () => {
  const now = Date.UTC(2026, 0, 31, 9);
  const waits = (failureClass: FailureClass | null, changes: Partial<Trouble>) =>
    retryAfterOf({ failureClass } as Conclusion, told(changes), now);

  it("tells the provider's own waiting time (P-14)", () => {
    assertEquals(waits("rate-limited", { retryAfterMs: 1500.4 }), 1500);
    assertEquals(waits("quota", { retryAt: now + 60_000, retryAfterMs: 5 }), 60_000);
    assertEquals(waits("server", { retryAt: now - 60_000 }), 0);
    assertEquals(waits("rate-limited", {}), null);
  });

  it("tells none where waiting is of no use, or where it would never end", () => {
    for (const failureClass of ["auth", "timeout", "crash", null] as const) {
      assertEquals(waits(failureClass, { retryAfterMs: 1000 }), null);
    }
    assertEquals(waits("quota", { retryAfterMs: 1e308 }), null);
    assertEquals(waits("quota", { retryAt: Infinity }), null);
    assertEquals(retryAfterOf({ failureClass: "server" } as Conclusion, NO_FINDINGS, now), null);
  });
});
