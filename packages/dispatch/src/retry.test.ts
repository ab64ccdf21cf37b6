import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  FAILURE_CLASSES,
  type FailureClass,
  TEARDOWN_REASON,
} from "@okstra/manifest-io/vocabulary";
import type { Outcome } from "./outcome.ts";
import {
  countRetries,
  decideRetry,
  isRetryScheduled,
  retriesLeft,
  retryBudget,
  type RetryPolicy,
} from "./retry.ts";
import { makeRow } from "./test-jobs.ts";

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
const FIRST = makeRow(), SECOND = makeRow({ attempt: 2 });
const allow: RetryPolicy = { isAllowed: true, isLostRetried: false, retryOn: [] };

describe("decideRetry()", () => {
  const always = ["no-result", "rate-limited", "server"];
  for (const failureClass of FAILURE_CLASSES) {
    const expected = always.includes(failureClass);
    it(`decideRetry() ${expected ? "tries" : "does not try"} ${failureClass} again (D-046)`, () => {
      assertEquals(decideRetry(failed(failureClass), FIRST, allow, 1).isRetry, expected);
    });
  }

  it("decideRetry() tries crash and protocol again only if asked to (D-046)", () => {
    const policy: RetryPolicy = { isAllowed: true, isLostRetried: false, retryOn: ["crash"] };
    assert(decideRetry(failed("crash"), FIRST, policy, 1).isRetry);
    assert(!decideRetry(failed("protocol"), FIRST, policy, 1).isRetry);
  });

  it("decideRetry() tries a lost attempt again only where a run is resumed (P-17)", () => {
    const lost = failed(null, { rule: "lost" });
    assert(!decideRetry(lost, FIRST, allow, 1).isRetry);
    assert(decideRetry(lost, FIRST, { ...allow, isLostRetried: true }, 1).isRetry);
    assert(!decideRetry(lost, SECOND, { ...allow, isLostRetried: true }, 1).isRetry);
  });

  it("decideRetry() leaves alone what was written off, however it ended after that (T-018)", () => {
    const row = makeRow({ status: "error", reason: TEARDOWN_REASON });
    for (const outcome of [failed("no-result"), failed("server"), failed(null, { rule: "lost" })]) {
      assert(!decideRetry(outcome, row, { ...allow, isLostRetried: true }, 1).isRetry);
    }
  });

  it("decideRetry() never makes a third attempt (D-046, P-15)", () => {
    assert(!decideRetry(failed("no-result"), SECOND, allow, 1).isRetry);
  });

  it("decideRetry() never tries a timeout again, nor a success, nor without leave (D-046)", () => {
    assert(!decideRetry(failed("timeout", { status: "timeout" }), FIRST, allow, 1).isRetry);
    assert(!decideRetry(failed(null, { status: "completed" }), FIRST, allow, 1).isRetry);
    assert(!decideRetry(failed("no-result"), FIRST, { ...allow, isAllowed: false }, 1).isRetry);
    assert(!decideRetry(failed(null), FIRST, allow, 1).isRetry);
  });
});

describe("retryBudget()", () => {
  it("retryBudget() gives a run one retry for each worker, and a small one twenty (P-15)", () => {
    assertEquals([retryBudget(1), retryBudget(20), retryBudget(200)], [20, 20, 200]);
  });

  it("decideRetry() stops once the run has used up its retries, but goes on after a crash (P-15, P-17)", () => {
    assert(!decideRetry(failed("no-result"), FIRST, allow, 0).isRetry);
    assert(!decideRetry(failed("rate-limited"), FIRST, allow, -1).isRetry);
    const lost = failed(null, { rule: "lost" });
    assert(decideRetry(lost, FIRST, { ...allow, isLostRetried: true }, 0).isRetry);
  });

  it("countRetries() counts them over all rounds of the run (P-15)", () => {
    const rows = [
      makeRow(),
      makeRow({ attempt: 2 }),
      makeRow({ kind: "reverify-r1", attempt: 2 }),
      makeRow({ kind: "reverify-r1" }),
    ];
    assertEquals(countRetries(rows), 2);
  });

  it("retriesLeft() counts a retry that waits for its turn, and no first attempt that does (P-15)", () => {
    const rows = [makeRow({ status: "error" }), makeRow({ invocationId: "inv-beta", attempt: 2 })];
    const fresh = Array.from({ length: 30 }, (_, at) => `inv-fresh-${at}`);
    assertEquals(retriesLeft(3, rows, fresh), 19);
    assertEquals(retriesLeft(3, rows, ["inv-alpha", ...fresh]), 18);
  });

  it("isRetryScheduled() asks the row, but not once a result came late (P-17)", () => {
    const row = makeRow({ status: "error" }), scheduled = { ...row, retryScheduled: true };
    assertEquals([row, scheduled].map(isRetryScheduled), [false, true]);
    assertEquals(isRetryScheduled({ ...scheduled, status: "completed" }), false);
  });
});
