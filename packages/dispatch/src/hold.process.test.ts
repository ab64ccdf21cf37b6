import { describe, it } from "node:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { type ProviderHold, providerHold } from "@okstra/manifest-io/schemas/provider-hold";
import type { StartPayload } from "./io/start.ts";
import { type TestRun, withRun } from "./test-run.ts";

const STATE = ".okstra/tasks/t/u/v/runs/discussion/state";

const holds = (run: TestRun) =>
  readdirSync(run.at(STATE)).filter((name) =>
    name.startsWith("provider-hold-") && name.endsWith(".json")
  );
const readHold = (run: TestRun): ProviderHold =>
  JSON.parse(readFileSync(join(run.root, STATE, holds(run)[0]!), "utf8"));
const writeHold = (run: TestRun, change: Partial<ProviderHold>) =>
  writeFileSync(
    join(run.root, STATE, holds(run)[0]!),
    JSON.stringify({ ...readHold(run), ...change }),
  );
const seconds = (time: string) => Math.round(Date.parse(time) / 1000);

describe("a provider that refuses", () => {
  it("run takes its Retry-After, writes it down for the whole run, and starts nothing before (P-14)", () =>
    withRun({ alpha: "rate-limit-long", beta: "waits" }, async (run) => {
      const before = Date.now() / 1000;
      const words = ["--worker", "alpha", "--timeout", "0.5", "--poll", "0.05"];
      const { code, stderr } = await run.call(["run", ...words]);
      assertEquals(code, 1);
      assertMatch(stderr, /HOLD provider fake until .*: rate-limited, as it asked for 7200 s/);
      assertMatch(stderr, /RETRY alpha initial attempt 1: class rate-limited, not before 7/);
      assertEquals(holds(run), ["provider-hold-fake-discussion-001.json"]);
      const hold = readHold(run);
      assertEquals(validateShape(providerHold, hold), []);
      assertEquals([hold.failures, hold.cause], [1, {
        dispatchId: "discussion-alpha-001:attempt-1",
        failureClass: "rate-limited",
        retryAfterMs: 7_200_000,
      }]);
      const waits = seconds(hold.notBefore) - before;
      assert(waits > 7195 && waits < 7300, String(waits));
      // Another worker of that provider, by any call of the run.
      const { json } = await run.call(["start", "--worker", "beta"]);
      const { started, deferred } = json as StartPayload;
      assertEquals([started, deferred.map((it) => it.workerId)], [[], ["beta"]]);
      assertStringIncludes(deferred[0]!.why, hold.notBefore);
      const other = await run.call(["run", "--worker", "beta", "--timeout", "0.1"]);
      const { workers: [beta] } = other.json as { workers: { status: string; reason: string }[] };
      assertEquals([other.code, beta?.status], [1, "not-run"]);
      assertMatch(beta!.reason, /before provider fake may be asked again/);
      assertMatch(other.stderr, /provider fake is left alone until/);
      assertEquals(run.rows().length, 1);
      const { json: why } = await run.call(["why", "--worker", "alpha"]);
      assertStringIncludes(
        (why as { why: string }).why,
        `left alone until ${hold.notBefore}, as it`,
      );
    }));

  it("run goes on once the time is over, a result ends the hold, and other providers never wait (P-14)", () =>
    withRun({}, async (run) => {
      await run.call(["run", "--worker", "alpha", "--timeout", "0.5", "--no-retry"]);
      const other = await run.wait(["run", "--worker", "carl"]);
      assertEquals(other.code, 0, other.stderr);
      writeHold(run, { notBefore: "2026-01-01T00:00:00Z", failures: 3 });
      const { code, stderr } = await run.wait(["run", "--worker", "beta"]);
      assertEquals(code, 0, stderr);
      assertEquals(readHold(run).failures, 0);
      assertEquals(holds(run).length, 1);
    }, {
      workers: [
        "alpha,provider=fake,model=rate-limit-long",
        "beta,provider=fake,model=ok",
        "carl,provider=claude,model=ok",
      ],
    }));

  it("run backs off after a fault of the server, and after the next one longer (P-14)", () =>
    withRun({ alpha: "server", beta: "server" }, async (run) => {
      const { code, stderr, summary } = await run.wait(["run"]);
      assertEquals(code, 0, stderr);
      assertEquals(summary.workers.map((it) => it.attempt), [2, 2]);
      assertEquals(stderr.match(/^HOLD .*: server, a back-off of ours after /gm)?.length, 2);
      assertEquals(readHold(run).failures, 0);
      assertEquals(run.rows().map((row) => row["retryScheduled"] ?? false), [
        true,
        true,
        false,
        false,
      ]);
    }));

  it("await takes up a retry that another call had scheduled and did not come to (P-17, P-14)", () =>
    withRun({ alpha: "server" }, async (run) => {
      await run.call(["start"]);
      // The time is up before the retry's turn.
      await run.call(["await", "--timeout", "0", "--poll", "0.05"]);
      for (let i = 0; i < 500 && run.rows()[0]?.status === "running"; i++) {
        await run.call(["await", "--timeout", "0", "--poll", "0.05"]);
      }
      assertEquals(run.rows().map((row) => row.status), ["error"]);
      // The tree is compared once nothing is left to start.
      const audits = () => run.state().mutationAudits?.map((audit) => audit["status"]);
      assertEquals(audits(), ["open"]);
      const { code, summary } = await run.wait(["await"]);
      assertEquals([code, summary.workers[0]?.attempt], [0, 2]);
      assertEquals(audits(), ["violation"]);
    }));
});
