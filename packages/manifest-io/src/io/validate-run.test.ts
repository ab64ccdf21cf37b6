import { assertEquals } from "@std/assert";
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { prepareTestRun } from "../../../../test/prepared-run.ts";
import { claimPaths } from "../run-names.ts";
import { validateRun } from "./validate-run.ts";

const at = (second: number) => Date.parse("2026-01-31T09:05:00Z") / 1000 + second;

/** A run in which alpha completed with the result `r.md`, from 09:05:00 to 09:06:00. */
function completed() {
  const run = prepareTestRun(), directory = run.at(run.manifest.runDirectoryPath);
  const promptPath = join(directory, "prompts", "a.md"), result = join(directory, "r.md");
  const statePath = run.at(run.manifest.teamStatePath);
  const state = JSON.parse(readFileSync(statePath, "utf8"));
  const write = (path: string, second: number, text = "1\n") => {
    writeFileSync(path, text);
    utimesSync(path, at(second), at(second));
  };
  const row = {
    workerId: "alpha",
    dispatchId: "a:attempt-1",
    kind: "initial",
    attempt: 1,
    status: "completed",
    promptPath,
    completionPaths: [result],
    endedAt: "2026-01-31T09:06:00Z",
  };
  writeFileSync(statePath, JSON.stringify({ ...state, workerDispatches: [row] }));
  const faults = () =>
    validateRun(run).filter(({ pointer }) => pointer === "/workerDispatches/0/completionPaths/0")
      .map(({ message }) => message.replace(`"${result}" is `, ""));
  const [launch, again] = claimPaths(promptPath, 1);
  mkdirSync(join(directory, "prompts"), { recursive: true });
  return { run, result, launch, again, write, faults };
}

describe("validateRun()", () => {
  it("judges the results of completed dispatches as whoever settles them does (P-10)", () => {
    const { run, result, launch, again, write, faults } = completed();
    assertEquals(faults(), ["missing"]);
    write(result, 30, "");
    assertEquals(faults(), ["empty"]);
    write(result, -600, "from before");
    assertEquals(faults(), [], "nothing tells when the attempt began");
    write(launch, 0);
    assertEquals(faults(), ["not written in this attempt"]);
    write(result, 30, "of this attempt");
    assertEquals(faults(), []);
    write(again, 45);
    assertEquals(
      faults(),
      ["not written in this attempt"],
      "the second launch is the one that ran",
    );
    write(join(run.projectRoot, "elsewhere.md"), 50);
    const link = join(run.at(run.manifest.runDirectoryPath), "link.md");
    symlinkSync(join(run.projectRoot, "elsewhere.md"), link);
    const statePath = run.at(run.manifest.teamStatePath);
    const state = readFileSync(statePath, "utf8").replaceAll(result, link);
    writeFileSync(statePath, state);
    assertEquals(faults(), [`"${link}" is outside of the run directory`]);
  });

  it("takes no age from the files of a copy, which are younger than the attempt that they tell of (P-10)", () => {
    const { result, launch, write, faults } = completed();
    write(result, 86_400);
    write(launch, 86_500);
    assertEquals(faults(), []);
  });
});
