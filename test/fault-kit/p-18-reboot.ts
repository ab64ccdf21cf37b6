import { assertEquals, assertStringIncludes } from "@std/assert";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listTree } from "../support.ts";
import { type Bench, program, until } from "./bench.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-18: state is lost after a reboot. */
export const reboot: Scenario = {
  number: "P-18",
  reported: "what ran is forgotten after a reboot",
  faults: [{
    injected: "the machine is started anew in the middle of a run (all killed, another boot id)",
    expected:
      "words, folder, names of variables, session and prompt digest are on disk, values of variables are not; nothing was kept elsewhere; resume goes on",
    run: startAnew,
  }],
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
