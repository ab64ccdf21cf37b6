import { describe, it } from "node:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { findWrapper, type WrapperPlaces } from "./io/find-wrapper.ts";
import type { PlanPayload } from "./plan-payload.ts";
import { writeQuestions } from "./test-batch.ts";
import { FAKE_WRAPPERS, type TestRun, withRun } from "./test-run.ts";

const TWO = { alpha: "ok", beta: "ok" };

/** Asserts that a call is refused with words, and leaves nothing behind. */
async function assertRefused(run: TestRun, words: readonly string[], ...said: string[]) {
  const before = run.files();
  const { code, stdout, stderr } = await run.call(words);
  assertEquals([code, stdout], [2, ""], stderr);
  for (const each of said) assertStringIncludes(stderr, each);
  assertEquals(run.files(), before);
}

describe("okstra-dispatch plan", () => {
  it("plan prints the jobs of the roster and writes nothing at all (D-055, D-002)", () =>
    withRun(TWO, async (run) => {
      const before = run.files();
      const { code, json, stderr } = await run.call(["plan"]);
      assertEquals([code, stderr], [0, ""]);
      const payload = json as PlanPayload;
      assertEquals([payload.dryRun, payload.workers.length], [true, 2]);
      assertEquals(payload.workerDispatches.map((row) => row.dispatchId), [
        "discussion-alpha-001:attempt-1",
        "discussion-beta-001:attempt-1",
      ]);
      assertEquals(payload.runManifestPath, run.run.manifestPath);
      const { workers: [first] } = payload;
      const [wrapper, run_, root, model] = first?.["command"] as string[];
      assertEquals(
        [wrapper, run_, root, model],
        [join(FAKE_WRAPPERS, "okstra-wrapper-status"), "run", run.root, "ok"],
      );
      assertEquals(run.files(), before);
    }));

  it("plan is the same twice, and shows the digests once prompts exist (D-021)", () =>
    withRun(TWO, async (run) => {
      assertEquals((await run.call(["plan"])).stdout, (await run.call(["plan"])).stdout);
      await run.wait(["run"]);
      const { workers } = (await run.call(["plan"])).json as PlanPayload;
      assertEquals(Object.keys(workers[0]?.["digests"] as object).length, 5);
    }));

  it("plan keeps the order of requested workers and accepts their long name (D-002)", () =>
    withRun(TWO, async (run) => {
      const { json } = await run.call(["plan", "--worker", "beta-worker", "--worker", "alpha"]);
      assertEquals((json as PlanPayload).workers.map((job) => job["executionLabel"]), [
        "beta",
        "alpha",
      ]);
    }));

  it("plan mints a session id for claude alone, a new one each time (D-022, M-028)", () =>
    withRun({}, async (run) => {
      const session = async (worker: string) => {
        const { json } = await run.call(["plan", "--worker", worker]);
        const command = (json as PlanPayload).workers[0]?.["command"] as string[];
        const at = command.indexOf("--session-id");
        return at < 0 ? null : command[at + 1];
      };
      const [first, second] = [await session("carl"), await session("carl")];
      assertMatch(String(first), /^[0-9a-f-]{36}$/);
      assert(first !== second);
      assertEquals(await session("fay"), null);
    }, { workers: ["carl,provider=claude", "fay,provider=fake"] }));

  it("plan hands the idle timeout on, and leaves its place empty otherwise (D-007)", () =>
    withRun(TWO, async (run) => {
      const idle = async (...words: string[]) => {
        const { json } = await run.call(["plan", "--worker", "alpha", ...words]);
        return ((json as PlanPayload).workers[0]?.["command"] as string[])[7];
      };
      assertEquals([await idle(), await idle("--idle-timeout", "90")], ["", "90"]);
    }));

  it("plan takes the report writer only if enabled or named, and what it owes (D-004, M-020, M-021)", () =>
    withRun({}, async (run) => {
      const ids = async (...words: string[]) =>
        ((await run.call(["plan", ...words])).json as PlanPayload).workers.map((job) =>
          job["executionLabel"]
        );
      assertEquals(await ids(), ["alpha"]);
      assertEquals(await ids("--enable-report-writer"), ["alpha", "report-writer"]);
      assertEquals(await ids("--worker", "report-writer"), ["report-writer"]);
      const { json } = await run.call(["plan", "--worker", "report-writer"]);
      const [job] = (json as PlanPayload).workers;
      const report = run.at(
        ".okstra/tasks/t/u/v/runs/discussion/reports/final-report-discussion-001.data.json",
      );
      assertEquals(job?.["resultPath"], report);
      assertEquals(job?.["completionPaths"], [report, job?.["workerResultPath"]]);
    }, { workers: ["alpha,provider=fake", "report-writer,provider=fake"] }));

  it("plan follows a batch in file or on standard input (D-003)", () =>
    withRun(TWO, async (run) => {
      const { path } = writeQuestions(run, ["alpha"]);
      const expected = ["question-r-0001-alpha-001:attempt-1"];
      const ids = (json: unknown) =>
        (json as PlanPayload).workerDispatches.map((row) => row.dispatchId);
      assertEquals(ids((await run.call(["plan", "--batch", path])).json), expected);
      assertEquals(ids((await run.call(["plan", "--batch", "batch.json"])).json), expected);
      const { json } = await run.call(
        ["plan", "--batch", "-"],
        {},
        JSON.stringify({
          invocations: [JSON.parse(run.files()[path]!).invocations[0]],
        }),
      );
      assertEquals(ids(json), expected);
      assertEquals((json as PlanPayload).workers[0]?.["dispatchKind"], "discussion-question");
    }));

  it("plan refuses a batch without the named worker, of another kind, or with a wrong entry (D-005, D-020)", () =>
    withRun(TWO, async (run) => {
      const { path } = writeQuestions(run, ["alpha"]);
      await assertRefused(run, ["plan", "--batch", path, "--worker", "beta"], "beta");
      await assertRefused(
        run,
        ["plan", "--batch", path, "--dispatch-kind", "reverify-r1"],
        "/invocations/0/dispatch-kind",
        "discussion-question",
      );
      writeQuestions(run, ["alpha"], { prompt: 5 });
      await assertRefused(run, ["plan", "--batch", path], "/invocations/0/prompt");
      writeQuestions(run, ["alpha"], { "worker-id": "zeta" });
      await assertRefused(run, ["plan", "--batch", path], "zeta");
      writeFileSync(path, '{"invocations": ["alpha"]}');
      await assertRefused(run, ["plan", "--batch", path], "/invocations/0");
      writeFileSync(path, '{"invocations": [');
      await assertRefused(run, ["plan", "--batch", path], "line 1, column 18");
      await assertRefused(run, ["plan", "--batch", "absent.json"], "absent.json");
    }));

  it("plan refuses unknown workers, and another kind without a batch (D-005, D-059)", () =>
    withRun(TWO, async (run) => {
      await assertRefused(run, ["plan", "--worker", "zeta"], "zeta", "alpha, beta");
      await assertRefused(run, ["plan", "--dispatch-kind", "reverify-r1"], "--batch");
    }));

  it("plan, start and run refuse what no command line can say, before anything is written (W-001)", () =>
    withRun({ alpha: "-x" }, async (run) => {
      for (const command of ["plan", "start", "run"]) {
        await assertRefused(run, [command], '"-x" begins with a dash');
      }
    }));

  it("plan refuses a roster worker without a row (D-002, T-015)", () =>
    withRun(TWO, async (run) => {
      const path = run.run.at(run.run.manifest.teamStatePath);
      const state = JSON.parse(run.files()[path]!);
      state.workers.pop();
      writeFileSync(path, JSON.stringify(state));
      await assertRefused(run, ["plan"], "beta");
      await assertRefused(run, ["run"], "beta");
    }));

  it("start refuses a prompt that was changed after it was prepared, and starts nothing (D-030)", () =>
    withRun(TWO, async (run) => {
      await run.wait(["run", "--worker", "alpha"]);
      const { workerDispatches } = (await run.call(["plan", "--worker", "alpha"]))
        .json as PlanPayload;
      writeFileSync(workerDispatches[0]!.promptPath!, "something else\n");
      await assertRefused(run, ["start"], "prepared from another input");
      assertEquals(run.rows().length, 1);
    }));
});

describe("okstra-dispatch start and run", () => {
  it("start and run refuse a damaged document before they write anything or use an attempt up (D-002, P-15)", () =>
    withRun(TWO, async (run) => {
      const { manifest } = run.run;
      const hold = `${manifest.runDirectoryPath}/state/provider-hold-fake-discussion-001.json`;
      for (const path of [manifest.executionManifestPath, hold]) {
        const place = run.at(path), kept = existsSync(place) ? readFileSync(place) : null;
        writeFileSync(place, "{\n");
        for (const command of ["start", "run"]) await assertRefused(run, [command], place);
        if (kept === null) rmSync(place);
        else writeFileSync(place, kept);
      }
      assertEquals(run.rows(), []);
    }));
});

describe("findWrapper()", () => {
  const places = (change: Partial<WrapperPlaces>): WrapperPlaces => ({
    binDirectory: "",
    searchPath: "",
    toolPaths: ["/nowhere/okstra-dispatch"],
    sourceRuntime: null,
    ...change,
  });
  const put = (run: TestRun, path: string) => {
    mkdirSync(join(run.root, path, ".."), { recursive: true });
    writeFileSync(run.at(path), "#!/bin/sh\n");
    return run.at(path);
  };

  it("findWrapper() looks in OKSTRA_BIN_DIR, beside the tool, then on PATH (D-001)", () =>
    withRun(TWO, (run) => {
      const find = (change: Partial<WrapperPlaces>) =>
        findWrapper("fake", {}, run.root, places(change)).path;
      const [a, b, c] = ["a", "b", "c"].map((name) => put(run, `${name}/okstra-wrapper-status`));
      const searchPath = `${run.at("none")}:${run.at("c")}`;
      const toolPaths = [run.at("link/okstra-dispatch"), run.at("b/okstra-dispatch")];
      assertEquals(find({ binDirectory: run.at("a"), toolPaths, searchPath }), a!);
      assertEquals(find({ binDirectory: run.at("none"), toolPaths, searchPath }), b!);
      const beside = put(run, "link/okstra-wrapper-status");
      assertEquals(find({ toolPaths, searchPath }), beside);
      assertEquals(find({ searchPath }), c!);
      // It starts in the project, and not where the call was made.
      assertEquals(find({ binDirectory: relative(process.cwd(), run.at("a")) }), a!);
      assertEquals(find({ searchPath: relative(process.cwd(), run.at("c")) }), c!);
    }));

  for (
    const [what, tool, sibling] of [
      ["source", "dispatch/src/main.ts", "wrapper-status/src/main.ts"],
      ["bundle", "okstra-dispatch.mjs", "okstra-wrapper-status.mjs"],
    ] as const
  ) {
    it(`findWrapper() runs the ${what} that belongs to it by the same Deno`, () =>
      withRun(TWO, (run) => {
        const path = put(run, sibling), toolPaths = [run.at(tool)];
        const of = (sourceRuntime: string | null) =>
          findWrapper("fake", {}, run.root, places({ toolPaths, sourceRuntime }));
        assertEquals(of("/opt/deno"), {
          path,
          prefix: ["/opt/deno", "run", "-A", path, "run"],
          isProviderScript: false,
        });
        assertThrows(() => of(null), OkstraError);
      }));
  }

  it("findWrapper() lists every place if there is none", () =>
    withRun(TWO, (run) => {
      const error = assertThrows(
        () => findWrapper("fake", {}, run.root, places({ searchPath: "/x:/y" })),
        OkstraError,
      );
      for (const place of ["/nowhere/", "/x/", "/y/"]) assertStringIncludes(error.message, place);
    }));

  it("findWrapper() takes a provider's own script from bin or scripts of the project (D-007)", () =>
    withRun(TWO, (run) => {
      const providers = { fake: { argv: ["true"], wrapper: "own.sh" } };
      const find = () => findWrapper("fake", providers, run.root, places({}));
      assertStringIncludes(assertThrows(find, OkstraError).message, run.at("scripts/own.sh"));
      const script = put(run, "scripts/own.sh");
      assertEquals(find(), { path: script, prefix: [script], isProviderScript: true });
    }));
});

describe("a program that is not installed", () => {
  const change = { workers: ["alpha,provider=lost,model=x", "beta,provider=fake,model=ok"] };
  const withLost = (test: (run: TestRun) => Promise<void>, program = "okstra-no-such-program") =>
    withRun({}, async (run) => {
      const manifest = JSON.parse(run.files()[run.run.manifestPath]!);
      manifest.providers.lost = { argv: [program, "{model}"] };
      const row = (key: string, field: string) =>
        manifest[key].find((each: Record<string, string>) => each[field] === "alpha");
      row("workerAssignments", "workerId").provider = "lost";
      row("roleExecutions", "executionLabel").provider = "lost";
      manifest.invocationAssignments["initial/alpha"].provider = "lost";
      writeFileSync(run.run.manifestPath, JSON.stringify(manifest));
      await test(run);
    }, { workers: change.workers.map((each) => each.replace("provider=lost", "provider=fake")) });

  it("start and run refuse it before anything is written: worker, provider, program and what helps (D-002)", () =>
    withLost(async (run) => {
      for (const command of ["start", "run"]) {
        await assertRefused(
          run,
          [command],
          '"okstra-no-such-program" of provider lost (worker alpha) is not installed',
          "okstra-wrapper-status providers --check",
        );
      }
    }));

  it("a file that may not be executed, and what is no file, are told as such (D-002)", () =>
    withLost(async (run) => {
      const provider = " of provider lost (worker alpha) ";
      mkdirSync(run.at("own agent"));
      await assertRefused(run, ["start"], `"./own agent"${provider}is no file`, "install it, or");
      rmSync(run.at("own agent"), { recursive: true });
      writeFileSync(run.at("own agent"), "#!/bin/sh\n", { mode: 0o644 });
      const help = `chmod +x '${run.at("own agent")}'`;
      await assertRefused(run, ["start"], `"./own agent"${provider}may not be executed`, help);
    }, "./own agent"));

  it("plan tells it and goes on; other workers can be started, and found by the provider's own PATH (D-055)", () =>
    withLost(async (run) => {
      const { code, stderr } = await run.call(["plan"]);
      assertEquals(code, 0);
      assertStringIncludes(stderr, "NOTE a start would be refused: program");
      assertEquals((await run.call(["plan", "--worker", "beta"])).stderr, "");
      const manifest = JSON.parse(run.files()[run.run.manifestPath]!);
      manifest.providers.lost.env = { set: { PATH: run.at("own") }, unset: [] };
      writeFileSync(run.run.manifestPath, JSON.stringify(manifest));
      mkdirSync(run.at("own"));
      writeFileSync(run.at("own/okstra-no-such-program"), "", { mode: 0o755 });
      assertEquals((await run.call(["plan"])).stderr, "");
    }));
});

describe("okstra-dispatch backends", () => {
  it("backends says of each whether it can be used from here, and why not (M-026)", () =>
    withRun(TWO, async (run) => {
      const { code, json } = await run.call(["backends"], { PATH: "/nowhere" });
      assertEquals(code, 0);
      const { detected, backends } = json as {
        detected: string;
        backends: { backend: string; usable: boolean; reason: string }[];
      };
      assertEquals(detected, "cli-wrapper");
      assertEquals(backends.map((it) => `${it.backend} ${it.usable}`), [
        "cli-wrapper true",
        "cmux-pane false",
        "tmux-pane false",
      ]);
      assertStringIncludes(backends[1]!.reason, "CMUX_WORKSPACE_ID");
      assertStringIncludes(backends[2]!.reason, "TMUX");
    }));
});
