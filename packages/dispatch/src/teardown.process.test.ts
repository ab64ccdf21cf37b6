import { describe, it } from "node:test";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { processStartTime, realPath } from "@okstra/kit/host";
import { materializePrompts } from "@okstra/manifest-io/io/prompts";
import { openRun } from "@okstra/manifest-io/io/run";
import { withScratch } from "../../../test/support.ts";
import { batchName, claimPaths } from "@okstra/manifest-io/run-names";
import { TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { invocationKey } from "./awaited.ts";
import { readClaim } from "./io/claim.ts";
import { resume, start, startAndAwait, tearDown } from "./io/commands.ts";
import type { JobsPayload } from "./io/list-jobs.ts";
import { rebuildJob } from "./io/rebuild-job.ts";
import { reserveAttempts } from "./io/reserve.ts";
import { giveUpLaunch } from "./io/row-process.ts";
import { openSession } from "./io/session.ts";
import type { TeardownPayload, TornDown } from "./io/teardown.ts";
import type { WhyPayload } from "./io/why.ts";
import { writeQuestions } from "./test-batch.ts";
import { recordTeardown } from "./teardowns.ts";
import { REQUEST } from "./test-jobs.ts";
import { installWrapper, stopAt } from "./test-programs.ts";
import { FAKE_WRAPPERS, TEST_PROVIDERS, type TestRun, until, withRun } from "./test-run.ts";

const surroundings = (run: TestRun) => {
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: run.root,
    OKSTRA_BIN_DIR: FAKE_WRAPPERS,
  };
  return {
    now: () => new Date("2026-01-01T00:00:00Z"),
    env: (name: string) => env[name],
    environment: () => env,
    say: () => {},
    lockTimeoutMs: 60_000,
    screen: null,
  };
};
const go = (run: TestRun) => writeFileSync(run.at("go"), "");
const hasStatus = (run: TestRun) => existsSync(run.rows()[0]!.statusSidecarPath!);

async function startAndReport(run: TestRun) {
  await run.call(["start"]);
  await until(() => hasStatus(run), "the first status");
}

const torn = (json: unknown) => (json as TeardownPayload).workers;
/** What has ended may not have been collected yet. */
const isOver = (it: TornDown) => it.process === "dead" || it.process === "exited";

describe("okstra-dispatch teardown", () => {
  it("teardown writes a live dispatch off, leaves its process alone, and a later await takes its result (T-018, T-017)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await startAndReport(run);
      const { code, json } = await run.call(["teardown"]);
      assertEquals(code, 0);
      assertEquals(torn(json).map((it) => `${it.workerId} ${it.status} ${it.process}`), [
        "alpha error alive",
      ]);
      assertEquals(run.rows()[0]?.reason, TEARDOWN_REASON);
      assertEquals([run.workers(), run.attempts()], [
        ["alpha error"],
        ["discussion-alpha-001 1 error"],
      ]);
      go(run);
      const { code: end, summary } = await run.wait(["await"]);
      assertEquals([end, summary.workers[0]?.status, summary.workers[0]?.late], [
        0,
        "completed",
        true,
      ]);
    }));

  it("teardown gives up a launch that another call has under way, so that nothing starts later (T-018, P-25)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await stopAt(run, "attempts-reserved", "start");
      const reservedBy = { pid: process.pid, startTime: processStartTime(process.pid) };
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: state.workerDispatches!.map((row) => ({ ...row, reservedBy })),
      }));
      const { code, json } = await run.call(["teardown", "--kill"]);
      assertEquals([code, torn(json).map((it) => `${it.status} ${it.process}`)], [0, [
        "error dead",
      ]]);
      const claims = claimPaths(run.rows()[0]!.promptPath!, 1);
      assertEquals(claims.map((path) => readClaim(path).kind), ["withdrawn", "withdrawn"]);
    }));

  it("a launch that was given up as soon as it was reserved starts nothing (T-018, P-25)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const reach = (point: string) => {
        if (point === "attempts-reserved") assert(giveUpLaunch(run.run, run.rows()[0]!));
      };
      await start(run.run.manifestPath, REQUEST, Infinity, { ...surroundings(run), reach });
      const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
      await until(() => processStartTime(pid) === null, "the end of the launch");
      assertEquals(run.trace(), []);
    }));

  it("teardown gives up a retry that was scheduled, until somebody asks for it (T-018)", () =>
    withRun({ alpha: "rate-limit-long" }, async (run) => {
      const waiting = run.wait(["run"]);
      await until(() => run.rows()[0]?.["retryScheduled"] === true, "the retry");
      const { json } = await run.call(["teardown"]);
      assertEquals(torn(json).map((it) => `${it.workerId} ${it.attempt}`), ["alpha 1"]);
      // Whoever waited with it waits no more, and would not even start it in the moment of the teardown.
      assertEquals((await waiting).summary.timedOut, false);
      const session = openSession(run.run, surroundings(run)), [row] = run.rows();
      const job = rebuildJob(session, row!), key = invocationKey(row!);
      const [kept] = reserveAttempts(session, [job], {
        retries: new Set([key]),
        isTornDown: () => false,
      });
      assertEquals(kept?.kind === "kept" && kept.why, "it was given up");
      const { code, stderr } = await run.call(["await"]);
      assertEquals([code, /STARTED|WAITING/.test(stderr), run.rows().length], [1, false, 1]);
      assertEquals(torn((await run.call(["teardown"])).json), []);
    }));

  it("teardown gives up a retry that another call schedules in the middle of it (T-018)", () =>
    withRun({ alpha: "no-result" }, async (run) => {
      await startAndReport(run);
      const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
      await until(() => processStartTime(pid) === null, "the end of the wrapper");
      const schedule = (retryScheduled: boolean) =>
        updateTeamState(run.run, {}, (state) => ({
          ...state,
          workerDispatches: state.workerDispatches!.map((row) => ({ ...row, retryScheduled })),
        }));
      const reach = (point: string) => {
        if (point === "ends-settled") schedule(true);
      };
      await tearDown(run.run.manifestPath, [], false, { ...surroundings(run), reach });
      assertEquals(run.rows()[0]?.["retryScheduled"], false);
    }));

  for (const finder of ["run", "teardown"]) {
    it(`teardown gives up what ${finder} found lost, until somebody asks for it (T-018, P-17)`, () =>
      withRun({ alpha: "vanish" }, async (run) => {
        if (finder === "run") await run.wait(["run"]);
        else {
          await startAndReport(run);
          const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
          await until(() => processStartTime(pid) === null, "the end of the wrapper");
        }
        const [lost, ...others] = torn((await run.call(["teardown"])).json);
        assertEquals([lost!.workerId, lost!.attempt, others], ["alpha", 1, []]);
        assert(isOver(lost!), lost!.process);
        assertEquals(torn((await run.call(["teardown"])).json), []);
        await run.wait(["resume"]);
        assertEquals(run.rows().length, 1);
        await run.wait(["run", "--worker", "alpha"]);
        assertEquals(run.rows().length, 2);
      }));
  }

  it("teardown gives up the workers whose turn has not come yet in a call that waits (T-018, P-25)", () =>
    withRun({ alpha: "waits", beta: "ok", gamma: "ok" }, async (run) => {
      const waiting = run.wait(["run", "--parallel", "1"]);
      await until(() => run.rows().length === 1 && hasStatus(run), "the first status");
      assertEquals(torn((await run.call(["teardown", "--worker", "beta"])).json), []);
      await run.call(["teardown", "--kill"]);
      const { code, summary, stderr } = await waiting;
      assertEquals([code, summary.timedOut], [1, false]);
      assertEquals(summary.workers.map((it) => `${it.workerId} ${it.status}`), [
        "alpha error",
        "beta not-run",
        "gamma not-run",
      ]);
      assertEquals(summary.workers[2]?.reason, "it was torn down before its turn came");
      // What alpha changed is told even so.
      assertMatch(stderr, /^VIOLATION files while alpha ran: "trace" is new$/m);
      assertMatch(stderr, /^KEPT gamma: it was torn down before its turn came$/m);
      assertEquals([run.rows().length, run.trace().includes("start beta 1")], [1, false]);
      // Whoever asks afterwards means it.
      assertEquals((await run.wait(["run", "--worker", "beta"])).code, 0);
    }));

  it("teardown also reaches what another call is about to start (T-018, P-25)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const path = run.run.manifestPath;
      const tornAt = (when: string) => ({
        ...surroundings(run),
        reach: (point: string) => {
          if (point !== when) return;
          updateTeamState(
            run.run,
            {},
            (state) => recordTeardown(state, [], "2026-01-01T00:00:00Z"),
          );
        },
      });
      const wait = { timeout: 60, poll: 0.05, heartbeat: 0, isRetryAllowed: true, retryOn: [] };
      const begun = await start(path, REQUEST, Infinity, tornAt("intent-recorded"));
      assertEquals(begun.kept.map(({ why }) => why), ["it was given up"]);
      assertEquals(run.state().mutationAudits, []);
      const here = tornAt("intent-recorded");
      const { workers } = await startAndAwait(path, REQUEST, Infinity, wait, here);
      assertEquals(workers.map(({ status }) => status), ["not-run"]);
      assertEquals([run.rows(), run.trace()], [[], []]);
    }));

  for (const [who, words] of [["all", []], ["beta", ["--worker", "beta"]]] as const) {
    it(`teardown of ${who} leaves no audit waiting for workers whose turn has not come yet (T-018)`, () =>
      withRun({ alpha: "ok", beta: "ok" }, async (run) => {
        await run.call(["start", "--parallel", "1"]);
        await until(() => run.trace().includes("end alpha 1"), "the worker's end");
        await run.call(["teardown", ...words]);
        const { stderr } = await run.call(["await"]);
        assertMatch(stderr, /^VIOLATION files while alpha ran: "trace" is new$/m);
      }));
  }

  it("teardown also reaches what resume is about to start (T-018, P-25)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await startAndReport(run);
      const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
      await until(() => processStartTime(pid) === null, "the end of the wrapper");
      const wait = { timeout: 60, poll: 0.05, heartbeat: 0, isRetryAllowed: true, retryOn: [] };
      const reach = (point: string) => {
        if (point !== "ends-settled") return;
        updateTeamState(run.run, {}, (state) => recordTeardown(state, [], "2026-01-01T00:00:00Z"));
      };
      await resume(run.run.manifestPath, wait, { ...surroundings(run), reach });
      assertEquals(run.rows().length, 1);
    }));

  it("teardown --kill in a copy leaves the workers of the original alone, and ends its own (T-018, P-20)", () =>
    withRun({ alpha: "waits", beta: "waits" }, async (run) => {
      await run.call(["start", "--worker", "alpha"]);
      await until(() => hasStatus(run), "the first status");
      await withScratch(async (folder) => {
        const copy = join(realPath(folder), "copy");
        cpSync(run.root, copy, { recursive: true });
        const manifest = join(copy, relative(run.root, run.run.manifestPath));
        const inCopy = (...words: string[]) => run.call([...words, "--run-manifest", manifest]);
        const refused = async (...words: string[]) => {
          const { code, stderr } = await inCopy("teardown", "--kill", ...words);
          assertEquals(code, 2);
          const command = `okstra-dispatch teardown --kill --run-manifest ${run.run.manifestPath}`;
          assertStringIncludes(stderr, `hint: ${command}\n`);
        };
        await refused();
        assertEquals(torn((await inCopy("teardown")).json).map((it) => it.process), ["alive"]);
        await refused();
        assertEquals((await inCopy("start", "--worker", "beta")).code, 0);
        const { code, json } = await inCopy("teardown", "--kill");
        assertEquals([code, torn(json).map((it) => it.workerId)], [0, ["beta"]]);
        await refused("--worker", "alpha");
        // Where the original is gone, or another run, the project was moved and the workers are its own.
        const other = { ...run.run.manifest, createdAt: "2020-01-01T00:00:00Z" };
        writeFileSync(run.run.manifestPath, JSON.stringify(other));
        const [killed] = torn((await inCopy("teardown", "--kill")).json);
        assert(isOver(killed!), killed!.process);
      });
    }));

  it("teardown settles what has ended meanwhile as what it became (T-018)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the worker's end");
      const { json } = await run.call(["teardown"]);
      assertEquals(torn(json)[0]?.status, "completed");
      const again = await run.call(["teardown"]);
      assertEquals([again.code, torn(again.json)], [0, []]);
    }));

  it("teardown --kill ends the processes, those written off before included (P-4)", () =>
    withRun({ alpha: "waits", beta: "waits" }, async (run) => {
      await startAndReport(run);
      await run.call(["teardown", "--worker", "alpha"]);
      assertEquals(run.workers(), ["alpha error", "beta in-progress"]);
      const { code, json } = await run.call(["teardown", "--kill"]);
      assertEquals(code, 0);
      assertEquals(torn(json).map((it) => it.workerId).sort(), ["alpha", "beta"]);
      assert(torn(json).every(isOver));
      assert(!run.trace().some((line) => line.startsWith("end")));
    }));

  it("teardown --kill lets the real wrapper end its worker and record the end (P-20)", () =>
    withRun({}, async (run) => {
      const bin = installWrapper(run.root);
      await run.call(["start"], { OKSTRA_BIN_DIR: bin });
      await until(() => existsSync(run.at("pid")), "the worker's start");
      const { code, json } = await run.call(["teardown", "--kill"]);
      assertEquals([code, torn(json)[0]?.process], [0, "exited"], JSON.stringify(json));
      const pid = Number(readFileSync(run.at("pid"), "utf8"));
      await until(() => processStartTime(pid) === null, "the worker's end");
    }, { workers: ["slow,provider=slow"], providerFile: TEST_PROVIDERS }));

  it("teardown --kill ends a worker whose wrapper is gone (P-20)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await startAndReport(run);
      const worker = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      const path = run.rows()[0]!.statusSidecarPath!;
      const sidecar = JSON.parse(readFileSync(path, "utf8"));
      const child = { pid: worker.pid, startTime: processStartTime(worker.pid!) };
      writeFileSync(path, JSON.stringify({ ...sidecar, child, pgid: worker.pid }));
      const { code } = await run.call(["teardown", "--kill"]);
      assertEquals(code, 0);
      await ended;
    }));

  it("teardown --kill touches no process that is not proven to be the recorded one (P-7)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await startAndReport(run);
      const stranger = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
      try {
        const path = run.rows()[0]!.statusSidecarPath!;
        const sidecar = JSON.parse(readFileSync(path, "utf8"));
        const child = { pid: stranger.pid, startTime: "1" };
        writeFileSync(path, JSON.stringify({ ...sidecar, child, pgid: stranger.pid }));
        await run.call(["teardown", "--kill"]);
        assert(typeof processStartTime(stranger.pid!) === "string");
      } finally {
        stranger.kill("SIGKILL");
      }
    }));

  it("teardown refuses an unknown worker and changes nothing (T-015)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const before = run.files();
      const { code, stderr } = await run.call(["teardown", "--worker", "zeta"]);
      assertEquals([code, run.files()], [2, before]);
      assertStringIncludes(stderr, "zeta");
    }));
});

describe("okstra-dispatch resume", () => {
  it("resume adopts, harvests and starts the lost again (P-17)", () =>
    withRun({ alpha: "waits", beta: "ok", gamma: "vanish" }, async (run) => {
      await run.call(["start"]);
      await until(
        () => ["beta", "gamma"].every((id) => run.trace().includes(`end ${id} 1`)),
        "two ends",
      );
      go(run);
      const { code, summary } = await run.wait(["resume"]);
      assertEquals(code, 1);
      assertEquals(summary.workers.map((it) => `${it.workerId} ${it.attempt} ${it.status}`), [
        "alpha 1 completed",
        "beta 1 completed",
        "gamma 2 error",
      ]);
    }));

  it("resume starts again what an await had found lost, and then leaves it (P-17, P-15)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await run.wait(["run"]);
      assertEquals(run.rows().length, 1);
      const { summary } = await run.wait(["resume"]);
      assertEquals(run.rows().length, 2);
      // The attempt is audited as the first one was, whose audit had been closed.
      assertEquals(summary.mutationAudits.map((audit) => audit["invocations"]), [
        ["discussion-alpha-001"],
        ["discussion-alpha-001"],
      ]);
      const before = run.files();
      assertEquals((await run.wait(["resume"])).code, 1);
      assertEquals(run.files(), before);
    }));

  it("run goes on in a copy of the project with those who were not dispatched yet (P-17, D-009)", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      await run.call(["start", "--parallel", "1"]);
      await run.wait(["await"]);
      await withScratch(async (folder) => {
        const copy = join(realPath(folder), "copy");
        cpSync(run.root, copy, { recursive: true });
        const manifest = join(copy, relative(run.root, run.run.manifestPath));
        const inCopy = () => run.wait(["run", "--run-manifest", manifest]);
        const { code, stderr } = await inCopy();
        assertEquals(code, 2);
        const command = "okstra-manifest-io prompt materialize";
        assertStringIncludes(
          stderr,
          `hint: ${command} --run-manifest ${manifest} --replace-undispatched --worker beta\n`,
        );
        materializePrompts(openRun(manifest), {
          workers: ["beta"],
          replaceUndispatched: true,
          delivery: "include",
          now: new Date(0),
        });
        const jobs = (...words: string[]) =>
          run.call(["jobs", ...words, "--run-manifest", manifest]);
        const { workers } = (await jobs()).json as JobsPayload;
        assertEquals(workers.map((it) => it["executionLabel"]), ["beta"]);
        const left = await jobs("--worker", "alpha");
        assertStringIncludes(left.stderr, "of alpha: nothing is left to do since the project was");
        assertEquals([left.code, left.stdout], [2, ""]);
        const after = await inCopy();
        assertEquals([after.code, after.stderr.includes("KEPT alpha: it has completed")], [
          0,
          true,
        ]);
        assertEquals(after.summary.workers.map((it) => `${it.workerId} ${it.status}`), [
          "alpha completed",
          "beta completed",
        ]);
      });
    }));

  it("resume tries nothing again whose project was moved, and why names files where they are (P-17)", () =>
    withRun({ alpha: "vanish" }, async (run) => {
      await run.wait(["run"]);
      for (const path of [run.run.manifestPath, teamStatePath(run.run)]) {
        writeFileSync(path, readFileSync(path, "utf8").replaceAll(run.root, "/nowhere/old"));
      }
      const before = run.files(), { code, stderr } = await run.wait(["resume"]);
      assertEquals([code, run.files()], [1, before]);
      assertStringIncludes(stderr, "its prompt names places that the project was moved from");
      const moved = (await run.call(["why", "--worker", "alpha"])).json as WhyPayload;
      assertStringIncludes(moved.why, "; it is not tried again: its prompt names places that");
      assertStringIncludes(moved.next!, `okstra-wrapper-status explain ${run.root}/`);
      const change = { failureClass: "model" };
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: state.workerDispatches!.map((row) => ({ ...row, ...change })),
      }));
      const { next } = (await run.call(["why", "--worker", "alpha"])).json as WhyPayload;
      assertStringIncludes(next!, `okstra-wrapper-status explain ${run.root}/`);
    }));

  it("resume tells whom a call that started workers never came to, and how they are started (P-17)", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      await run.call(["start", "--parallel", "1"]);
      const { code, stderr } = await run.call(["resume"]);
      assertEquals(code, 0);
      const command = `okstra-dispatch start --run-manifest ${run.run.manifestPath} --worker beta`;
      assertStringIncludes(
        stderr,
        `NOTE never dispatched: beta; to start what is left: ${command}\n`,
      );
      await run.call(["run", "--worker", "beta"]);
      assertEquals(/NOTE/.test((await run.call(["resume"])).stderr), false);
    }));

  it("resume takes up a retry that was scheduled, beside what still runs (P-17)", () =>
    withRun({ alpha: "second-try", beta: "waits" }, async (run) => {
      await run.call(["start"]);
      await run.wait(["await", "--worker", "alpha", "--no-retry"]);
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: state.workerDispatches!.map((row) =>
          row.status === "error" ? { ...row, retryScheduled: true } : row
        ),
      }));
      go(run);
      const { code, summary } = await run.wait(["resume"]);
      assertEquals([code, summary.workers.map((it) => `${it.workerId} ${it.attempt}`)], [0, [
        "alpha 2",
        "beta 1",
      ]]);
    }));

  for (
    const words of [
      ["resume"],
      ["await"],
      ["start", "--worker", "beta"],
      ["run", "--worker", "beta"],
    ]
  ) {
    it(`${words.join(" ")} completes the ledger of a row that has ended (P-17)`, () =>
      withRun({ alpha: "ok", beta: "ok" }, async (run) => {
        await run.call(["start", "--worker", "alpha"]);
        await until(() => run.trace().includes("end alpha 1"), "the worker's end");
        updateTeamState(run.run, {}, (state) => ({
          ...state,
          workerDispatches: state.workerDispatches!.map((row) => ({
            ...row,
            status: "completed",
            endedAt: "2026-01-01T00:00:09Z",
          })),
        }));
        assertEquals(run.attempts(), ["discussion-alpha-001 1 started"]);
        assertEquals((await run.call(words)).code, 0);
        assertEquals(run.attempts()[0], "discussion-alpha-001 1 ok");
      }));
  }
});

describe("okstra-dispatch why", () => {
  it("why explains a worker before, during and after its work, and changes nothing", () =>
    withRun({ alpha: "waits" }, async (run) => {
      const ask = async () => (await run.call(["why", "--worker", "alpha"])).json as WhyPayload;
      const first = await ask();
      assertMatch(first.why, /never dispatched/);
      assertEquals(
        first.next,
        `okstra-discussion cycle-open --run-manifest ${run.run.manifestPath}`,
      );
      await startAndReport(run);
      const before = run.files();
      const during = await ask();
      assertEquals([during.dispatch?.status, during.workerStatus], ["running", "in-progress"]);
      assertMatch(during.why, /is at work/);
      assertMatch(during.next!, /^okstra-dispatch await /);
      assertEquals(run.files(), before);
      go(run);
      await run.wait(["await"]);
      const after = await ask();
      assertEquals([after.dispatch?.rule, after.next], ["exit-0-and-artifacts", null]);
    }));

  it("why, await and teardown take the worker's name of a pane title too (T-015)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await startAndReport(run);
      const named = ["--worker", "alpha-worker"];
      const { json } = await run.call(["why", ...named]);
      assertEquals((json as WhyPayload).workerId, "alpha");
      const waited = await run.call(["await", "--timeout", "0", ...named]);
      const { workers } = waited.json as AwaitSummary;
      assertEquals([waited.code, workers.map((it) => it.workerId)], [1, ["alpha"]]);
      const ended = await run.call(["teardown", "--kill", ...named]);
      assertEquals([ended.code, torn(ended.json).map((it) => it.workerId)], [0, ["alpha"]]);
    }));

  it("why, await and teardown refuse an unknown worker, and why a call without one (T-015)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const before = run.files();
      for (const name of ["why", "await", "teardown"]) {
        const { code, stderr } = await run.call([name, "--worker", "zeta"]);
        assertEquals(code, 2);
        assertMatch(stderr, /error: Cannot find zeta: not in the roster \(alpha\)\n/);
        assertMatch(stderr, /hint: list the workers: okstra-team-state show\n/);
      }
      assertEquals((await run.call(["why"])).code, 2);
      assertEquals(run.files(), before);
    }));

  it("a batch that lies in the run is what its workers are started with, and nothing else", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      const { batch } = writeQuestions(run, ["alpha", "beta"], { "dispatch-kind": "initial" });
      const path = join(
        dirname(teamStatePath(run.run)),
        batchName("discussion-research-r-0001", "discussion", "001"),
      );
      writeFileSync(path, JSON.stringify(batch));
      const before = run.files();
      const calls = [["resume"], ["await"], ["start"], ["run"], ["plan", "--worker", "beta"]];
      for (const words of calls) {
        const named = words.length > 1 ? " --worker beta" : "";
        const verb = ["run", "plan"].includes(words[0]!) ? words[0] : "start";
        const { code, stderr } = await run.call(words);
        assertEquals(code, 2, words.join());
        assertStringIncludes(stderr, `hint: okstra-dispatch ${verb}${named} --batch ${path}\n`);
      }
      const { json } = await run.call(["why", "--worker", "beta"]);
      assertEquals(
        (json as WhyPayload).next,
        `okstra-dispatch start --run-manifest ${run.run.manifestPath} --worker beta --batch ${path}`,
      );
      assertEquals(run.files(), before);
    }));
});
