import { describe, it } from "node:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { processState } from "@okstra/kit/host";
import { prepareRun } from "@okstra/manifest-io/io/prepare";
import { RefusedRunError } from "./run-request.ts";
import { sampleSidecar } from "./test-sidecar.ts";
import { type Bench, testTimings, withBench } from "./test-bench.ts";

const isGone = (pid: string) => {
  const state = processState(Number(pid));
  return state === null || state === "Z";
};

describe("runWrapper() and the end of the child", () => {
  it("records success only with status 0 and every result (P-10)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell("echo done >r.md", { result: ["r.md"] });
      assertEquals(exitStatus, 0);
      assertEquals(bench.sidecar(), sidecar);
      assertEquals(
        [sidecar.stage, sidecar.isTerminal, sidecar.exitCode, sidecar.failureClass, sidecar.reason],
        ["exited", true, 0, null, null],
      );
      assertEquals([sidecar.groupEmpty, sidecar.missingCompletionPaths], [true, []]);
    }));

  it("ends with the child's own status", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell("exit 3");
      assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [3, 3, "crash"]);
    }));

  it("ends with 128 and the number of a signal from outside", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell("kill -KILL $$");
      assertEquals([exitStatus, sidecar.exitCode, sidecar.signal], [137, null, "SIGKILL"]);
      assertEquals([sidecar.timeout, sidecar.failureClass], [null, "crash"]);
    }));

  it("ends with 127 if there is no such program", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.run({
        positionals: [],
        command: [bench.at("absent")],
        options: { prompt: bench.promptPath, result: ["r.md"] },
      });
      assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [127, 127, "environment"]);
      assertEquals([sidecar.stage, sidecar.child, sidecar.isTerminal], ["exited", null, true]);
      assertEquals(sidecar.missingCompletionPaths, [bench.at("r.md")]);
    }));

  it("ends with 126 if the program cannot be executed", () =>
    withBench(async (bench) => {
      chmodSync(bench.promptPath, 0o644);
      const { exitStatus, sidecar } = await bench.run({
        positionals: [],
        command: [bench.promptPath],
        options: { prompt: bench.promptPath },
      });
      assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [126, 126, "environment"]);
    }));

  const results: readonly (readonly [string, string, string])[] = [
    ["missing", "true", "missing"],
    ["empty", ": >r.md", "empty"],
    ["a directory", "mkdir r.md", "not a regular file"],
    ["a device", "ln -s /dev/null r.md", "not a regular file"],
    ["a link to nothing", "ln -s nowhere r.md", "missing"],
  ];
  for (const [name, script, state] of results) {
    it(`ends with 65 if the result is ${name} (W-014, P-10)`, () =>
      withBench(async (bench) => {
        const { exitStatus, sidecar } = await bench.shell(script, { result: ["r.md"] });
        assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [65, 0, "no-result"]);
        assertEquals(sidecar.missingCompletionPaths, [bench.at("r.md")]);
        assertStringIncludes(sidecar.reason!, `r.md (${state})`);
      }));
  }

  it("ends with 65 if the result is of an earlier attempt (P-10, P-16)", () =>
    withBench(async (bench) => {
      writeFileSync(bench.at("r.md"), "old\n");
      utimesSync(bench.at("r.md"), 1, 1);
      const { exitStatus, sidecar } = await bench.shell("true", { result: ["r.md"] });
      assertEquals(exitStatus, 65);
      assertStringIncludes(sidecar.reason!, "r.md (not written in this attempt)");
      const again = await bench.shell("echo new >r.md", { result: ["r.md"] });
      assertEquals(again.exitStatus, 0);
    }));

  it("holds the result of a command to its own folder and the working one, wherever a link leads (P-10)", () =>
    withBench(async (bench) => {
      mkdirSync(bench.at("here"));
      mkdirSync(bench.at("away"));
      symlinkSync("../away", bench.at("here/out"));
      const run = async (script: string, result: string) => {
        const changes = { cwd: bench.at("here") };
        const { exitStatus, sidecar } = await bench.shell(
          script,
          { result: [bench.at(result)] },
          changes,
        );
        return exitStatus === 0 ? "" : /\((.*)\)$/.exec(sidecar.reason!)![1];
      };
      assertEquals(await run("echo x >out/a.md", "here/out/a.md"), "");
      assertEquals(await run("echo x >b && ln -s b b.md", "here/b.md"), "");
      assertEquals(await run("echo x >c && ln -s ../here/c ../away/c.md", "away/c.md"), "");
      assertEquals(await run("mkdir new && echo x >new/d.md", "here/new/d.md"), "");
      assertEquals(await run("echo x >../e && ln -s ../e e.md", "here/e.md"), "outside");
      assertEquals(await run("rm out && mkdir out && echo x >out/f.md", "here/out/f.md"), "");
      const old = bench.at("here/old");
      writeFileSync(old, "x");
      utimesSync(old, 1, 1);
      for (const way of ["ln -s", "ln", "cp -p", "mv"]) {
        const name = way.replace(/\W/g, "");
        const state = await run(`${way} old ${name}.md`, `here/${name}.md`);
        assertEquals([way, state], [way, "not written in this attempt"]);
      }
    }));
});

describe("runWrapper() and the child's surroundings", () => {
  const bytes = new Uint8Array(100_000).map((_, i) => (i * 7919) % 256);

  it("gives the prompt byte for byte on standard input, and its end (P-8, P-9)", () =>
    withBench(async (bench) => {
      const { exitStatus } = await bench.shell("cat >copy", { result: ["copy"] });
      assertEquals(exitStatus, 0);
      assertEquals(new Uint8Array(readFileSync(bench.at("copy"))), bytes);
    }, bytes));

  it("keeps binary output of both streams in the log", () =>
    withBench(async (bench) => {
      await bench.shell("cat; printf 'err\\n' >&2");
      const log = new Uint8Array(readFileSync(bench.at("prompt.md.log")));
      assertEquals(log, new Uint8Array([...bytes, ...new TextEncoder().encode("err\n")]));
    }, bytes));

  it("passes names and words with blanks, line feeds and shell text unchanged", () =>
    withBench(
      async (bench) => {
        const words = ["a b", "line\nfeed", "$(touch stolen)", "'\"`", "--", ""];
        const { sidecar } = await bench.run({
          positionals: [],
          command: ["sh", "-c", 'printf "%s\\0" "$@"', "sh", ...words],
          options: { prompt: bench.promptPath },
        });
        assertEquals(
          bench.read(`${bench.promptPath.slice(bench.directory.length + 1)}.log`),
          words.map((word) => `${word}\0`).join(""),
        );
        assertEquals(sidecar.argv.slice(4), words);
        assertEquals(existsSync(bench.at("stolen")), false);
      },
      "x\n",
      "a b\n$(touch stolen).md",
    ));

  it("is not misled by a child that closes its streams", () =>
    withBench(async (bench) => {
      const { exitStatus } = await bench.shell(
        "exec <&- >&- 2>&-; sleep 0.2; echo late >r.md",
        { result: ["r.md"] },
      );
      assertEquals(exitStatus, 0);
    }));

  it("shows lines live without changing the log (W-002)", () =>
    withBench(async (bench) => {
      const lines: string[] = [];
      const show = (line: string) => lines.push(line);
      await bench.shell("printf 'one\\ntwo'", { presentation: "live" }, { show });
      assertEquals([lines, bench.read("prompt.md.log")], [["one", "two"], "one\ntwo"]);
      await bench.shell("echo three", {}, { show });
      assertEquals(lines, ["one", "two"]);
    }));
});

describe("runWrapper() and limits", () => {
  it("ends a silent child with 124 (W-012, P-9)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell("exec sleep 60", { "idle-timeout": "0.3" });
      assertEquals([exitStatus, sidecar.timeout, sidecar.failureClass], [124, "idle", "timeout"]);
      assertEquals([sidecar.signal, sidecar.groupEmpty], ["SIGTERM", true]);
    }));

  it("lets a child go on that makes progress in its log or in its result", () =>
    withBench(async (bench) => {
      const { exitStatus } = await bench.shell(
        "for i in 1 2 3 4; do sleep 0.3; echo $i; sleep 0.3; echo $i >>r.md; done",
        { "idle-timeout": "1", "result": ["r.md"] },
      );
      assertEquals(exitStatus, 0);
    }));

  it("ends a talking child after the total time (P-9)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell("while :; do echo x; sleep 0.02; done", {
        "total-timeout": "0.4",
        "idle-timeout": "30",
      });
      assertEquals([exitStatus, sidecar.timeout], [124, "total"]);
    }));

  it("keeps the first cause if the child ends with 0 on being asked", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell(
        "trap 'echo r >r.md; exit 0' TERM; while :; do sleep 0.05; done",
        { "idle-timeout": "0.3", "result": ["r.md"] },
      );
      assertEquals([exitStatus, sidecar.exitCode, sidecar.timeout], [124, 0, "idle"]);
    }));

  it("kills a child that does not end within the grace (P-20)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell(
        "trap '' TERM; while :; do sleep 0.05; done",
        { "idle-timeout": "0.3" },
      );
      assertEquals([exitStatus, sidecar.signal, sidecar.groupEmpty], [124, "SIGKILL", true]);
    }));
});

describe("runWrapper() and what a child leaves behind", () => {
  it("ends a grandchild in a session of its own whose parent has gone (P-20)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell(
        "setsid sh -c 'echo $$ >orphan; exec sleep 60' & while [ ! -s orphan ]; do sleep 0.01; done",
        { result: ["orphan"] },
      );
      assertEquals([exitStatus, sidecar.groupEmpty], [0, true]);
      assert(isGone(bench.read("orphan")));
    }));

  it("kills what ignores TERM and holds the output open (P-20)", () =>
    withBench(async (bench) => {
      const { exitStatus, sidecar } = await bench.shell(
        "(trap '' TERM; sh -c 'echo $PPID' >orphan; while :; do sleep 0.05; done) & " +
          "while [ ! -s orphan ]; do sleep 0.01; done",
      );
      assertEquals([exitStatus, sidecar.groupEmpty], [0, true]);
      assert(isGone(bench.read("orphan")));
    }));

  it("ends the descendants of a child that it has to end (P-20)", () =>
    withBench(async (bench) => {
      const { sidecar } = await bench.shell(
        "setsid sh -c 'trap \"\" TERM; echo $$ >orphan; while :; do sleep 0.05; done' & exec sleep 60",
        { "idle-timeout": "0.5" },
      );
      assertEquals([sidecar.timeout, sidecar.groupEmpty], ["idle", true]);
      assert(isGone(bench.read("orphan")));
    }));
});

describe("runWrapper() and its sidecar", () => {
  it("names the child while it runs and renews only its own sign of life (P-6, P-7)", () =>
    withBench(async (bench) => {
      let second = 0;
      const { sidecar } = await bench.shell(
        "sleep 0.3; cp prompt.md.status.json seen-1; sleep 0.3; cp prompt.md.status.json seen-2; echo $$ >pid",
        {},
        { now: () => new Date(Date.UTC(2026, 0, 31, 9, 5, second++)) },
      );
      const seen = [1, 2].map((i) => JSON.parse(bench.read(`seen-${i}`)));
      assertEquals([seen[0].stage, seen[0].isTerminal], ["running", false]);
      assertEquals(seen[0].child, sidecar.child);
      assertEquals(seen[0].child.pid, Number(bench.read("pid")));
      assertEquals(seen[0].pgid, seen[0].child.pid);
      assert(seen[0].updatedAt < seen[1].updatedAt);
      assertEquals([seen[0].lastActivityAt, seen[1].lastActivityAt], [null, null]);
      assertEquals(seen[0].startedAt, sidecar.startedAt);
    }));

  it("gives the same bytes twice under SOURCE_DATE_EPOCH, except for what names processes", async () => {
    const texts: string[] = [];
    for (let i = 0; i < 2; i++) {
      await withBench(async (bench) => {
        const env = (name: string) => name === "SOURCE_DATE_EPOCH" ? "1767225600" : undefined;
        await bench.shell("echo x; echo r >r.md", { result: ["r.md"] }, { env });
        const { host: _h, bootId: _b, wrapper: _w, child: _c, pgid: _p, ...rest } = bench.sidecar();
        assertEquals(rest.durationMs, 0);
        texts.push(JSON.stringify(rest).replaceAll(bench.directory, ""));
      });
    }
    assertEquals(texts[0], texts[1]);
  });

  it("refuses a prompt that another wrapper works on, and leaves its sidecar alone (P-16)", () =>
    withBench(async (bench) => {
      const first = bench.shell("while [ ! -e go ]; do sleep 0.02; done", {}, {
        timings: { ...testTimings, heartbeatMs: 60_000 },
      });
      const before = bench.read("prompt.md.status.json");
      const { hint } = await assertRejects(
        () => bench.shell("echo second >second"),
        RefusedRunError,
        "another wrapper",
      );
      assertStringIncludes(hint, "okstra-wrapper-status explain");
      assertEquals(bench.read("prompt.md.status.json"), before);
      assertEquals(existsSync(bench.at("second")), false);
      writeFileSync(bench.at("go"), "");
      assertEquals((await first).exitStatus, 0);
    }));

  it("records a refusal as a terminal sidecar and starts nothing (W-004, W-015)", () =>
    withBench(async (bench) => {
      const words = {
        positionals: [bench.directory, "m", bench.promptPath, "", "Codex worker", ""],
        command: [],
        options: { provider: "codex" },
      };
      await assertRejects(() => bench.run(words), RefusedRunError, "Codex worker");
      const { stage, isTerminal, exitCode, reason, child, failureClass } = bench.sidecar();
      assertEquals([stage, isTerminal, exitCode, child, failureClass], [
        "refused",
        true,
        64,
        null,
        "environment",
      ]);
      assertStringIncludes(reason!, '"Codex worker"');
      assertEquals(readdirSync(bench.directory), ["prompt.md", "prompt.md.status.json"]);
    }));

  it("does not record a refusal over the sidecar of another dispatch (P-16)", () =>
    withBench(async (bench) => {
      const other = sampleSidecar({
        promptPath: bench.promptPath,
        stage: "exited",
        isTerminal: true,
      });
      writeFileSync(bench.at("prompt.md.status.json"), JSON.stringify(other));
      await assertRejects(() => bench.shell("true", { presentation: "loud" }), RefusedRunError);
      assertEquals(bench.sidecar(), other);
    }));

  it("ends its sidecar if it cannot write the log", () =>
    withBench(async (bench) => {
      mkdirSync(bench.at("prompt.md.log"));
      const error = await assertRejects(() => bench.shell("true", { result: ["r.md"] }));
      assertEquals((error as { code?: string }).code, "EISDIR");
      const { stage, isTerminal, failureClass, missingCompletionPaths } = bench.sidecar();
      assertEquals([stage, isTerminal, failureClass], ["exited", true, "environment"]);
      assertEquals(missingCompletionPaths, [bench.at("r.md")]);
    }));

  it("refuses a missing prompt, a result that is the prompt, and leaves no log", () =>
    withBench(async (bench) => {
      await assertRejects(
        () => bench.shell("true", { prompt: bench.at("absent.md") }),
        RefusedRunError,
        "there is no prompt",
      );
      await assertRejects(
        () => bench.shell("true", { result: ["prompt.md"] }),
        RefusedRunError,
        "cannot be a result",
      );
      assertEquals(readdirSync(bench.directory), [
        "absent.md.status.json",
        "prompt.md",
        "prompt.md.status.json",
      ]);
    }));
});

describe("runWrapper() with a provider", () => {
  const provide = (bench: { at(name: string): string }, entry: unknown) => {
    mkdirSync(bench.at(".okstra"));
    const file = { schemaVersion: "1.0", providers: { mine: entry } };
    writeFileSync(bench.at(".okstra/providers.json"), JSON.stringify(file));
  };
  const words = (
    bench: { directory: string; promptPath: string },
    changes: Record<number, string> = {},
  ) => ({
    positionals: [bench.directory, "small-1", bench.promptPath, "", "analyser", ""].map((word, i) =>
      changes[i] ?? word
    ),
    command: [],
    options: { provider: "mine" },
  });
  const prompt = "**Project Root:** /x\n**Result Path:** out/r.md\n\nWork.\n";

  it("runs the project's command line on the result that the prompt names (W-001, P-18)", () =>
    withBench(async (bench) => {
      writeFileSync(
        bench.at("agent.sh"),
        '#!/bin/sh\nprintf "%s\\n" "$@" "$TONE" "${HIDDEN-none}" >"$2"\n',
        { mode: 0o755 },
      );
      mkdirSync(bench.at("out"));
      provide(bench, {
        argv: ["./agent.sh", "{model}", "{resultPath}", ["--session", "{sessionId}"], "{worktree}"],
        env: { set: { TONE: "secret tone" }, unset: ["HIDDEN"] },
      });
      const variables: Record<string, string> = {
        OKSTRA_WORKER_ID: "a",
        OKSTRA_DISPATCH_ID: "i:attempt-2",
        OKSTRA_ATTEMPT: "2",
      };
      const { exitStatus, sidecar } = await bench.run(words(bench), {
        env: (name) => variables[name],
      });
      assertEquals(exitStatus, 0);
      assertEquals(
        bench.read("out/r.md"),
        `small-1\n${bench.at("out/r.md")}\n${bench.directory}\nsecret tone\nnone\n`,
      );
      assertEquals(sidecar.argv[0], bench.at("agent.sh"));
      assertEquals([sidecar.dispatchId, sidecar.workerId, sidecar.attempt], [
        "i:attempt-2",
        "a",
        2,
      ]);
      assertEquals(sidecar.envNames, [
        "OKSTRA_ATTEMPT",
        "OKSTRA_DISPATCH_ID",
        "OKSTRA_WORKER_ID",
        "TONE",
      ]);
      assertEquals(bench.read("prompt.md.status.json").includes("secret tone"), false);
    }, prompt));

  it("passes dispatch's variables on to the child", () =>
    withBench(async (bench) => {
      provide(bench, {
        argv: ["sh", "-c", 'printf %s "$OKSTRA_COMPLETION_PATHS" >r.md'],
        stdin: "none",
      });
      const paths = JSON.stringify([bench.at("r.md")]);
      const env = (name: string) => name === "OKSTRA_COMPLETION_PATHS" ? paths : undefined;
      assertEquals((await bench.run(words(bench), { env })).exitStatus, 0);
      assertEquals(bench.read("r.md"), paths);
    }));

  it("gives an empty standard input if the provider reads the file itself (P-9)", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["sh", "-c", "wc -c"], stdin: "none" });
      await bench.run(words(bench));
      assertEquals(bench.read("prompt.md.log").trim(), "0");
    }));

  it("asks for a first output only where there is an event stream (P-9)", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["sleep", "60"], eventStream: "mine" });
      const { sidecar } = await bench.run(words(bench, { 5: "0.3" }));
      assertEquals([sidecar.timeout, sidecar.reason], ["first-output", "no output within 0.3 s"]);
    }));

  it("takes a provider's statuses for what they mean", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["sh", "-c", "exit 41"], exitCodes: { 41: "auth" } });
      const { exitStatus, sidecar } = await bench.run(words(bench));
      assertEquals([exitStatus, sidecar.failureClass], [41, "auth"]);
    }));

  it("does not accept a result outside the project (P-10)", () =>
    withBench((bench) =>
      withBench(async (other) => {
        mkdirSync(bench.at("out"));
        symlinkSync(other.at("far.md"), bench.at("out/r.md"));
        provide(bench, { argv: ["sh", "-c", "echo x >out/r.md"] });
        const { exitStatus, sidecar } = await bench.run(words(bench));
        assertEquals(exitStatus, 65);
        assertStringIncludes(sidecar.reason!, "out/r.md (outside)");
      }), prompt));

  const prepare = (bench: Bench) =>
    prepareRun({
      projectRoot: bench.directory,
      taskKey: "demo/review/src",
      taskType: "discussion",
      brief: "Look.\n",
      workers: ["alpha,provider=mine"],
      leadRuntime: "external",
      backend: "cli-wrapper",
      now: "2026-01-31T09:05:00Z",
    });

  it("takes a result of a run from inside the run alone (W-014, P-10)", () =>
    withBench(async (bench) => {
      const work = 'echo x >"$2/real.md"; ln -s "$2/real.md" "$1"';
      provide(bench, { argv: ["sh", "-c", work, "sh", "{resultPath}", "{projectRoot}"] });
      const { runManifestPath } = prepare(bench), folder = dirname(dirname(runManifestPath));
      const run = async (result: string, manifest: string | undefined) => {
        const variables: Record<string, string | undefined> = {
          OKSTRA_WORKER_RESULT_PATH: result,
          OKSTRA_RUN_MANIFEST_PATH: manifest,
        };
        const { sidecar } = await bench.run(words(bench), { env: (name) => variables[name] });
        return sidecar.reason === null ? "" : /\((.*)\)$/.exec(sidecar.reason)![1];
      };
      assertEquals(await run(join(folder, "a.md"), runManifestPath), "outside");
      assertEquals(await run(join(folder, "b.md"), undefined), "");
    }));

  it("takes what the run has frozen, whatever the project says now", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["echo", "frozen"] });
      const { runManifestPath } = prepare(bench);
      writeFileSync(
        bench.at(".okstra/providers.json"),
        JSON.stringify({
          schemaVersion: "1.0",
          providers: { mine: { argv: ["echo", "changed"] } },
        }),
      );
      const env = (name: string) =>
        name === "OKSTRA_RUN_MANIFEST_PATH" ? runManifestPath : undefined;
      const result = await bench.run(words(bench), { env });
      assertEquals([result.exitStatus, result.runManifestPath], [0, runManifestPath]);
      assertEquals(bench.read("prompt.md.log"), "frozen\n");
    }));

  it("tells every fault of the project's providers with its place, and starts nothing (W-015)", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["touch", "{out}"], exitcodes: {} });
      const error = await assertRejects(
        () => bench.run(words(bench)),
        RefusedRunError,
        "3 problems",
      );
      const said = error.issues.map(({ message }) => message);
      assertStringIncludes(said[0]!, "as providers file: 2 problems");
      assertStringIncludes(
        said[1]!,
        `${bench.at(".okstra/providers.json")} /providers/mine/argv/1: `,
      );
      assertStringIncludes(said[1]!, "holds {out}, which is none of {model}, {promptPath}");
      assertStringIncludes(
        said[2]!,
        '/providers/mine: has no field "exitcodes" (was "exitCodes" meant?)',
      );
      assertEquals(existsSync(bench.at("{out}")), false);
    }));

  it("compares the role with that of the duty in the metadata (W-015)", () =>
    withBench(async (bench) => {
      provide(bench, { argv: ["true"] });
      const digest = `sha256:${"0".repeat(64)}`;
      const names = ["catalog", "assignment", "duty", "instruction", "prompt"];
      const metadata = {
        invocationId: "i",
        assignmentRef: "initial/a",
        audience: "discussion-analysis",
        prompt: { path: "prompt.md" },
        modelAssignment: { modelExecutionValue: "small-1" },
        digests: Object.fromEntries(names.map((name) => [`${name}Digest`, digest])),
      };
      const run = (fields: object, role: string) => {
        writeFileSync(bench.at("meta.json"), JSON.stringify({ ...metadata, ...fields }));
        const options = { provider: "mine", "invocation-metadata": bench.at("meta.json") };
        return bench.run({ ...words(bench, { 4: role }), options });
      };
      const duty = { dutyId: "discussion-analysis" };
      assertEquals((await run(duty, "analyser")).exitStatus, 0);
      assertEquals((await run({ workerId: "a" }, "verifier")).exitStatus, 0);
      await assertRejects(() => run(duty, "verifier"), RefusedRunError, '"analyser"');
      await assertRejects(
        () => run({ dutyId: "gardening" }, "verifier"),
        RefusedRunError,
        "gardening",
      );
      assertEquals([bench.sidecar().stage, bench.sidecar().exitCode], ["refused", 64]);
    }));

  it("refuses an unknown provider, and a worktree that is not there", () =>
    withBench(async (bench) => {
      await assertRejects(
        () => bench.run({ ...words(bench), options: { provider: "nobody" } }),
        RefusedRunError,
        '"nobody"',
      );
      provide(bench, { argv: ["true"] });
      await assertRejects(
        () => bench.run(words(bench, { 3: bench.at("gone") })),
        RefusedRunError,
        "WORKTREE",
      );
      assertEquals(bench.sidecar().stage, "refused");
    }));

  it("works in the worktree if there is one", () =>
    withBench(async (bench) => {
      mkdirSync(bench.at("tree"));
      provide(bench, { argv: ["sh", "-c", "pwd", "sh", "{addDirs}"] });
      const { sidecar } = await bench.run(words(bench, { 3: bench.at("tree") }));
      assertEquals(bench.read("prompt.md.log"), `${bench.at("tree")}\n`);
      assertEquals(sidecar.argv.slice(4), [bench.at("out"), bench.directory]);
    }, prompt));
});
