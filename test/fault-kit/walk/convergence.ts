import type { Walk } from "./walk.ts";

const ROUNDS = "okstra-convergence";

/** Every command of okstra-convergence, within a run whose workers have done their research. */
export async function walkRounds(walk: Walk): Promise<void> {
  await walk.step(`${ROUNDS} example --kind groups`, [], { kind: ["round-results"] });
  await walk.step(`${ROUNDS} collect-findings --on-invalid absent --result`, [
    `alpha=${walk.at("brief.md")}`,
  ], { "on-invalid": ["refuse"] });
  await walk.step(`${ROUNDS} collect-findings`, [], {
    result: [`alpha=${walk.at("none.md")}`],
    absent: ["alpha"],
    join: ["alpha:F-001,beta:F-001"],
    groups: ["groups.json"],
  });
  await walk.step(`${ROUNDS} seed`, [], {
    groups: ["none.json"],
    "work-state": ["work.json"],
  }, {
    lock: ".okstra/tasks/walk/discussion/it/runs/discussion/state/" +
      "convergence-work-discussion-001.json.lock",
  });
  for (const mode of ["adversarial", "collaborative"]) {
    const { action } = await walk.step(`${ROUNDS} plan-round`, [], {
      "work-state": ["none.json"],
      plan: ["plan.json"],
    });
    if (action !== "planned") break;
    const { batchPath } = await walk.step(`${ROUNDS} prompts --mode`, [mode], {
      mode: [mode === "adversarial" ? "collaborative" : "adversarial"],
      "work-state": ["none.json"],
      plan: ["none.json"],
    });
    const summary = await walk.step("okstra-dispatch run --parallel 1 --batch", [batchPath]);
    walk.write({ "await.json": JSON.stringify(summary) });
    const other = [mode === "adversarial" ? "collaborative" : "adversarial"];
    const options = { mode: other, plan: ["none.json"], output: ["results.json"] };
    await walk.step(`${ROUNDS} collect-results --await await.json --mode`, [mode], {
      ...options,
      await: ["none.json"],
    });
    const workers = summary.workers as { workerId: string; resultPath: string }[];
    const dispatches = workers.map(({ workerId }) => `${workerId}=completed:0`);
    const results = workers.map(({ workerId, resultPath }) => `${workerId}=${resultPath}`);
    const broken = ["--result", `${workers[0]!.workerId}=${walk.at("brief.md")}`];
    await walk.step(`${ROUNDS} collect-results --on-invalid absent --mode`, [
      ...[mode, ...dispatches.flatMap((each) => ["--dispatch", each]), ...broken],
      ...results.slice(1).flatMap((each) => ["--result", each]),
    ], { "on-invalid": ["refuse"] });
    await walk.step(`${ROUNDS} collect-results --mode`, [
      mode,
      ...dispatches.flatMap((each) => ["--dispatch", each]),
      ...results.flatMap((each) => ["--result", each]),
    ], {
      ...options,
      "dispatch": dispatches.map((each) => each.replace("completed", "timeout")),
      "result": results.slice(1),
    });
    await walk.step(`${ROUNDS} apply-round`, [], {
      "work-state": ["none.json"],
      plan: ["none.json"],
      results: ["none.json"],
    });
    if (mode === "adversarial") await walkShortcut(walk);
  }
  await walk.step(`${ROUNDS} prompts --mode critic --worker`, ["alpha"], { worker: ["beta"] });
  await walk.step(`${ROUNDS} status`);
  const state = walk.at("state.json");
  walk.write({ "state.json": "{}\n" });
  await walk.step(`${ROUNDS} finalize --force --state`, [state], { force: ["--no-force"] });
  await walk.step(`${ROUNDS} finalize`, [], { "work-state": ["none.json"], state: ["state.json"] });
  await walk.step(`${ROUNDS} validate`, [], { state: ["none.json"] });
  await walk.step(`${ROUNDS} report`, [], {
    "work-state": ["none.json"],
    state: ["none.json"],
    format: ["markdown"],
  });
  await walk.step(`${ROUNDS} replay`, [], { "work-state": ["none.json"], state: ["none.json"] });
  await walkWithoutRun(walk);
}

/** The end of a convergence whose second round is left out, on a copy of its work state. */
async function walkShortcut(walk: Walk): Promise<void> {
  const { path } = await walk.step(`${ROUNDS} status`);
  walk.write({ "short.json": JSON.stringify(walk.read(path)) });
  await walk.step(`${ROUNDS} finalize --work-state short.json --state end.json`, [
    ...["--round2-skipped-reason", "no time"],
  ], { "round2-skipped-reason": ["no money"] });
}

/** A convergence by files alone: the examples. */
async function walkWithoutRun(walk: Walk): Promise<void> {
  const { env } = walk;
  walk.env = {};
  const example = async (kind: string, name: string) => {
    const document = await walk.step(`${ROUNDS} example --kind`, [kind]);
    walk.write({ [name]: JSON.stringify(document) });
  };
  await example("groups", "g.json");
  await example("round-results", "r.json");
  await example("coverage-batch", "c.json");
  const work = ["--work-state", "w.json"];
  await walk.step(`${ROUNDS} seed --groups g.json`, work);
  await walk.step(`${ROUNDS} plan-round --plan p.json`, work);
  await walk.step(`${ROUNDS} apply-round --plan p.json --results r.json`, work);
  await walk.step(`${ROUNDS} apply-critic-gaps --results c.json`, work, {
    "results": ["r.json"],
    "work-state": ["none.json"],
    "round2-skipped-reason": ["no money"],
  });
  await walk.step(`${ROUNDS} finalize --state s.json`, work);
  const inputs = ["r.json", "c.json", "p.json"].flatMap((name) => ["--input", name]);
  await walk.step(`${ROUNDS} replay --state s.json --groups g.json`, [...work, ...inputs], {
    groups: ["r.json"],
    input: ["g.json"],
  });
  walk.env = env;
}
