import { describe, it } from "node:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { realPath } from "@okstra/kit/host";
import { updateTeamState } from "@okstra/team-state/io/team-state";
import { removeTree } from "../../../test/remove-tree.mjs";
import { claimPaths } from "@okstra/manifest-io/run-names";
import type { PlanPayload } from "./plan-payload.ts";
import type { ReclaimPayload } from "./io/reclaim.ts";
import { noTmux, TestCmux, TestTmux, withCmux, withTmux } from "./test-panes.ts";
import { installWrapper, stopAt } from "./test-programs.ts";
import { TestRun, until, withRun } from "./test-run.ts";

const TWO = { alpha: "ok", beta: "ok" };
const OVER_TMUX = { backend: "tmux-pane" } as const, OVER_CMUX = { backend: "cmux-pane" } as const;
const skipped = noTmux === false ? "" : ` (skipped: ${noTmux})`;
const PATIENT = ["--timeout", "120", "--poll", "0.1"];

const withPanes = (
  models: Readonly<Record<string, string>>,
  test: (run: TestRun, tmux: TestTmux) => Promise<void>,
) => withTmux((tmux) => withRun(models, (run) => test(run, tmux), OVER_TMUX));

const withSurfaces = (
  models: Readonly<Record<string, string>>,
  test: (run: TestRun, cmux: TestCmux) => Promise<void>,
) => withCmux((cmux) => withRun(models, (run) => test(run, cmux), OVER_CMUX));

const panesOf = (json: unknown) =>
  (json as ReclaimPayload).panes.map((it) => `${it.workerId} ${it.paneId} ${it.closed}`);

describe(`okstra-dispatch over tmux${skipped}`, { skip: noTmux }, () => {
  it("run shows every worker in a pane of its own, and settles by status and files (T-022, D-010, D-043, W-002, W-009)", () =>
    withPanes(TWO, async (run, tmux) => {
      const { workers } = (await run.call(["plan"], tmux.env)).json as PlanPayload;
      assertStringIncludes(String(workers[0]?.["command"]), "--presentation,live");
      assertEquals(workers.map((it) => it["backend"]), ["tmux-pane", "tmux-pane"]);
      const { code, stderr } = await run.call(["run", ...PATIENT], tmux.env);
      assertEquals(code, 0, stderr);
      const rows = run.rows();
      assertEquals(
        rows.map((row) => `${row.backendType}|${row.degradedFrom}|${row.livenessMode}`),
        [
          "tmux-pane||wrapper-status",
          "tmux-pane||wrapper-status",
        ],
      );
      assertEquals(run.state().dispatchMode, "tmux-pane");
      assertEquals(tmux.panes("#{pane_id} #{pane_title} #{pane_dead}").slice(1), [
        `${rows[0]!.paneId} alpha-worker 1`,
        `${rows[1]!.paneId} beta-worker 1`,
      ]);
      assertEquals(run.workers(), ["alpha completed", "beta completed"]);
    }));

  it("run degrades to a quiet process where there is no tmux, and says so in row and mode (W-019, W-002, T-022)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const { code, stderr } = await run.call(["run", ...PATIENT], { TMUX: "" });
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /DEGRADED alpha to cli-wrapper: not inside tmux/);
      const [row] = run.rows();
      assertEquals([row?.backendType, row?.degradedFrom, row?.paneId], [
        "cli-wrapper",
        "tmux-pane",
        "",
      ]);
      assertEquals(run.state().dispatchMode, "cli-wrapper");
      const sidecar = JSON.parse(readFileSync(row!.statusSidecarPath!, "utf8"));
      assertEquals(sidecar.attempt, 1);
      assertEquals(run.trace().filter((line) => line.startsWith("start")), ["start alpha 1"]);
    }, OVER_TMUX));

  it("run degrades if a variable for the pane is not UTF-8, which a quiet process does without (T-022)", () =>
    withPanes({ alpha: "ok" }, async (run, tmux) => {
      const env = { ...tmux.env, TMPDIR: "/caf\ufffd" };
      const { code, stderr } = await run.call(["run", ...PATIENT], env);
      assertEquals(code, 0, stderr);
      const words = 'DEGRADED alpha to cli-wrapper: Cannot read "TMPDIR": it is not UTF-8';
      assertStringIncludes(stderr, words);
    }));

  it("run of a worker in a pane and one without makes the mode mixed (T-021, T-022)", () =>
    withPanes(TWO, async (run, tmux) => {
      await run.call(["run", "--worker", "alpha", ...PATIENT], tmux.env);
      await run.call(["run", "--worker", "beta", ...PATIENT], { TMUX: "" });
      assertEquals(run.rows().map((row) => row.backendType), ["tmux-pane", "cli-wrapper"]);
      assertEquals(run.state().dispatchMode, "mixed");
    }));

  it("run names the exit status of a wrapper that left none (P-21, D-050)", () =>
    withPanes({ alpha: "unknown-scenario" }, async (run, tmux) => {
      const { code, json } = await run.call(["run", ...PATIENT], tmux.env);
      const { workers: [worker] } = json as { workers: { reason: string; rule: string }[] };
      assertEquals([code, worker?.rule], [1, "lost"]);
      assertMatch(worker!.reason, /ended with status 64/);
    }));

  it("run tries again over the backend that was used before (D-048)", () =>
    withPanes({ alpha: "second-try" }, async (run, tmux) => {
      const { code, stderr } = await run.call(["run", ...PATIENT], tmux.env);
      assertEquals(code, 0, stderr);
      assertEquals(run.rows().map((row) => row.backendType), ["tmux-pane", "tmux-pane"]);
      assertEquals(new Set(run.rows().map((row) => row.paneId)).size, 2);
    }));

  it("reclaim closes the panes of what has ended, and those alone (W-013, T-016, T-004)", () =>
    withPanes({ alpha: "ok", beta: "waits", gamma: "ok" }, async (run, tmux) => {
      await run.call(["start"], tmux.env);
      await run.call(["await", "--worker", "alpha", "--worker", "gamma", ...PATIENT], tmux.env);
      const [alpha, beta, gamma] = run.rows().map((row) => row.paneId!);
      tmux.ask("set-option", "-p", "-t", gamma!, "@okstra_dispatch", "another run's");
      // A re-send keeps the pane that it replaced reachable.
      const other = tmux.ask("split-window", "-d", "-P", "-F", "#{pane_id}", "--", "sleep", "60");
      for (const name of ["@okstra_run", "@okstra_dispatch"]) {
        const tag = tmux.ask("display-message", "-p", "-t", alpha!, `#{${name}}`);
        tmux.ask("set-option", "-p", "-t", other, name, tag);
      }
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: state.workerDispatches!.map((row, at) =>
          at === 0 ? { ...row, previousPaneIds: [other] } : row
        ),
      }));
      const { code, json } = await run.call(["reclaim"], tmux.env);
      assertEquals([code, panesOf(json)], [1, [
        `alpha ${alpha} true`,
        `alpha ${other} true`,
        `gamma ${gamma} false`,
      ]]);
      const left = tmux.panes("#{pane_id}");
      assertEquals([left.includes(alpha!), left.includes(other)], [false, false]);
      assert(left.includes(beta!) && left.includes(gamma!));
      const again = await run.call(["reclaim"], tmux.env);
      assertEquals(panesOf(again.json), [`gamma ${gamma} false`]);
      writeFileSync(run.at("go"), "");
      await run.call(["await", ...PATIENT], tmux.env);
    }));

  it("reclaim leaves a written-off worker at work, teardown --kill ends it first (W-013, P-4, T-018)", () =>
    withPanes({ alpha: "waits" }, async (run, tmux) => {
      await run.call(["start"], tmux.env);
      await until(() => existsSync(run.rows()[0]!.statusSidecarPath!), "the first status");
      await run.call(["teardown"], tmux.env);
      const kept = await run.call(["reclaim"], tmux.env);
      assertMatch((kept.json as ReclaimPayload).panes[0]!.why, /still runs/);
      // From outside of tmux, too: the row names the server.
      await run.call(["teardown", "--kill"], { TMUX: "" });
      const { code, json } = await run.call(["reclaim"], { TMUX: "", TMUX_PANE: "" });
      assertEquals([code, (json as ReclaimPayload).panes[0]?.closed], [0, true]);
      assertEquals(tmux.panes("#{pane_id}").length, 1);
    }));
});

describe("a pane that a killed dispatcher never wrote down", () => {
  it(`reclaim finds it in tmux by its mark, from outside too${skipped} (W-013, P-17)`, {
    skip: noTmux,
  }, () =>
    withPanes({ alpha: "late-status" }, async (run, tmux) => {
      // A pane of another run with the same worker is none of this run's.
      const other = tmux.ask("split-window", "-d", "-P", "-F", "#{pane_id}", "--", "sleep", "60");
      tmux.ask("set-option", "-p", "-t", other, "@okstra_run", "0123456789abcdef");
      const tag = "@okstra_dispatch";
      const before = tmux.panes("#{pane_id}");
      await stopAt(run, "worker-launched", "start", tmux.env);
      tmux.ask("set-option", "-p", "-t", other, tag, run.rows()[0]!.dispatchId!);
      const [mine = ""] = tmux.panes("#{pane_id}").filter((pane) => !before.includes(pane));
      writeFileSync(run.at("go"), "");
      const resumed = await run.wait(["resume"]);
      assertEquals(resumed.code, 0, resumed.stderr);
      const { code, json } = await run.call(["reclaim"], { TMUX: "", TMUX_PANE: "" });
      assertEquals([code, panesOf(json)], [0, [`alpha ${mine} true`]]);
      assertEquals(tmux.panes("#{pane_id}"), before);
    }));

  it("reclaim finds it in cmux by what the worker wrote down, and never its own (W-013, P-17)", () =>
    withSurfaces({ alpha: "late-status" }, async (run, cmux) => {
      await stopAt(run, "worker-launched", "start", cmux.env);
      const [row] = run.rows();
      assertEquals([row?.status, row?.paneId, row?.["wrapper"]], ["running", "", undefined]);
      assertEquals(panesOf((await run.call(["reclaim"], cmux.env)).json), []);
      writeFileSync(run.at("go"), "");
      const resumed = await run.wait(["resume"]);
      assertEquals(resumed.code, 0, resumed.stderr);
      const uuid = readFileSync(claimPaths(row!.promptPath!, 1)[0], "utf8").split("\n")[1]!;
      const own = await run.call(["reclaim"], { ...cmux.env, CMUX_SURFACE_ID: uuid });
      assertEquals(panesOf(own.json), []);
      assertEquals(cmux.surfaces().length, 1);
      const { code, json } = await run.call(["reclaim"], cmux.env);
      assertEquals([code, panesOf(json)], [0, ["alpha surface:7 true"]]);
      assertEquals(cmux.surfaces(), []);
      assertEquals(panesOf((await run.call(["reclaim"], cmux.env)).json), []);
    }));
});

describe("okstra-dispatch over cmux", () => {
  it("run opens a tab for every worker, shows the events beside it and settles by status and files (T-022, D-054, D-053)", () =>
    withSurfaces({ alpha: "ok", beta: "fails" }, async (run, cmux) => {
      const { code, stderr } = await run.call(["run", ...PATIENT], cmux.env);
      assertEquals(code, 1, stderr);
      assertEquals(run.rows().map((row) => `${row.backendType} ${row.status}`), [
        "cmux-pane completed",
        "cmux-pane error",
      ]);
      // They are opened at once, and the machine says which is first.
      assertEquals(cmux.surfaces().map((line) => line.split(" ")[1]).sort(), [
        "alpha-worker",
        "beta-worker",
      ]);
      const lines = cmux.callsOf("log").map((words) => words.join(" ")).sort();
      const line = (level: string, text: string) =>
        `--workspace W-1 --level ${level} --source okstra -- ${text}`;
      assertEquals(lines, [
        line("error", "beta: failed"),
        line("progress", "alpha: dispatched"),
        line("progress", "beta: dispatched"),
        line("success", "alpha: result-collected"),
      ]);
      const [notice = []] = cmux.callsOf("notify");
      assertEquals(notice.slice(0, 3), ["--title", "okstra — discussion", "--body"]);
      assertMatch(notice[3]!, /^beta: the child ended with status 3/);
      assertEquals(cmux.callsOf("notify").length, 1);
    }));

  it("run sends a retry to the sidebar as a warning (D-054)", () =>
    withSurfaces({ alpha: "second-try" }, async (run, cmux) => {
      const { code } = await run.call(["run", ...PATIENT], cmux.env);
      assertEquals(code, 0);
      const texts = cmux.callsOf("log").map((words) => `${words[3]} ${words.at(-1)}`);
      assert(texts.includes("warning alpha: retry-scheduled"), texts.join());
    }));

  for (const mode of ["down", "denied", "old", "liar"]) {
    it(`run degrades to a quiet process if cmux is ${mode}, once and for good (D-043, W-002, T-022)`, () =>
      withSurfaces({ alpha: "ok" }, async (run, cmux) => {
        cmux.mode = mode;
        const { code, stderr } = await run.call(["run", ...PATIENT], cmux.env);
        assertEquals(code, 0, stderr);
        const [row] = run.rows();
        assertEquals(run.trace().filter((line) => line.startsWith("start")), ["start alpha 1"]);
        if (row?.backendType === "cmux-pane") {
          // A command that cmux started although it could not say where.
          assertEquals([mode, row.paneId], ["liar", ""]);
          return;
        }
        assertEquals([row?.backendType, row?.degradedFrom], ["cli-wrapper", "cmux-pane"]);
        assert(String(row?.["degradedReason"]).length > 0);
        assertEquals(run.state().dispatchMode, "cli-wrapper");
      }));
  }

  it("run ends although the sidebar does not answer, and leaves it alone then (D-054)", () =>
    withSurfaces({ alpha: "ok" }, async (run, cmux) => {
      cmux.mode = "deaf";
      const { code } = await run.call(["run", ...PATIENT], cmux.env);
      assertEquals([code, cmux.callsOf("log").length], [0, 1]);
      assertEquals(run.events().length, 2);
    }));

  it("run without cmux in the plan sends nothing to a sidebar (D-054)", () =>
    withCmux((cmux) =>
      withRun({ alpha: "ok" }, async (run) => {
        await run.call(["run", ...PATIENT], cmux.env);
        assertEquals(cmux.calls(), []);
      })
    ));

  it("reclaim closes the tabs of what has ended (W-013)", () =>
    withSurfaces({ alpha: "ok", beta: "waits" }, async (run, cmux) => {
      await run.call(["start"], cmux.env);
      await run.call(["await", "--worker", "alpha", ...PATIENT], cmux.env);
      const { code, json } = await run.call(["reclaim"], cmux.env);
      assertEquals([code, panesOf(json)], [0, [`alpha ${surfaceOf(run, 0) || "surface:7"} true`]]);
      assertEquals(cmux.surfaces().map((line) => line.split(" ")[1]), ["beta-worker"]);
      writeFileSync(run.at("go"), "");
      await run.call(["await", ...PATIENT], cmux.env);
    }));

  it("why names the place of a worker, and its log", () =>
    withSurfaces({ alpha: "ok" }, async (run, cmux) => {
      await run.call(["run", ...PATIENT], cmux.env);
      const { json } = await run.call(["why", "--worker", "alpha"]);
      const { dispatch } = json as {
        dispatch: { backend: string; paneId: string; logPath: string };
      };
      assertEquals([dispatch.backend, dispatch.paneId], ["cmux-pane", "surface:7"]);
      assertEquals(dispatch.logPath, `${run.rows()[0]!.promptPath}.log`);
    }));
});

const surfaceOf = (run: TestRun, at: number) => {
  const known = run.rows()[at]?.["reclaimedPaneIds"];
  return Array.isArray(known) ? String(known[0]) : "";
};

/** A worker that hands its prompt back, and the words that it was started with. */
const MIRROR = {
  argv: [
    "/bin/sh",
    "-c",
    'cat >"$1" && printf "%s\\037" "$@" >"$1.words"',
    "sh",
    "{resultPath}",
    "{model}",
    "{projectRoot}",
  ],
};
const ODD_MODEL = 'm "it\'s" $(touch pwned) `id` #{pane_id} #(touch pwned) \\;';

describe("a long prompt in an odd directory", () => {
  const places: [string, boolean | string][] = [
    ["cli-wrapper", false],
    ["tmux-pane", noTmux],
    ["cmux-pane", false],
  ];
  for (const [backend, skip] of places) {
    const name = skip === false ? backend : `${backend} (skipped: ${skip})`;
    it(
      `run hands 100 KB and odd words on as they are over ${name} (P-8, D-043)`,
      { skip },
      () =>
        withCmux((cmux) =>
          backend !== "tmux-pane"
            ? assertMirrored(backend, cmux.env)
            : withTmux((tmux) => assertMirrored(backend, tmux.env))
        ),
    );
  }

  async function assertMirrored(backend: string, env: Readonly<Record<string, string>>) {
    const top = realPath(mkdtempSync(join(tmpdir(), "okstra-mirror-")));
    const root = join(top, '-it\'s a "$(touch pwned)" #(touch pwned);');
    mkdirSync(root);
    const providers = join(top, "providers.json");
    writeFileSync(
      providers,
      JSON.stringify({ schemaVersion: "1.0", providers: { mirror: MIRROR } }),
    );
    const line = 'It\'s `$(touch pwned)` "quoted"; #{pane_id} -- \\n Prüfung\n';
    const run = new TestRun({}, {
      projectRoot: root,
      brief: line.repeat(2000),
      workers: [`alpha,provider=mirror,model=${ODD_MODEL}`],
      providerFile: providers,
      backend: backend as "cli-wrapper",
    });
    try {
      const OKSTRA_BIN_DIR = installWrapper(top);
      const { code, stderr } = await run.call(["run", ...PATIENT], { ...env, OKSTRA_BIN_DIR });
      assertEquals(code, 0, stderr);
      const [row] = run.rows();
      assertEquals([row?.backendType, row?.degradedFrom], [backend, ""]);
      const prompt = readFileSync(row!.promptPath!, "utf8");
      assert(backend !== "cli-wrapper" || prompt.length > 100_000);
      assertEquals(readFileSync(row!.resultPath!, "utf8"), prompt);
      const words = readFileSync(`${row!.resultPath}.words`, "utf8").split("\x1f");
      assertEquals(words.slice(0, 3), [row!.resultPath!, ODD_MODEL, root]);
      for (const place of [top, root]) assert(!existsSync(join(place, "pwned")));
    } finally {
      run.remove();
      removeTree(top);
    }
  }
});
