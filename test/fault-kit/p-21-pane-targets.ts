import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import { openCmux, openTmux } from "./panes.ts";
import type { Scenario } from "./scenario.ts";

/** P-21: pane targets that lie. */
export const paneTargets: Scenario = {
  number: "P-21",
  reported: "a pane is another one than it was, and the wrong one is closed or asked",
  faults: [
    {
      injected: "a tmux pane has another tag by now: it belongs to something else",
      expected: "reclaim leaves it alone, says so, and exits 1; the other one is closed",
      run: mistakePane,
    },
    {
      injected: "tmux answers for another pane than the one that it is asked about",
      isOnNodeAlone: true,
      expected:
        "a quiet process instead of that pane, and it runs once; no pane of the lead is closed",
      run: answerForOther,
    },
    {
      injected: "the name of a cmux tab was given to another tab",
      isOnNodeAlone: true,
      expected: "reclaim compares the lasting id and closes nothing; exit 1",
      run: reuseSurface,
    },
    {
      injected: "cmux names another tab than the one that was asked for",
      expected: "nothing is taken for the worker's place; it runs once, and no tab is closed",
      run: believeNobody,
    },
    {
      injected: "a wrapper in a pane is killed before its last word",
      expected: "lost, with the true exit status or signal from the pane as evidence",
      run: tellStatus,
    },
    ...([
      ["down", /Socket not found/],
      ["denied", /Access denied/],
      ["old", /new-surface has no --command/],
    ] as const).map(([mode, reason]) => ({
      injected: `cmux is ${mode}`,
      expected:
        "the worker runs as a quiet process; its row says from where it was degraded and why",
      isOnNodeAlone: mode !== "down",
      run: (bench: Bench) => degrade(bench, mode, reason),
    })),
  ],
};

const WORKS = [program("works.sh"), "{resultPath}"];

async function mistakePane(bench: Bench): Promise<string> {
  const tmux = await openTmux(bench);
  bench.env = { ...tmux.env };
  const run = await bench.prepare({ alpha: WORKS, beta: WORKS }, ["--backend", "tmux-pane"]);
  await bench.ok(["okstra-dispatch", "run"]);
  const [alpha, beta] = ["alpha", "beta"].map((name) => run.rows(name)[0].paneId);
  assert(/^%\d+$/.test(alpha) && alpha !== beta);
  await tmux.ask("set-option", "-p", "-t", beta, "@okstra_dispatch", "somebody else's");
  const { panes } = await bench.no(["okstra-dispatch", "reclaim"]);
  assertEquals(
    panes.map((it: { paneId: string; closed: boolean }) => `${it.paneId} ${it.closed}`),
    [`${alpha} true`, `${beta} false`],
  );
  const left = await tmux.panes("#{pane_id}");
  assertEquals([left.includes(alpha), left.includes(beta)], [false, true]);
  await tmux.close();
  return `${alpha} closed; ${beta}: ${panes[1].why}`;
}

async function answerForOther(bench: Bench): Promise<string> {
  const tmux = await openTmux(bench);
  bench.env = { ...tmux.env };
  const words = [program("counts-starts.sh"), bench.at("starts"), "{resultPath}"];
  const run = await bench.prepare({ alpha: words, beta: words }, ["--backend", "tmux-pane"]);
  await bench.ok(["okstra-dispatch", "run", "--worker", "alpha"]);
  tmux.lie();
  const { stderr } = await bench.call(["okstra-dispatch", "run", "--worker", "beta"]);
  assertMatch(stderr, /DEGRADED beta to cli-wrapper: tmux named a pane %\d+ that is not there/);
  const [{ paneId, backendType, degradedFrom, status }] = run.rows("beta");
  assertEquals([paneId, backendType, degradedFrom, status], [
    ...["", "cli-wrapper", "tmux-pane", "completed"],
  ]);
  assertEquals(bench.read("starts"), "1\n1\n");
  await bench.call(["okstra-dispatch", "reclaim"]);
  const left = await tmux.ask("list-panes", "-a", "-F", "#{pane_id}");
  assert(left.split("\n").includes(tmux.env["TMUX_PANE"]!), left);
  assertEquals(tmux.words().filter((word) => word === "kill-pane"), []);
  await tmux.close();
  return run.rows("beta")[0].degradedReason;
}

async function reuseSurface(bench: Bench): Promise<string> {
  const cmux = openCmux(bench);
  bench.env = { ...cmux.env };
  const run = await bench.prepare({ alpha: WORKS }, ["--backend", "cmux-pane"]);
  await bench.ok(["okstra-dispatch", "run"]);
  const { paneId, backendType } = run.rows("alpha")[0];
  assertEquals([backendType, cmux.surfaces()], ["cmux-pane", [paneId]]);
  cmux.reuse(paneId);
  const { panes: [pane] } = await bench.no(["okstra-dispatch", "reclaim"]);
  assertEquals([pane.closed, cmux.surfaces()], [false, [paneId]]);
  assertEquals(cmux.words().includes("close-surface"), false);
  return `${paneId} left alone: ${pane.why}`;
}

async function believeNobody(bench: Bench): Promise<string> {
  const cmux = openCmux(bench);
  cmux.mode = "liar";
  bench.env = { ...cmux.env };
  const words = [program("counts-starts.sh"), bench.at("starts"), "{resultPath}"];
  const run = await bench.prepare({ alpha: words }, ["--backend", "cmux-pane"]);
  await bench.ok(["okstra-dispatch", "run"]);
  const [{ paneId }] = run.rows("alpha");
  assertEquals([paneId, bench.read("starts")], ["", "1\n"]);
  await bench.call(["okstra-dispatch", "reclaim"]);
  assertEquals([cmux.words().includes("close-surface"), cmux.surfaces().length], [false, 1]);
  return "no pane recorded, one start, no tab closed";
}

async function tellStatus(bench: Bench): Promise<string> {
  const tmux = await openTmux(bench);
  bench.env = { ...tmux.env };
  const run = await bench.prepare({ alpha: [program("hangs.sh")] }, ["--backend", "tmux-pane"]);
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await", "--no-retry"]);
  assertEquals([worker.status, worker.rule], ["error", "lost"]);
  const seen = [worker.reason, ...worker.evidence].find((text: string) => /ended with/.test(text));
  assertMatch(seen ?? "", /ended with signal (9|kill|KILL)/);
  await tmux.close();
  return seen!;
}

async function degrade(bench: Bench, mode: string, reason: RegExp): Promise<string> {
  const cmux = openCmux(bench);
  cmux.mode = mode;
  bench.env = { ...cmux.env };
  const run = await bench.prepare({ alpha: WORKS }, ["--backend", "cmux-pane"]);
  const { status, stderr } = await bench.call(["okstra-dispatch", "run"]);
  assertEquals(status, 0, stderr);
  assertMatch(stderr, /DEGRADED alpha to cli-wrapper: \S/);
  const [row] = run.rows("alpha");
  assertEquals([row.backendType, row.degradedFrom, row.status], [
    ...["cli-wrapper", "cmux-pane", "completed"],
  ]);
  assertMatch(row.degradedReason, reason);
  assertEquals([run.state().dispatchMode, cmux.surfaces()], ["cli-wrapper", []]);
  const { backends } = await bench.ok(["okstra-dispatch", "backends"]);
  const cmuxRow = JSON.stringify(backends).match(/cmux-pane.*?(true|false)/);
  assertEquals(cmuxRow?.[1], "false");
  return `cli-wrapper instead of cmux-pane: ${row.degradedReason}`;
}
