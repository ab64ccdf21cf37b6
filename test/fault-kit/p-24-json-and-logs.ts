import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import { openCmux } from "./panes.ts";
import { listBelonging } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import { listCommands } from "./walk/commands.ts";
import { type Way, WAYS } from "./walk/everything.ts";
import { type Step, Walk } from "./walk/walk.ts";

/** P-24: JSON mixed with logs. */
export const jsonAndLogs: Scenario = {
  number: "P-24",
  reported: "standard output holds logs or colours beside the JSON",
  faults: WAYS.map((way) => ({
    injected: `stderr closed, TERM unset and FORCE_COLOR=1, for all of ${way.tools.join(", ")}`,
    expected: "stdout is one JSON document, or one a line where the command says so; no colours",
    // What prints is the same code for all tools; two of them are enough to show it on the other runtime.
    isOnNodeAlone: !/manifest-io|team-state/.test(way.tools.join()),
    run: (bench: Bench) => callAll(bench, way),
  })),
};

async function callAll(bench: Bench, way: Way): Promise<string> {
  const called = new Set<string>(), known = listCommands();
  let calls = 0;
  const cmux = openCmux(bench, bench.at(".okstra/cmux"));
  const walk = new Walk(bench.project, cmux.env, async (step) => {
    const ended = await bench.call([program("without-stderr.sh"), ...absolute(bench, step.words)], {
      stdin: step.stdin,
      env: { FORCE_COLOR: "1", TERM: undefined, ...walk.env },
    });
    await untilNobodyWorks(bench, step);
    const line = step.words.join(" ");
    assertEquals(ended.status, step.status, `${line}\n${ended.stdout}${ended.stderr}`);
    // deno-lint-ignore no-control-regex
    assertEquals(/\x1b/.test(ended.stdout), false, line);
    called.add(known.find((name) => `${line} `.startsWith(`${name} `))!);
    calls++;
    return check(step, ended.stdout, line);
  });
  await way.walk(walk);
  const own = known.filter((name) => way.tools.includes(name.split(" ")[0]!));
  assertEquals(own.filter((name) => !called.has(name)), []);
  return `${own.length} commands, ${calls} calls`;
}

/** What a start has started ends by itself, and the next step is about that. */
async function untilNobodyWorks(bench: Bench, { words }: Step): Promise<void> {
  if (words[0] !== "okstra-dispatch" || words[1] !== "start") return;
  await until(() => listBelonging(bench.project).length === 0, "the end of workers");
}

function absolute(bench: Bench, [tool = "", ...words]: readonly string[]): string[] {
  return [`${bench.tools}/${tool}`, ...words];
}

function check({ prints }: Step, stdout: string, line: string): unknown {
  if (prints === "nothing") {
    assertEquals(stdout, "", line);
    return null;
  }
  if (prints === "text") {
    assertStringIncludes(stdout, "\n", line);
    return null;
  }
  if (prints === "lines") {
    for (const each of stdout.trimEnd().split("\n")) JSON.parse(each);
    return null;
  }
  const document = JSON.parse(stdout);
  assertEquals(stdout, `${JSON.stringify(document, null, 2)}\n`, line);
  return document;
}
