import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { formatAgain, withAgain } from "./again.ts";
import { type AskedEntry, collectCommand, nextOfAsked } from "./next-step.ts";
import { judgeEntry } from "./step-progress.ts";

const entry = {
  "invocation-id": "reverify-r1-a-001",
  "worker-id": "a",
  audience: "convergence-reverify",
  "dispatch-kind": "reverify-r1",
  "assignment-ref": "initial/a",
  instruction: "i.md",
  prompt: "p.md",
  result: "r.md",
};
const row = (status: string, fields = {}) => ({
  workerId: "a",
  kind: "reverify-r1",
  invocationId: "reverify-r1-a-001",
  dispatchId: "reverify-r1-a-001:attempt-1",
  status,
  workerResultPath: "/r.md",
  ...fields,
});
const second = { attempt: 2, dispatchId: "reverify-r1-a-001:attempt-2" };
const hosted = { dispatchId: "reverify-r1-a-001:attempt-1", invocationId: "reverify-r1-a-001" };
const rejected = (supersededBy: string) => ({
  dispatchId: "reverify-r1-a-001:attempt-1",
  resultPath: "r.md",
  supersededBy,
  rejectionReason: "x",
});

describe("judgeEntry()", () => {
  const judge = (team: object, attempts: Parameters<typeof judgeEntry>[2] = []) =>
    judgeEntry(entry, { workers: [], ...team }, attempts, at);
  const at = (path: string) => path.startsWith("/") ? path : `/p/${path}`;

  it("tells what became of a command line's last attempt", () => {
    assertEquals(judge({}), { state: "undone" });
    assertEquals(
      judge({ workerDispatches: [row("error"), row("running", second)] }).state,
      "running",
    );
    const done = { state: "ended", status: "completed", durationMs: 5, resultPath: "/r.md" };
    const team = { workerDispatches: [row("completed", { durationMs: 5 })] };
    assertEquals(judge(team), { ...done, isHosted: false } as never);
    const failed = judge({ workerDispatches: [row("timeout")] });
    assertEquals(failed.state === "ended" && failed.resultPath, null);
  });

  it("takes a result that was rejected in favour of the next attempt for none", () => {
    const judged = (superseder: string, ...rows: object[]) =>
      judge({ workerDispatches: rows, agentResultLinks: [rejected(superseder)] }).state;
    assertEquals(judged("reverify-r1-a-001:attempt-2", row("completed")), "undone");
    assertEquals(
      judged("reverify-r1-a-001:attempt-2", row("completed"), row("completed", second)),
      "ended",
    );
    assertEquals(judged("somebody-else", row("completed")), "ended");
  });

  it("tells what became of a session of the host", () => {
    const team = { agentDispatches: [{ ...hosted, invocationRef: "x", attempt: 1 }] };
    assertEquals(judge(team), { state: "hosted", dispatchId: hosted.dispatchId });
    const linked = { ...team, agentResultLinks: [{ ...hosted, resultPath: "r.md" }] };
    const ended = judge(linked);
    assertEquals(ended.state === "ended" && [ended.status, ended.resultPath], [
      "completed",
      "/p/r.md",
    ]);
    const facts = { invocationRef: "x", attempt: 1, finishedAt: "2026-01-01T00:00:00Z" };
    const failed = judge(team, [facts]);
    assertEquals(failed.state === "ended" && [failed.status, failed.resultPath], ["error", null]);
  });
});

describe("nextOfAsked()", () => {
  const asked = (...progress: AskedEntry["progress"][]) => ({
    kind: "reverify-r1",
    batchPath: "/p/a b.json",
    entries: progress.map((each, i) => ({ worker: `w${i}`, resultPath: "/r.md", progress: each })),
  });
  const done = {
    state: "ended",
    status: "completed",
    durationMs: 7,
    resultPath: "/r.md",
    isHosted: false,
  } as const;
  const failed = { ...done, status: "timeout", resultPath: null } as const;

  it("names the dispatch until all have ended, then what collects the answers", () => {
    const run = "okstra-dispatch run --batch '/p/a b.json' --timeout 90";
    assertEquals(nextOfAsked(asked({ state: "undone" }, done)), run);
    assertEquals(nextOfAsked(asked(done, { state: "running" })), run);
    assertEquals(nextOfAsked(asked(done, failed)), null);
    assertEquals(
      collectCommand(asked(done, failed), "adversarial"),
      "okstra-dispatch await --dispatch-kind reverify-r1 | " +
        "okstra-convergence collect-results --mode adversarial --await -",
    );
  });

  it("names what a session of the host needs", () => {
    assertEquals(
      nextOfAsked(asked(done, { state: "hosted", dispatchId: "d" })),
      "okstra-team-state result link --dispatch-id d --result /r.md",
    );
    assertEquals(
      collectCommand(asked({ ...done, isHosted: true }, failed), "coverage"),
      "okstra-convergence collect-results --mode coverage --dispatch w0=completed:7 " +
        "--result w0=/r.md --dispatch w1=timeout:7",
    );
  });
});

describe("withAgain()", () => {
  const problems = [{ line: 3, column: 1, message: "m" }, { line: 9, column: 1, message: "n" }];
  const origin = { option: "batch", path: "/b.json" };
  const again = (...rows: object[]) =>
    withAgain({ workers: [], workerDispatches: rows as never }, "reverify-r1", [
      { worker: "a", problems },
    ]);

  it("rejects the last completed attempt in favour of the next", () => {
    const texts = again(row("error", { origin }), row("completed", { ...second, origin }));
    assertEquals(
      formatAgain(texts),
      "okstra-team-state result reject --dispatch-id reverify-r1-a-001:attempt-2 " +
        "--superseded-by reverify-r1-a-001:attempt-3 " +
        "--reason 'its text does not parse: 2 problems, the first in line 3' && " +
        "okstra-dispatch run --batch /b.json --worker a",
    );
  });

  it("knows nothing to do for what no batch of ours asked", () => {
    for (
      const rows of [
        [],
        [row("completed")],
        [row("running", { origin })],
        [row("completed", { origin: { option: "batch", path: "-" } })],
        [row("completed", { origin, kind: "initial" })],
        [row("completed", { origin, workerId: "b" })],
      ]
    ) {
      const texts = again(...rows);
      assertEquals([texts[0]?.again, formatAgain(texts)], [null, null]);
    }
  });
});
