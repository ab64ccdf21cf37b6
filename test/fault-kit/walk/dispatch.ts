import { rmSync } from "node:fs";
import type { Walk } from "./walk.ts";

const DISPATCH = "okstra-dispatch";
const LOST = "gamma-worker-prompt-discussion-001.md.status.json";

/** Every command of okstra-dispatch, and what shows its workers. */
export async function walkDispatch(walk: Walk): Promise<void> {
  await walk.prepare("walk/dispatch/it", [
    ...["alpha,provider=lint-a", "beta,provider=lint-b", "gamma,provider=idle"],
    ...["delta,provider=says", "spoil,provider=spoils", "report-writer,provider=idle"],
  ]);
  const some = { worker: ["beta"], "dispatch-kind": ["nothing"], batch: ["none.json"] };
  const planned = {
    ...some,
    "jobs-file": ["none.json"],
    "enable-report-writer": [],
    "idle-timeout": ["7"],
    "total-timeout": ["70"],
  };
  const started = { ...planned, parallel: ["0"] };
  await walk.step(`${DISPATCH} backends`);
  await walk.step(`${DISPATCH} plan`, [], planned);
  await walk.step("okstra-manifest-io prompt materialize");
  await walk.step(`${DISPATCH} jobs`, [], { ...some, "enable-report-writer": [] });
  await walk.step(`${DISPATCH} start --worker alpha`, [], started);
  await walk.step(`${DISPATCH} await`, [], some);
  await walk.step(`${DISPATCH} run --worker beta`, [], {
    ...started,
    worker: ["delta"],
    timeout: ["0"],
  });
  await walk.step(`${DISPATCH} run --worker spoil`, [], { "fail-on-violation": [] });
  await walk.step(`${DISPATCH} run --worker gamma --no-retry`, [], {
    "retry": ["--retry"],
    "retry-on": ["task"],
  }, { status: 1 });
  await walk.step(`${DISPATCH} why --worker gamma`, [], { worker: ["beta"] });
  await walk.step(`${DISPATCH} start --worker delta`);
  await walk.step(`${DISPATCH} teardown`, [], { worker: ["nobody"] });
  for (const command of ["await", "resume"]) await walkWaiting(walk, command);
  const two = ["alpha,provider=says", "report-writer,provider=idle"];
  await walk.prepare("walk/dispatch/panes", two, {}, "cmux-pane");
  walk.env = { ...walk.env, ...walk.cmux };
  await walk.step(`${DISPATCH} run`, [], { "enable-report-writer": [] });
  await walk.step(`${DISPATCH} reclaim`);
}

/** Workers that have ended, of which nobody has taken note. */
async function walkWaiting(walk: Walk, command: string): Promise<void> {
  const workers = [
    ...["gamma,provider=idle", "crash,provider=fails", "report-writer,provider=idle"],
  ];
  const { paths } = await walk.prepare(`walk/dispatch/${command}`, workers);
  await walk.step(`${DISPATCH} start`, [], { "enable-report-writer": [] });
  // resume goes on with what was lost, so the end of one of them must have left no word.
  if (command === "resume") rmSync(`${paths.prompts}/${LOST}`);
  await walk.step(`${DISPATCH} ${command}`, [], {
    "retry": ["--no-retry"],
    "retry-on": ["crash"],
    "timeout": ["0"],
  }, { status: 1 });
  await walk.prepare(`walk/dispatch/spoilt-${command}`, ["spoil,provider=spoils"]);
  await walk.step(`${DISPATCH} start`);
  await walk.step(`${DISPATCH} ${command}`, [], { "fail-on-violation": [] });
}
