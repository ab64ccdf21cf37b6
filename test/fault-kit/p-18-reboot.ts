import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listTree } from "../support.ts";
import { type Bench, program, until } from "./bench.ts";
import { openCmux, openTmux } from "./panes.ts";
import { isRunning } from "./processes.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-18: state is lost after a reboot. */
export const reboot: Scenario = {
  number: "P-18",
  reported: "what ran is forgotten after a reboot",
  faults: [
    {
      injected: "the machine is started anew in the middle of a run (all killed, another boot id)",
      expected:
        "words, folder, names of variables, session and prompt digest are on disk, values of variables are not; nothing was kept elsewhere; resume goes on",
      run: startAnew,
    },
    ...(["tmux-pane", "cmux-pane"] as const).map((backend) => ({
      injected:
        `the machine is started anew; pane and process numbers of a ${backend} are those of another run's worker now`,
      expected:
        "lost by the boot, with no word of that pane; resume goes on, reclaim leaves the pane alone",
      isOnNodeAlone: true,
      run: (bench: Bench) => giveAgain(bench, backend),
    })),
  ],
};

const OTHER_BOOT = { bootId: "00000000-0000-4000-8000-000000000000" };

async function startAnew(bench: Bench): Promise<string> {
  const temporary = join(bench.folder, "tmp"), secret = "a-key-that-nobody-may-read";
  mkdirSync(temporary);
  bench.env = { TMPDIR: temporary, LINT_API_KEY: secret };
  const argv = [program("waits-for.sh"), bench.at("go"), "{resultPath}", "{sessionId}"];
  const run = await bench.prepare({ alpha: { argv, env: { set: { LINT_LEVEL: "high" } } } });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  run.changeSidecar("alpha", OTHER_BOOT);
  run.changeRow("alpha", OTHER_BOOT);

  const [row] = run.rows("alpha"), sidecar = run.sidecar("alpha");
  const metadata = readJson(`${run.promptPath("alpha")}.meta.json`);
  assertEquals(sidecar.argv, [argv[0], argv[1], run.resultPath("alpha"), row.sessionId]);
  assertEquals([sidecar.cwd, sidecar.sessionId ?? ""], [bench.project, row.sessionId]);
  assertEquals(sidecar.envNames.includes("LINT_LEVEL"), true);
  assertEquals(sidecar.promptDigest, metadata.digests.promptDigest);
  assertEquals(row.digests.promptDigest, metadata.digests.promptDigest);
  const told = listTree(join(bench.project, ".okstra/tasks")).filter((path) =>
    !path.endsWith("/") &&
    readFileSync(join(bench.project, ".okstra/tasks", path), "utf8").includes(secret)
  );
  assertEquals(told, []);
  assertEquals(readdirSync(temporary), []);

  const { workers: [live] } = await bench.ok(["okstra-wrapper-status", "liveness"]);
  assertEquals([live.state, live.rule], ["dead", "other-boot"]);
  bench.write({ go: "" });
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", "resume"]);
  assertEquals([worker.status, worker.attempt], ["completed", 2]);
  assertEquals(run.attempts("alpha"), ["1 error", "2 completed"]);
  assertStringIncludes(run.rows("alpha")[0].evidence.join("\n"), "started anew");
  return `${live.state} by ${live.rule}; attempt 2 completed`;
}

const OPEN = { "tmux-pane": openTmux, "cmux-pane": openCmux };

async function giveAgain(bench: Bench, backend: keyof typeof OPEN): Promise<string> {
  let panes = await OPEN[backend](bench);
  const start = async (key: string, go: string) => {
    bench.env = { ...panes.env };
    const run = await bench.prepare({
      alpha: [program("waits-for.sh"), bench.at(go), "{resultPath}"],
    }, ["--task-key", `fault/kit/${key}`, "--backend", backend]);
    await bench.ok(["okstra-dispatch", "start"]);
    await until(() => run.isStage("alpha", "running"), "the start of the worker");
    return run;
  };
  const run = await start("before", "go");
  const first = run.sidecar("alpha");
  await bench.end([first.wrapper.pid, first.child.pid]);
  await panes.close();
  panes = await OPEN[backend](bench);
  const other = await start("since", "go-on");
  const [[old], [young]] = [run.rows("alpha"), other.rows("alpha")];
  assert(old.paneId !== "");
  assertEquals([old.paneId, old.dispatchId], [young.paneId, young.dispatchId]);
  const { wrapper, child, pgid } = other.sidecar("alpha");
  run.changeSidecar("alpha", { ...OTHER_BOOT, wrapper, child, pgid });
  run.changeRow("alpha", { ...OTHER_BOOT, wrapper });

  bench.write({ go: "" });
  bench.env = { ...panes.env, OKSTRA_RUN: run.manifestPath };
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", "resume"]);
  assertEquals([worker.status, worker.attempt], ["completed", 2]);
  const { reason, evidence } = run.rows("alpha")[0], told = [reason, ...evidence].join("\n");
  assertMatch(told, /^lost: [^]*started anew/);
  assert(!/pane \S+ (is at work|ended with)/.test(told), told);
  const { panes: [pane] } = await bench.no(["okstra-dispatch", "reclaim"]);
  assertEquals([pane.paneId, pane.closed], [old.paneId, false]);
  assertMatch(pane.why, /belongs to something else now/);
  assert(isRunning(wrapper.pid) && isRunning(child.pid), "the other run's worker was ended");
  bench.write({ "go-on": "" });
  await until(() => other.isStage("alpha", "exited"), "the end of the other worker");
  assertEquals(other.sidecar("alpha").exitCode, 0);
  await panes.close();
  return `${evidence[0]}; ${pane.paneId}: ${pane.why}`;
}
