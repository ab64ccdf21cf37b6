import { assertEquals } from "@std/assert";
import { runApp, testIo, type TestIoOptions } from "@okstra/kit/cli";
import type { Run } from "@okstra/manifest-io/io/run";
import { listTree } from "../../../test/prepared-run.ts";
import { app } from "./cli.ts";
import { formatFindings, prepareTestRun, recordResult } from "./io/testing.ts";

/** What a command left behind; for tests only. */
export interface Called {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the tool in this process; for tests only. */
export async function callTool(
  words: readonly string[],
  options: TestIoOptions = {},
): Promise<Called> {
  const io = testIo(options);
  const status = await runApp(app, [...words], io);
  const { stdout, stderr } = io;
  return { status, stdout, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : null };
}

/** A tool that works on one run. */
export type Tool = (...words: string[]) => Promise<Called>;

/** Returns the tool for a run. */
export const toolFor = (run: Run): Tool => (...words) =>
  callTool(words, { env: { OKSTRA_RUN: run.manifestPath }, cwd: run.projectRoot });

/** Calls a step twice and returns its output, having made sure that the second call changed no file; for tests only. */
export async function twice(run: Run, call: () => Promise<Called>): Promise<Called> {
  const first = await call();
  assertEquals([first.status, first.stderr], [0, ""]);
  const before = listTree(run.projectRoot);
  const second = await call();
  assertEquals([second.status, second.stderr], [0, ""]);
  assertEquals(listTree(run.projectRoot), before);
  return first;
}

/** Calls a tool that must refuse: nothing on stdout and no file changed; for tests only. */
export async function refused(run: Run, tool: Tool, ...words: string[]): Promise<Called> {
  const before = listTree(run.projectRoot);
  const call = await tool(...words);
  assertEquals([call.status, call.stdout], [2, ""], call.stderr);
  assertEquals(listTree(run.projectRoot), before);
  return call;
}

/** Prepares a run in which two workers reported two findings each, one of them at the same place. */
export const twoWorkers = () => {
  const run = prepareTestRun(["alpha", "beta"]);
  recordResult(
    run,
    "alpha",
    formatFindings({ title: "a1" }, { title: "both", place: "src/x.ts:4-8" }),
  );
  recordResult(
    run,
    "beta",
    formatFindings({ title: "b1" }, { title: "same", place: "src/x.ts:8" }),
  );
  return run;
};
