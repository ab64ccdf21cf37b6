import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { FAILURE_CLASSES, type FailureClass } from "@okstra/manifest-io/vocabulary";
import type { Outcome } from "./outcome.ts";
import { BACKOFF_LIMIT_MS, backoffMs, decideRetry, type RetryPolicy } from "./retry.ts";

const failed = (failureClass: FailureClass | null, change: Partial<Outcome> = {}): Outcome => ({
  status: "error",
  reason: "r",
  failureClass,
  exitCode: 1,
  missingCompletionPaths: [],
  rule: "exit-code",
  evidence: [],
  ...change,
});
const allow: RetryPolicy = { isAllowed: true, isLostRetried: false, retryOn: [] };

describe("decideRetry()", () => {
  const always = ["no-result", "rate-limited", "server"];
  for (const failureClass of FAILURE_CLASSES) {
    const expected = always.includes(failureClass);
    it(`decideRetry() ${expected ? "tries" : "does not try"} ${failureClass} again (D-046)`, () => {
      const decision = decideRetry(failed(failureClass), 1, allow);
      assertEquals(decision.isRetry, expected);
      assertEquals(decision.needsBackoff, expected && failureClass !== "no-result");
    });
  }

  it("decideRetry() tries crash and protocol again only if asked to (D-046)", () => {
    const policy: RetryPolicy = { isAllowed: true, isLostRetried: false, retryOn: ["crash"] };
    assert(decideRetry(failed("crash"), 1, policy).isRetry);
    assert(!decideRetry(failed("protocol"), 1, policy).isRetry);
  });

  it("decideRetry() tries a lost attempt again only where a run is resumed (P-17)", () => {
    const lost = failed(null, { rule: "lost" });
    assert(!decideRetry(lost, 1, allow).isRetry);
    assert(decideRetry(lost, 1, { ...allow, isLostRetried: true }).isRetry);
    assert(!decideRetry(lost, 2, { ...allow, isLostRetried: true }).isRetry);
  });

  it("decideRetry() never makes a third attempt (D-046, P-15)", () => {
    assert(!decideRetry(failed("no-result"), 2, allow).isRetry);
  });

  it("decideRetry() never tries a timeout again, nor a success, nor without leave (D-046)", () => {
    assert(!decideRetry(failed("timeout", { status: "timeout" }), 1, allow).isRetry);
    assert(!decideRetry(failed(null, { status: "completed" }), 1, allow).isRetry);
    assert(!decideRetry(failed("no-result"), 1, { ...allow, isAllowed: false }).isRetry);
    assert(!decideRetry(failed(null), 1, allow).isRetry);
  });
});

describe("backoffMs()", () => {
  it("backoffMs() spreads over the whole limit and follows the provider's own time (P-14)", () => {
    assertEquals(backoffMs(0, null), 0);
    assert(backoffMs(0.999999, null) < BACKOFF_LIMIT_MS);
    assertEquals(backoffMs(0.5, null), BACKOFF_LIMIT_MS / 2);
    assertEquals(backoffMs(0.9, 2), 2000);
    assertEquals(backoffMs(0.9, 0), 0);
  });
});
