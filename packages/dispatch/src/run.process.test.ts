import { describe, it } from "node:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { processState } from "@okstra/kit/host";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { awaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { LAUNCH_FAILURE_PREFIX, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { settleDispatch, updateTeamState } from "@okstra/team-state/io/team-state";
import type { StartPayload } from "./io/start.ts";
import { FAKE_WRAPPERS, type TestRun, until, withRun } from "./test-run.ts";

const go = (run: TestRun) => writeFileSync(run.at("go"), "");
const RUN_DIRECTORY = ".okstra/tasks/t/u/v/runs/discussion";

describe("okstra-dispatch run", () => {
  it("run starts all workers at once, waits, and settles rows, workers, attempts and events (D-052, D-045)", () =>
    withRun({ alpha: "all-three", beta: "all-three", gamma: "all-three" }, async (run) => {
      const { code, summary, stderr } = await run.wait(["run"]);
      assertEquals(code, 0, stderr);
      assertEquals(validateShape(awaitSummary, summary), []);
      assertEquals(
        summary.workers.map((it) => `${it.workerId} ${it.status} ${it.durationMs}`),
        ["alpha completed 5000", "beta completed 5000", "gamma completed 5000"],
      );
      // Each of them waited for the start of the other two.
      assertEquals(run.trace().slice(0, 3).every((line) => line.startsWith("start ")), true);
      assertEquals(run.workers(), ["alpha completed", "beta completed", "gamma completed"]);
      assertEquals(new Set(run.attempts()).size, 3);
      assert(run.attempts().every((line) => line.endsWith(" 1 ok")));
      assertEquals(run.events().slice(0, 3), [
        "worker-dispatched alpha 1",
        "worker-dispatched beta 1",
        "worker-dispatched gamma 1",
      ]);
      assertEquals(
        run.events().slice(3).sort(),
        ["alpha", "beta", "gamma"].map((id) => `worker-result-collected ${id} 1`),
      );
      assertEquals([run.state().dispatchMode, run.state().teamCreate?.status], [
        "cli-wrapper",
        "implicit",
      ]);
      assertEquals(run.state().agentDispatches, []);
    }));

  it("run --parallel 1 starts the next worker when one has ended (D-052)", () =>
    withRun({ alpha: "ok", beta: "fails", gamma: "ok" }, async (run) => {
      const { code, summary } = await run.wait(["run", "--parallel", "1", "--no-retry"]);
      assertEquals(code, 1);
      assertEquals(run.trace().filter((line) => line.startsWith("start")), [
        "start alpha 1",
        "start beta 1",
        "start gamma 1",
      ]);
      assertEquals(run.events(), [
        "worker-dispatched alpha 1",
        "worker-result-collected alpha 1",
        "worker-dispatched beta 1",
        "worker-failed beta 1",
        "worker-dispatched gamma 1",
        "worker-result-collected gamma 1",
      ]);
      assertEquals(summary.workers.map((it) => it.status), ["completed", "error", "completed"]);
      assertEquals(summary.workers[1]?.reason, "the child ended with status 3");
      assertEquals(run.workers()[1], "beta error");
    }));

  it("run again after success starts nothing, changes nothing and reports the same (P-17, P-25)", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      const first = await run.wait(["run"]);
      const before = run.files();
      const second = await run.wait(["run"]);
      assertEquals([second.code, second.stdout], [0, first.stdout]);
      assertEquals(run.files(), before);
      assertStringIncludes(second.stderr, "KEPT alpha: it has completed");
    }));

  it("run tries a worker without a result once more, as an attempt of its own (D-046, T-023)", () =>
    withRun({ alpha: "second-try" }, async (run) => {
      const { code, summary } = await run.wait(["run"]);
      assertEquals([code, summary.workers[0]?.dispatchId], [0, "discussion-alpha-001:attempt-2"]);
      assertEquals(run.rows().map((row) => `${row.dispatchId} ${row.status}`), [
        "discussion-alpha-001:attempt-1 error",
        "discussion-alpha-001:attempt-2 completed",
      ]);
      assertEquals(run.events(), [
        "worker-dispatched alpha 1",
        "worker-failed alpha 1",
        "worker-retry-scheduled alpha 1",
        "worker-dispatched alpha 2",
        "worker-result-collected alpha 2",
      ]);
      assertEquals(run.attempts(), [
        "discussion-alpha-001 1 error",
        "discussion-alpha-001 2 ok",
      ]);
      const prompts = readdirSync(run.at(`${RUN_DIRECTORY}/prompts`));
      assert(prompts.some((name) => name.endsWith(".status.json.before-1")), prompts.join());
    }));

  it("run reports workers whose metadata is gone, or another one's, and stops nobody else (D-048, P-15)", () =>
    withRun({ alpha: "no-metadata", beta: "ok", gamma: "other-metadata" }, async (run) => {
      const { code, summary, stderr } = await run.wait(["run"]);
      assertEquals(code, 1, stderr);
      assertEquals(summary.workers.map((it) => `${it.workerId} ${it.attempt} ${it.status}`), [
        "alpha 2 error",
        "beta 1 completed",
        "gamma 2 error",
      ]);
      const [gone, , other] = summary.workers.map(({ reason }) => reason);
      assertMatch(gone!, /^cli batch launch failed: .*there is no such file/);
      assertMatch(other!, /^cli batch launch failed: .*recorded with another inputDigest/);
      assertEquals(stderr.match(/is not in the ledger of attempts/g)?.length, 2);
      assertEquals((await run.wait(["await"])).summary.workers.length, 3);
    }));

  it("run tries no worker twice with --no-retry, and none three times (D-046, P-15)", () =>
    withRun({ alpha: "no-result" }, async (run) => {
      assertEquals((await run.wait(["run", "--no-retry"])).code, 1);
      assertEquals(run.rows().length, 1);
      // Asking again is leave for the attempt that is left.
      const { code, summary } = await run.wait(["run"]);
      assertEquals([code, run.rows().length, summary.workers[0]?.attempt], [1, 2, 2]);
      assertStringIncludes(summary.workers[0]!.reason, "exit code 0, but without its result: ");
      const before = run.files();
      const third = await run.wait(["run"]);
      assertEquals([third.code, run.files()], [1, before]);
      assertStringIncludes(third.stderr, "attempts are used up");
    }));

  it("run waits before it tries a rate limit again (P-14)", () =>
    withRun({ alpha: "rate-limit" }, async (run) => {
      const { code, stderr } = await run.wait(["run"]);
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /RETRY alpha initial attempt 1: class rate-limited/);
    }));

  it("run refuses to try a class again that would fail in the same way (D-046, P-14)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const before = run.files();
      const never = ["auth", "permission", "model", "quota", "context-overflow", "environment"];
      for (const failure of [...never, "interrupted", "timeout", "task"]) {
        const { code, stdout } = await run.call(["run", "--retry-on", failure]);
        assertEquals([code, stdout], [2, ""], failure);
      }
      assertEquals(run.files(), before);
    }));

  it("run tries a crash again only if --retry-on says so (D-046)", () =>
    withRun({ alpha: "fails" }, async (run) => {
      await run.wait(["run", "--retry-on", "crash"]);
      assertEquals(run.rows().length, 2);
    }));

  it("run reports a timeout as what it is and does not repeat it (W-012, D-046)", () =>
    withRun({ alpha: "idle" }, async (run) => {
      const { summary } = await run.wait(["run"]);
      const [worker] = summary.workers;
      assertEquals([worker?.status, worker?.reason, worker?.rule], [
        "timeout",
        "no progress for 600 s",
        "timeout-flag",
      ]);
      assertEquals([run.workers(), run.rows().length], [["alpha timeout"], 1]);
      assertEquals(run.attempts(), ["discussion-alpha-001 1 timeout"]);
    }));

  it("run settles a start that fails, with a reason of its own (D-042, D-062)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      writeFileSync(run.at("okstra-wrapper-status"), "not executable\n");
      const { code, stdout } = await run.call(["run", "--timeout", "120"], {
        OKSTRA_BIN_DIR: run.root,
      });
      const { workers: [worker] } = JSON.parse(stdout);
      assertEquals([code, worker.status, run.workers()], [1, "error", ["alpha error"]]);
      assertMatch(worker.reason, new RegExp(`^${LAUNCH_FAILURE_PREFIX}: .*no program`));
      assertEquals(run.attempts(), ["discussion-alpha-001 1 error"]);
      assertEquals(run.events(), ["worker-failed alpha 1"]);
      assertEquals(run.state().dispatchMode, "cli-wrapper");
    }));

  it("run starts a provider's own script in place of the wrapper, with the same positions (W-006, W-001)", () =>
    withRun({}, async (run) => {
      const manifest = JSON.parse(readFileSync(run.run.manifestPath, "utf8"));
      manifest.providers.fake.wrapper = "own.sh";
      writeFileSync(run.run.manifestPath, JSON.stringify(manifest));
      const missing = await run.call(["run"]);
      assertEquals([missing.code, missing.stdout, run.rows()], [2, "", []]);
      for (const place of ["bin/own.sh", "scripts/own.sh"]) {
        assertStringIncludes(missing.stderr, run.at(place));
      }
      mkdirSync(run.at("scripts"));
      const script = run.at("scripts/own.sh");
      const stand = `exec '${FAKE_WRAPPERS}/okstra-wrapper-status' run "$@"`;
      writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$@" >'${run.root}/words'\n${stand}\n`);
      chmodSync(script, 0o755);
      const { code, stderr } = await run.wait(["run"]);
      assertEquals(code, 0, stderr);
      const words = readFileSync(run.at("words"), "utf8").split("\n");
      const [row] = run.rows();
      assertEquals(words.slice(0, 6), [run.root, "ok", row!.promptPath!, "", "analyser", ""]);
      assertEquals([words.includes("--provider"), row?.wrapperPath], [false, script]);
    }, { workers: ["alpha,provider=fake,model=ok"] }));

  it("run gives the wrapper the facts of its attempt (D-043)", () =>
    withRun({ alpha: "environment" }, async (run) => {
      await run.wait(["run"]);
      const lines = readFileSync(run.at("environment"), "utf8").trim().split("\n");
      const [row] = run.rows();
      for (
        const line of [
          "OKSTRA_ATTEMPT=1",
          `OKSTRA_COMPLETION_PATHS=${JSON.stringify(row?.completionPaths)}`,
          "OKSTRA_DISPATCH_ID=discussion-alpha-001:attempt-1",
          `OKSTRA_RUN_MANIFEST_PATH=${run.run.manifestPath}`,
          `OKSTRA_WORKER_AUDIT_PATH=${row?.workerResultPath}.audit.json`,
          "OKSTRA_WORKER_ID=alpha",
          `OKSTRA_WORKER_RESULT_PATH=${row?.resultPath}`,
        ]
      ) assert(lines.includes(line), `${line} in\n${lines.join("\n")}`);
      assert(!lines.some((line) => line.startsWith("OKSTRA_REPORT_WRITER")));
    }));

  it("run marks who was not requested, but nobody who has run (D-006)", () =>
    withRun({ alpha: "ok", beta: "ok", gamma: "ok" }, async (run) => {
      const reasons = () => run.state().workers.map((row) => `${row.status}: ${row.reason}`);
      await run.wait(["run", "--worker", "alpha"]);
      assertEquals(reasons(), ["completed: ", "not-run: not requested", "not-run: not requested"]);
      await run.wait(["run", "--worker", "beta"]);
      assertEquals(reasons(), ["completed: ", "completed: ", "not-run: not requested"]);
    }));

  it("run moves no worker row for another kind than initial (D-059)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      writeFileSync(run.at("question.md"), "Why?\n");
      const batch = {
        invocations: [{
          "invocation-id": "question-r-0001-alpha-001",
          "worker-id": "alpha",
          "audience": "discussion-analysis",
          "dispatch-kind": "discussion-question",
          "assignment-ref": "initial/alpha",
          "instruction": "question.md",
          "prompt": `${RUN_DIRECTORY}/prompts/alpha-worker-prompt-q-discussion-001.md`,
          "result": `${RUN_DIRECTORY}/worker-results/alpha-worker-q-discussion-001.md`,
        }],
      };
      writeFileSync(run.at("batch.json"), JSON.stringify(batch));
      const before = run.state().workers;
      const { code, summary } = await run.wait(["run", "--batch", "batch.json"]);
      assertEquals([code, summary.workers[0]?.dispatchKind], [0, "discussion-question"]);
      assertEquals(run.state().workers, before);
      assertEquals(summary.workers[0]?.resultPath, run.at(batch.invocations[0]!.result));
    }));

  it("run writes the same bytes twice, one worker at a time", async () => {
    const kept = async () => {
      const seen: string[] = [];
      await withRun({ alpha: "ok", beta: "second-try" }, async (run) => {
        await run.wait(["run", "--parallel", "1"]);
        const plain = JSON.stringify([run.state(), run.events(), run.attempts()])
          .replaceAll(run.root, "ROOT")
          .replace(/"(pid|startTime|bootId|host|revision)":("[^"]*"|\d+|null)/g, '"$1":0')
          // The prompt names the project's directory.
          .replace(/"promptDigest":"[^"]*"/g, "");
        seen.push(plain);
      });
      return seen[0]!;
    };
    assertEquals(await kept(), await kept());
  });
});

describe("okstra-dispatch start", () => {
  it("start returns while workers run, and await takes them over (D-052, D-041)", () =>
    withRun({ alpha: "waits", beta: "waits" }, async (run) => {
      const { code, json } = await run.call(["start"]);
      const payload = json as StartPayload;
      assertEquals([code, payload.dryRun], [0, false]);
      assertEquals(payload.started, [
        "discussion-alpha-001:attempt-1",
        "discussion-beta-001:attempt-1",
      ]);
      assertEquals(payload.workerDispatches.map((row) => row.status), ["running", "running"]);
      assertEquals(run.workers(), ["alpha in-progress", "beta in-progress"]);
      for (const row of run.rows()) {
        const wrapper = row.wrapper as { pid: number; startTime: string };
        assert(wrapper.pid > 1 && wrapper.startTime !== "");
      }
      go(run);
      const { code: end, summary } = await run.wait(["await"]);
      assertEquals([end, summary.workers.length], [0, 2]);
    }));

  it("start leaves alone what runs (P-17)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      const { json } = await run.call(["start"]);
      assertEquals((json as StartPayload).started, []);
      assertEquals((json as StartPayload).kept, [
        { dispatchId: "discussion-alpha-001:attempt-1", why: "it is running" },
      ]);
      assertEquals(run.rows().length, 1);
      go(run);
      await run.wait(["await"]);
    }));

  it("start --parallel defers workers beyond the limit to the next call (D-052)", () =>
    withRun({ alpha: "waits", beta: "waits", gamma: "waits" }, async (run) => {
      const start = async () => (await run.call(["start", "--parallel", "2"])).json as StartPayload;
      const first = await start();
      assertEquals(first.started.length, 2);
      assertEquals(first.deferred, [{
        workerId: "gamma",
        invocationId: "discussion-gamma-001",
        why: "as many as may run at the same time run already",
      }]);
      assertEquals((await start()).started, []);
      assertEquals(run.workers()[2], "gamma not-run");
      go(run);
      await run.wait(["await"]);
      assertEquals((await start()).started, ["discussion-gamma-001:attempt-1"]);
      assertEquals((await run.wait(["await"])).code, 0);
    }));

  it("start settles a worker that is gone and starts its next attempt (P-17)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the wrapper's end");
      const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
      await until(() => [null, "Z"].includes(processState(pid)), "the wrapper's exit");
      const { json } = await run.call(["start"]);
      assertEquals((json as StartPayload).started, ["discussion-alpha-001:attempt-2"]);
      assertEquals(run.rows()[0]?.status, "error");
      assertMatch(run.rows()[0]!.reason!, /^lost/);
      await until(() => run.trace().includes("end alpha 2"), "the second wrapper's end");
    }));

  it("start harvests a worker that has ended meanwhile (P-17)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the worker's end");
      const { json } = await run.call(["start"]);
      assertEquals((json as StartPayload).kept[0]?.why, "it has completed");
      assertEquals(run.workers(), ["alpha completed"]);
    }));

  it("start keeps a written-off worker whose process still runs (P-4)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().length > 0, "the wrapper's start");
      const [row] = run.rows();
      settleDispatch(run.run, {
        promptPath: row!.promptPath!,
        attempt: 1,
        status: "error",
        reason: TEARDOWN_REASON,
        endedAt: "2026-01-01T00:00:00Z",
      });
      const { json } = await run.call(["start"]);
      assertMatch((json as StartPayload).kept[0]!.why, /still runs/);
      go(run);
      const { code, summary } = await run.wait(["await"]);
      assertEquals([code, summary.workers[0]?.late], [0, true]);
    }));

  it("start moves what an earlier attempt left out of the way (P-10)", () =>
    withRun({ alpha: "no-result" }, async (run) => {
      const { json } = await run.call(["plan"]);
      const result = (json as StartPayload).workerDispatches[0]!.resultPath!;
      writeFileSync(result, "of yesterday\n");
      const { code } = await run.wait(["run", "--no-retry"]);
      assertEquals([code, existsSync(result)], [1, false]);
      assertEquals(readFileSync(`${result}.before-1`, "utf8"), "of yesterday\n");
    }));

  it("start of two calls at once starts every worker once (P-15, T-019)", () =>
    withRun({ alpha: "waits", beta: "waits" }, async (run) => {
      await Promise.all([run.call(["start"]), run.call(["start"])]);
      assertEquals(run.rows().length, 2);
      go(run);
      await run.wait(["await"]);
      assertEquals(run.trace().filter((line) => line.startsWith("start")).sort(), [
        "start alpha 1",
        "start beta 1",
      ]);
    }));
});

describe("okstra-dispatch await", () => {
  it("await stops at its deadline, tells who is missing and why, and ends nobody (D-049, P-19, P-4)", () =>
    withRun({ alpha: "waits", beta: "ok" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end beta 1"), "the end of the one");
      const { code, json } = await run.call(["await", "--timeout", "0.1", "--poll", "0.05"]);
      const summary = json as { timedOut: boolean; workers: { [key: string]: unknown }[] };
      assertEquals([code, summary.timedOut], [1, true]);
      const [alpha, beta] = summary.workers;
      assertEquals([alpha?.["status"], beta?.["status"]], ["running", "completed"]);
      assertEquals(alpha?.["rule"], "process-identity");
      assertStringIncludes(String(alpha?.["evidence"]), "runs");
      assertEquals(run.workers(), ["alpha in-progress", "beta completed"]);
      go(run);
      assertEquals((await run.wait(["await"])).code, 0);
    }));

  it("await settles a worker that is proven gone as lost, and takes its late result (D-050, P-4, P-5)", () =>
    withRun({ alpha: "vanish-then-late" }, async (run) => {
      const first = await run.wait(["run"]);
      assertEquals(first.code, 1);
      assertMatch(first.summary.workers[0]!.reason, /^lost/);
      assertEquals([run.rows().length, run.workers()], [1, ["alpha error"]]);
      go(run);
      const [row] = run.rows();
      await until(() => existsSync(row!.workerResultPath!), "the late result");
      await until(
        () => JSON.parse(readFileSync(row!.statusSidecarPath!, "utf8")).isTerminal,
        "the late status",
      );
      const { code, summary } = await run.wait(["await"]);
      assertEquals([code, summary.workers[0]?.status, summary.workers[0]?.late], [
        0,
        "completed",
        true,
      ]);
      assertEquals(run.workers(), ["alpha completed"]);
      assertEquals(run.attempts(), ["discussion-alpha-001 1 error"]);
      assertEquals(run.events().at(-1), "worker-result-collected alpha 1");
    }));

  it("await settles a wrapper that died before its first status as lost (D-050)", () =>
    withRun({ alpha: "silent" }, async (run) => {
      const { summary } = await run.wait(["run"]);
      assertEquals([summary.workers[0]?.status, summary.workers[0]?.rule], ["error", "lost"]);
    }));

  it("await ignores the status of another dispatch, and names it (P-16)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().length > 0, "the wrapper's start");
      const [row] = run.rows();
      await until(() => existsSync(row!.statusSidecarPath!), "the status");
      const own = readFileSync(row!.statusSidecarPath!, "utf8");
      const foreign = { ...JSON.parse(own), dispatchId: "old:attempt-1", isTerminal: true };
      writeFileSync(row!.statusSidecarPath!, JSON.stringify({ ...foreign, exitCode: 0 }));
      const { code, json } = await run.call(["await", "--timeout", "0.2", "--poll", "0.05"]);
      const { workers: [worker] } = json as { workers: { evidence: string[]; status: string }[] };
      assertEquals([code, worker?.status], [1, "running"]);
      assertStringIncludes(worker!.evidence[0]!, "old:attempt-1");
      go(run);
      assertEquals((await run.wait(["await"])).code, 0);
    }));

  it("await reports a defective row and settles the others (D-048, W-016)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await run.call(["start"]);
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: [...state.workerDispatches ?? [], {
          kind: "initial",
          status: "running",
          workerId: "zeta",
        }],
      }));
      const { code, summary: { workers } } = await run.wait(["await"]);
      assertEquals(code, 1);
      assertEquals(workers.map((it) => `${it.workerId} ${it.status}`), [
        "alpha completed",
        "zeta running",
      ]);
      assertEquals(run.workers(), ["alpha completed"]);
    }));

  it("await says at once who is missing, and nothing with --heartbeat 0 (D-049)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      const say = async (...words: string[]) =>
        (await run.call(["await", "--timeout", "0.1", ...words])).stderr;
      assertMatch(await say(), /^WAITING for 1 of 1: alpha/);
      assertEquals(await say("--heartbeat", "0"), "");
      go(run);
      await run.wait(["await"]);
    }));

  it("await refuses to wait for nothing, and changes nothing (D-049)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const before = run.files();
      const { code, stdout, stderr } = await run.call(["await"]);
      assertEquals([code, stdout], [2, ""]);
      assertStringIncludes(stderr, "hint: okstra-discussion cycle-open\n");
      assertEquals(run.files(), before);
    }));

  it("await keeps to one worker and one kind (D-049)", () =>
    withRun({ alpha: "ok", beta: "waits" }, async (run) => {
      await run.call(["start"]);
      const { code, summary } = await run.wait(["await", "--worker", "alpha"]);
      assertEquals([code, summary.workers.map((it) => it.workerId)], [0, ["alpha"]]);
      const other = await run.call(["await", "--dispatch-kind", "reverify-r1"]);
      assertStringIncludes(other.stderr, "reverify-r1");
      go(run);
      await run.wait(["await"]);
    }));

  it("await closes an attempt that a crash left open in the ledger (P-17)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the worker's end");
      const [row] = run.rows();
      settleDispatch(run.run, {
        promptPath: row!.promptPath!,
        attempt: 1,
        status: "completed",
        reason: "",
        endedAt: "2026-01-01T00:00:00Z",
      });
      assertEquals(run.attempts(), ["discussion-alpha-001 1 started"]);
      await run.wait(["await"]);
      assertEquals(run.attempts(), ["discussion-alpha-001 1 ok"]);
    }));
});
