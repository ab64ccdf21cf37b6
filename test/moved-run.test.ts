import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { type App, runApp, stripControl, testIo } from "../packages/kit/src/cli.ts";
import { app as convergence } from "../packages/convergence/src/cli.ts";
import { app as discussion } from "../packages/discussion/src/cli.ts";
import { app as dispatch } from "../packages/dispatch/src/cli.ts";
import { app as manifestIo } from "../packages/manifest-io/src/cli.ts";
import { app as teamState } from "../packages/team-state/src/cli.ts";
import { app as wrapperStatus } from "../packages/wrapper-status/src/cli.ts";
import { prepareTestRun } from "./prepared-run.ts";

const CALLS: readonly (readonly [App, readonly string[]])[] = [
  [manifestIo, ["show"]],
  [teamState, ["show"]],
  [wrapperStatus, ["liveness"]],
  [dispatch, ["plan"]],
  [convergence, ["status"]],
  [discussion, ["status"]],
];

describe("a run whose project was moved", () => {
  for (const [app, words] of CALLS) {
    it(`is opened by ${app.name} with a remark that can do nothing to a terminal (M-018)`, async () => {
      const run = prepareTestRun();
      const manifest = JSON.parse(readFileSync(run.manifestPath, "utf8"));
      const projectRoot = "/old\u001b[2J\u009b2J\u202eplace";
      writeFileSync(run.manifestPath, JSON.stringify({ ...manifest, projectRoot }));
      const io = testIo({ env: { OKSTRA_RUN: run.manifestPath }, cwd: run.projectRoot });
      await runApp(app, [...words], io);
      assertStringIncludes(io.stderr, `${app.name}: note: the project was moved from "/old`);
      assertStringIncludes(io.stderr, `to "${run.projectRoot}"`);
      assertEquals(stripControl(io.stderr, { keepLines: true }), io.stderr);
    });
  }

  it("still has the dispatches that it had in its old place (M-018)", async () => {
    const run = prepareTestRun(), old = "/nowhere/old", name = "prompts/a.md";
    const manifest = JSON.parse(readFileSync(run.manifestPath, "utf8"));
    writeFileSync(run.manifestPath, JSON.stringify({ ...manifest, projectRoot: old }));
    const call = async (words: readonly string[], stdin = "") => {
      const env = { OKSTRA_RUN: run.manifestPath };
      const io = testIo({ env, cwd: run.projectRoot, stdin });
      const status = await runApp(teamState, [...words], io);
      return { status, output: JSON.parse(io.stdout || "null") };
    };
    const row = { workerId: "alpha", status: "running", promptPath: `${old}/${name}` };
    await call(["dispatch", "append"], JSON.stringify(row));
    const settle = ["dispatch", "settle", "--prompt", name, "--status", "completed"];
    const { status, output } = await call(settle);
    assertEquals([status, output.dispatch.status], [0, "completed"]);
  });
});
