import { assertEquals } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import { openCmux, openTmux } from "./panes.ts";
import type { Scenario } from "./scenario.ts";

/** P-22: a status is read from the screen. */
export const screen: Scenario = {
  number: "P-22",
  reported: "a status is read from what a terminal shows",
  faults: [
    ...(["tmux-pane", "cmux-pane"] as const).map((backend) => ({
      injected: `a worker shows everything that looks like an end, and works on (${backend})`,
      expected: "running until its process ends; then its exit status counts; no screen is read",
      run: (bench: Bench) => pretend(bench, backend),
    })),
    {
      injected: "a worker whose pane shows a success is killed with its wrapper",
      expected: "lost, by its process; no screen is read although nothing else is left of it",
      run: dieSuccessfully,
    },
  ],
};

const READS =
  /^(capture-pane|capturep|pipe-pane|pipep|read-screen|read|capture|get-text|show-buffer)/;

async function pretend(bench: Bench, backend: string): Promise<string> {
  const tmux = await openTmux(bench), cmux = openCmux(bench);
  bench.env = { ...(backend === "tmux-pane" ? tmux : cmux).env };
  const run = await bench.prepare({ alpha: [program("pretends.sh"), bench.at("go")] }, [
    ...["--backend", backend],
  ]);
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => bench.exists("go.shown"), "the show");
  const { workers: [first] } = await bench.no(["okstra-dispatch", "await", "--timeout", "0.5"]);
  assertEquals([first.status, run.attempts("alpha")], ["running", ["1 running"]]);
  bench.write({ go: "" });
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await"]);
  assertEquals([worker.status, worker.rule], ["error", "exit-code"]);
  assertEquals(run.rows("alpha")[0].backendType, backend);
  const words = [...tmux.words(), ...cmux.words()];
  assertEquals(words.filter((word) => READS.test(word)), []);
  await tmux.close();
  return `running, then ${worker.reason}; asked: ${[...new Set(words)].sort().join(", ")}`;
}

async function dieSuccessfully(bench: Bench): Promise<string> {
  const tmux = await openTmux(bench);
  bench.env = { ...tmux.env };
  const run = await bench.prepare({ alpha: [program("pretends.sh"), bench.at("go")] }, [
    ...["--backend", "tmux-pane"],
  ]);
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => bench.exists("go.shown") && run.isStage("alpha", "running"), "the show");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await", "--no-retry"]);
  assertEquals([worker.status, worker.rule], ["error", "lost"]);
  assertEquals(tmux.words().filter((word) => READS.test(word)), []);
  await tmux.close();
  return worker.reason;
}
