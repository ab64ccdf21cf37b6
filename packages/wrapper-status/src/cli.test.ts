import { describe, it } from "node:test";
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bootId, hostname, pid, processStartTime } from "@okstra/kit/host";
import { runApp, testIo } from "@okstra/kit/cli";
import { prepareRun } from "@okstra/manifest-io/io/prepare";
import { app } from "./cli.ts";
import { type ProviderReport, reportProviders } from "./io/provider-report.ts";
import { sampleSidecar } from "./test-sidecar.ts";

async function inDirectory(body: (directory: string) => Promise<void> | void): Promise<void> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "wrapper-status-")));
  try {
    await body(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function tool(directory: string, args: string[], env: Record<string, string> = {}) {
  const io = testIo({ cwd: directory, env });
  const status = await runApp(app, args, io);
  return { status, stdout: io.stdout, stderr: io.stderr };
}

/** The processes of this test, as a sidecar or row names them. */
const self = () => ({
  host: hostname(),
  bootId: bootId(),
  wrapper: { pid: pid(), startTime: processStartTime(pid()) ?? null },
});
const gone = () => ({ pid: spawnSync("true").pid, startTime: "1" });

function putSidecar(directory: string, name: string, changes: Parameters<typeof sampleSidecar>[0]) {
  const promptPath = join(directory, name);
  const text = JSON.stringify(sampleSidecar({ promptPath, ...changes }));
  writeFileSync(`${promptPath}.status.json`, text);
}

describe("okstra-wrapper-status read", () => {
  it("prints the sidecar by prompt or by its own path (W-007)", () =>
    inDirectory(async (directory) => {
      putSidecar(directory, "x.md", { stage: "exited", isTerminal: true });
      for (const name of ["x.md", "x.md.status.json"]) {
        const { status, stdout } = await tool(directory, ["read", name]);
        assertEquals([status, JSON.parse(stdout).stage], [0, "exited"]);
      }
    }));

  it("exits 1 if there is none, and 2 if it cannot be read (W-007)", () =>
    inDirectory(async (directory) => {
      assertEquals(await tool(directory, ["read", "x.md"]), { status: 1, stdout: "", stderr: "" });
      writeFileSync(join(directory, "x.md.status.json"), '{"stage":');
      const { status, stdout, stderr } = await tool(directory, ["read", "x.md"]);
      assertEquals([status, stdout], [2, ""]);
      assertStringIncludes(stderr, "status sidecar");
    }));
});

describe("okstra-wrapper-status and -", () => {
  it("reads a sidecar from standard input, and explains it (W-007)", () =>
    inDirectory(async (directory) => {
      const promptPath = join(directory, "x.md");
      const sidecar = sampleSidecar({ promptPath, stage: "exited", isTerminal: true });
      const piped = async (command: string, stdin: string) => {
        const io = testIo({ cwd: directory, stdin });
        return { status: await runApp(app, [command, "-"], io), stdout: io.stdout };
      };
      const read = await piped("read", JSON.stringify(sidecar));
      assertEquals([read.status, JSON.parse(read.stdout)], [0, sidecar]);
      const { stdout } = await piped("explain", JSON.stringify(sidecar));
      const told = JSON.parse(stdout);
      assertEquals([told.promptPath, told.rule], [promptPath, "terminal-sidecar"]);
      for (const text of ["", "{}", "[]"]) {
        assertEquals(await piped("read", text), { status: 2, stdout: "" });
      }
    }));

  it("refuses it without a trace where files beside the prompt are needed (W-015)", () =>
    inDirectory(async (directory) => {
      const cases: [string[], number][] = [
        [["paths", "-"], 2],
        [["follow", "-"], 2],
        [["run", "--prompt", "-", "--", "true"], 64],
        [["run", "--prompt", "-", "--frob", "--", "true"], 64],
        [["run", ".", "m", "-", "", "analyser", "5", "--provider", "codex"], 64],
      ];
      for (const [words, expected] of cases) {
        const { status, stdout } = await tool(directory, words);
        assertEquals([status, stdout], [expected, ""], words.join(" "));
      }
      assertEquals(readdirSync(directory), []);
    }));
});

describe("okstra-wrapper-status paths", () => {
  it("derives the paths from the prompt (W-008)", () =>
    inDirectory(async (directory) => {
      const { stdout } = await tool(directory, ["paths", "x.md"]);
      const at = (name: string) => join(directory, name);
      assertEquals(JSON.parse(stdout), {
        promptPath: at("x.md"),
        sidecarPath: at("x.md.status.json"),
        logPath: at("x.md.log"),
        metadataPath: at("x.md.meta.json"),
      });
      assertEquals(readdirSync(directory), []);
    }));
});

describe("okstra-wrapper-status explain", () => {
  const verdict = async (directory: string) => {
    const { status, stdout } = await tool(directory, ["explain", "x.md"]);
    const { state, rule, evidence, stage } = JSON.parse(stdout);
    assertEquals([status, evidence.length > 0], [0, true]);
    return [state, rule, stage];
  };

  it("tells life, end and death with the rule that decided (P-5, P-7)", () =>
    inDirectory(async (directory) => {
      assertEquals(await verdict(directory), ["unknown", "no-sidecar", null]);
      putSidecar(directory, "x.md", { ...self(), child: null });
      assertEquals(await verdict(directory), ["alive", "process-identity", "running"]);
      putSidecar(directory, "x.md", { ...self(), wrapper: gone(), child: gone() });
      assertEquals(await verdict(directory), ["dead", "process-identity", "running"]);
      putSidecar(directory, "x.md", {
        ...self(),
        wrapper: { pid: pid(), startTime: "1" },
        child: null,
      });
      assertEquals(await verdict(directory), ["dead", "process-identity", "running"]);
      putSidecar(directory, "x.md", { ...self(), bootId: "another" });
      assertEquals(
        (await verdict(directory))[1],
        bootId() === null ? "process-identity" : "other-boot",
      );
      putSidecar(directory, "x.md", { ...self(), host: "elsewhere" });
      assertEquals(await verdict(directory), ["unknown", "other-host", "running"]);
      putSidecar(directory, "x.md", { ...self(), stage: "exited", isTerminal: true, exitCode: 1 });
      assertEquals(await verdict(directory), ["exited", "terminal-sidecar", "exited"]);
    }));
});

describe("okstra-wrapper-status explain and what a worker tells", () => {
  const evidence = async (directory: string) => {
    const { stdout } = await tool(directory, ["explain", "x.md"]);
    return JSON.parse(stdout).evidence as string[];
  };
  const long = "2020-01-01T00:00:00Z";

  it("tells the last sign of the child and the trouble that it told of (P-5)", () =>
    inDirectory(async (directory) => {
      putSidecar(directory, "x.md", {
        ...self(),
        child: null,
        startedAt: long,
        lastActivityAt: null,
      });
      assertMatch(
        (await evidence(directory)).at(-1)!,
        /^no output and no result since .* \d+ s ago$/,
      );
      putSidecar(directory, "x.md", {
        ...self(),
        child: null,
        lastActivityAt: long,
        providerError: { failureClass: "auth", message: "status 401", isTerminal: false, at: long },
      });
      const [trouble, activity] = (await evidence(directory)).slice(-2);
      assertMatch(
        trouble!,
        /^it told of auth \d+ s ago \(status 401\), and was about to try again$/,
      );
      assertMatch(activity!, /^last output or result \d+ s ago$/);
    }));

  it("says nothing of it once the end is recorded", () =>
    inDirectory(async (directory) => {
      putSidecar(directory, "x.md", { ...self(), stage: "exited", isTerminal: true, exitCode: 0 });
      assertEquals((await evidence(directory)).length, 1);
    }));
});

describe("okstra-wrapper-status run with words that its table does not allow", () => {
  const positions = (directory: string) => [directory, "m", "x.md", "", "analyser", ""];
  const refusals: readonly (readonly [string, (directory: string) => string[]])[] = [
    ["an unknown option after the positions", (d) => [...positions(d), "--provider=p", "--loud"]],
    ["an option without its value", (d) => [...positions(d), "--provider"]],
    ["a position too many", (d) => [...positions(d), "extra", "--provider", "p"]],
    ["an unknown option before --prompt", () => ["--loud", "--prompt", "x.md", "--", "true"]],
    ["an option twice", () => ["--prompt=x.md", "--presentation=quiet", "--presentation=live"]],
  ];
  for (const [name, words] of refusals) {
    it(`ends with 64 for ${name} and says so beside the prompt (W-015)`, () =>
      inDirectory(async (directory) => {
        writeFileSync(join(directory, "x.md"), "Work.\n");
        const { status, stdout, stderr } = await tool(directory, ["run", ...words(directory)]);
        assertEquals([status, stdout], [64, ""]);
        assertStringIncludes(stderr, "okstra-wrapper-status: hint: ");
        const sidecar = JSON.parse(readFileSync(join(directory, "x.md.status.json"), "utf8"));
        const { stage, isTerminal, exitCode, failureClass, reason } = sidecar;
        assertEquals([stage, isTerminal, exitCode, failureClass], [
          "refused",
          true,
          64,
          "environment",
        ]);
        assertStringIncludes(stderr, reason.slice(reason.indexOf(": ") + 2));
        assertEquals(readdirSync(directory), ["x.md", "x.md.status.json"]);
      }));
  }

  it("names what lists the providers for one that nobody knows (W-015)", () =>
    inDirectory(async (directory) => {
      writeFileSync(join(directory, "x.md"), "Work.\n");
      const words = ["run", ...positions(directory).slice(0, -1), "5", "--provider", "nobody"];
      const { status, stdout, stderr } = await tool(directory, words);
      assertEquals([status, stdout], [64, ""]);
      assertStringIncludes(stderr, 'Cannot use "nobody" as provider: no such provider');
      assertStringIncludes(stderr, "hint: okstra-wrapper-status providers\n");
    }));

  it("gives the hint of the document that cannot be read (W-015)", () =>
    inDirectory(async (directory) => {
      writeFileSync(join(directory, "x.md"), "Work.\n");
      mkdirSync(join(directory, ".okstra"));
      writeFileSync(join(directory, ".okstra/providers.json"), "{");
      const words = ["run", ...positions(directory).slice(0, -1), "5", "--provider", "claude"];
      assertStringIncludes(
        (await tool(directory, words)).stderr,
        "hint: mend the text at that place\n",
      );
      const { stderr } = await tool(directory, words, { OKSTRA_RUN_MANIFEST_PATH: "/no/such" });
      assertStringIncludes(stderr, "hint: name a file that exists\n");
    }));

  it("leaves no trace where no prompt is known, or where its folder is not there", () =>
    inDirectory(async (directory) => {
      for (const words of [["--loud"], ["a", "b", "--loud"], ["--prompt", "no/x.md", "--loud"]]) {
        assertEquals((await tool(directory, ["run", ...words])).status, 64);
      }
      assertEquals(readdirSync(directory), []);
    }));

  it("leaves the sidecar of a wrapper that still works as it is (P-16)", () =>
    inDirectory(async (directory) => {
      putSidecar(directory, "x.md", { ...self(), child: null, dispatchId: null });
      const before = readFileSync(join(directory, "x.md.status.json"), "utf8");
      const { status } = await tool(directory, ["run", ...positions(directory), "--loud"]);
      assertEquals(status, 64);
      assertEquals(readFileSync(join(directory, "x.md.status.json"), "utf8"), before);
    }));
});

describe("okstra-wrapper-status follow", () => {
  it("prints the whole log of a worker that has ended", () =>
    inDirectory(async (directory) => {
      putSidecar(directory, "x.md", { stage: "exited", isTerminal: true, exitCode: 0 });
      writeFileSync(join(directory, "x.md.log"), "one\n\x1b[31mtwo\u202e");
      assertEquals(await tool(directory, ["follow", "x.md"]), {
        status: 0,
        stdout: '{"line":"one"}\n{"line":"\\u001b[31mtwo\\u202e"}\n',
        stderr: "",
      });
      const io = testIo({ cwd: directory, terminals: [1] });
      assertEquals([await runApp(app, ["follow", "x.md"], io), io.stdout], [0, "one\ntwo\n"]);
    }));

  it("exits 1 if there is nothing to follow, or the worker died", () =>
    inDirectory(async (directory) => {
      assertEquals((await tool(directory, ["follow", "x.md"])).status, 1);
      putSidecar(directory, "x.md", { ...self(), wrapper: gone(), child: null });
      writeFileSync(join(directory, "x.md.log"), "last\n");
      const { status, stdout } = await tool(directory, ["follow", "x.md", "--format", "text"]);
      assertEquals([status, stdout], [1, "last\n"]);
    }));
});

describe("okstra-wrapper-status providers", () => {
  it("lists built-in and project providers, sorted", () =>
    inDirectory(async (directory) => {
      mkdirSync(join(directory, ".okstra"));
      const providers = { codex: { argv: ["./mine"] }, alpha: { argv: ["alpha"], stdin: "none" } };
      writeFileSync(
        join(directory, ".okstra/providers.json"),
        JSON.stringify({ schemaVersion: "1.0", providers }),
      );
      const { stdout } = await tool(directory, ["providers"]);
      const list = JSON.parse(stdout).providers as { name: string; source: string }[];
      assertEquals(list.map(({ name, source }) => `${name} ${source}`), [
        "alpha project",
        "antigravity built-in",
        "claude built-in",
        "codex project",
        "copilot built-in",
        "gemini built-in",
        "opencode built-in",
        "pi built-in",
        "qwen built-in",
      ]);
      assertEquals(Object.hasOwn(list[0]!, "path"), false);
    }));

  it("tells what each command line passes on", () =>
    inDirectory(async (directory) => {
      const { stdout } = await tool(directory, ["providers"]);
      const list = JSON.parse(stdout).providers as { name: string; takes: string[] }[];
      assertEquals(Object.fromEntries(list.map(({ name, takes }) => [name, takes])), {
        antigravity: ["model"],
        claude: ["model", "sessionId", "addDirs"],
        codex: ["model", "addDirs"],
        copilot: ["model", "sessionId", "addDirs"],
        gemini: ["model", "sessionId", "addDirs"],
        opencode: ["model"],
        pi: ["model", "sessionId"],
        qwen: ["model", "sessionId", "addDirs"],
      });
    }));

  it("looks with --check where programs are, and asks only known ones for their version", () =>
    inDirectory(async (directory) => {
      mkdirSync(join(directory, ".okstra"));
      mkdirSync(join(directory, "bin"));
      const put = (name: string, text: string) =>
        writeFileSync(join(directory, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      put("pi", 'echo "pi $1"; echo more');
      put("qwen", "exit 3");
      put("mine", "touch was-run");
      const providers = { mine: { argv: ["bin/mine"] } };
      writeFileSync(
        join(directory, ".okstra/providers.json"),
        JSON.stringify({ schemaVersion: "1.0", providers }),
      );
      const { stdout } = await tool(directory, ["providers", "--check"], {
        PATH: join(directory, "bin"),
      });
      const list = JSON.parse(stdout).providers as {
        name: string;
        path: string;
        version: string;
      }[];
      const found = (name: string) => {
        const { path, version } = list.find((each) => each.name === name)!;
        return [path, version];
      };
      assertEquals(found("pi"), [join(directory, "bin/pi"), "pi --version"]);
      assertEquals(found("qwen"), [join(directory, "bin/qwen"), null as unknown as string]);
      assertEquals(found("codex"), [null, null] as unknown as string[]);
      assertEquals(found("mine"), [join(directory, "bin/mine"), null as unknown as string]);
      assertEquals(readdirSync(directory), [".okstra", "bin"]);
    }));

  it("lists the providers of a run, too, which its project need not know", () =>
    inDirectory(async (directory) => {
      const given = join(directory, "given.json"), project = join(directory, "project");
      mkdirSync(project);
      const providers = { mine: { argv: ["mine"] } };
      writeFileSync(given, JSON.stringify({ schemaVersion: "1.0", providers }));
      writeFileSync(join(directory, "pi"), '#!/bin/sh\necho "pi $1"\n', { mode: 0o755 });
      const { runManifestPath } = prepareRun({
        projectRoot: project,
        taskKey: "demo/review/src",
        taskType: "discussion",
        brief: "Look.\n",
        workers: ["alpha,provider=mine", "beta,provider=pi"],
        leadRuntime: "external",
        backend: "cli-wrapper",
        providerFile: given,
        now: "2026-01-31T09:05:00Z",
      });
      const list = async (words: string[], env: Record<string, string> = {}) => {
        const { stdout } = await tool(directory, ["providers", ...words], env);
        const { providers, ...answer } = JSON.parse(stdout) as { providers: ProviderReport[] };
        const isOfRun = !words.includes("--project-root");
        assertEquals(answer, isOfRun ? { runManifestPath } : {});
        return providers.filter(({ source }) => source !== "built-in")
          .map(({ name, source, path, version }) => [name, source, path, version]);
      };
      const checked = [["mine", "run", null, null], [
        "pi",
        "run",
        join(directory, "pi"),
        "pi --version",
      ]];
      const words = ["--check", "--run-manifest", runManifestPath];
      assertEquals(await list(words, { PATH: directory }), checked);
      const env = { OKSTRA_RUN: runManifestPath };
      assertEquals((await list([], env)).map(([name]) => name), ["mine", "pi"]);
      assertEquals(await list(["--project-root", project], env), []);
      const both = await tool(directory, ["providers", "--project-root", project, ...words]);
      assertEquals([both.status, both.stdout], [2, ""]);
      const stale = { OKSTRA_RUN: "gone.json" };
      const refusal = async (...given: string[]) =>
        (await tool(directory, ["providers", ...given], stale)).stderr;
      const hint = "name a file that exists\n";
      assertStringIncludes(await refusal(), `hint: OKSTRA_RUN names it; ${hint}`);
      assertStringIncludes(await refusal("--run-manifest", "gone.json"), `hint: ${hint}`);
      assertEquals(await list(["--project-root", project], stale), []);
    }));

  it("does not wait for a program that tells no version and ignores being asked to end", () =>
    inDirectory((directory) => {
      const program = join(directory, "pi"), wait = "for _ in 1 2 3 4 5 6 7 8 9; do sleep 1; done";
      writeFileSync(program, `#!/bin/sh\ntrap '' TERM\n${wait}\ntouch ${directory}/late\n`, {
        mode: 0o755,
      });
      const searchPath = `${directory}:/usr/bin:/bin`;
      const [pi] = reportProviders(directory, { check: true, searchPath, versionLimitMs: 300 })
        .filter(({ name }) => name === "pi");
      assertEquals([pi?.path, pi?.version, readdirSync(directory)], [program, null, ["pi"]]);
    }));
});

describe("okstra-wrapper-status liveness", () => {
  const prepare = (projectRoot: string) =>
    prepareRun({
      projectRoot,
      taskKey: "demo/review/src",
      taskType: "discussion",
      brief: "Look.\n",
      workers: ["alpha,provider=codex", "beta,provider=codex"],
      leadRuntime: "external",
      backend: "cli-wrapper",
      now: "2026-01-31T09:05:00Z",
    });
  const addRows = (path: string, rows: readonly unknown[]) => {
    const state = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...state, workerDispatches: rows }));
  };
  const row = (promptPath: string, worker: string, dispatchId: string, more: object = {}) => ({
    schemaVersion: "2.0",
    assignmentRef: `initial/${worker}`,
    dispatchId,
    kind: "initial",
    attempt: 1,
    status: "running",
    promptPath,
    ...more,
  });

  it("judges the newest dispatch of each prompt by its own sidecar (P-7, P-16)", () =>
    inDirectory(async (directory) => {
      const { runManifestPath, paths } = prepare(directory);
      const alpha = join(directory, "alpha.md"), beta = join(directory, "beta.md");
      addRows(paths["teamState"]!, [
        row(alpha, "alpha", "a:attempt-1"),
        row(alpha, "alpha", "a:attempt-2", { attempt: 2, ...self() }),
        row(beta, "beta", "b:attempt-1"),
      ]);
      putSidecar(directory, "alpha.md", {
        dispatchId: "a:attempt-1",
        isTerminal: true,
        stage: "exited",
      });
      putSidecar(directory, "beta.md", {
        dispatchId: "b:attempt-1",
        ...self(),
        wrapper: gone(),
        child: null,
      });
      const { status, stdout } = await tool(directory, [
        "liveness",
        "--run-manifest",
        runManifestPath,
      ]);
      const result = JSON.parse(stdout);
      assertEquals([status, result.runManifestPath], [0, runManifestPath]);
      assertEquals(
        result.workers.map((
          w: Record<string, unknown>,
        ) => [w.workerId, w.dispatchId, w.state, w.rule]),
        [
          ["alpha", "a:attempt-2", "alive", "process-identity"],
          ["beta", "b:attempt-1", "dead", "process-identity"],
        ],
      );
      assertStringIncludes(result.workers[0].evidence[0], "belongs to a:attempt-1, attempt 1");
      assertStringIncludes(result.workers[1].evidence.at(-1), "last output or result");
      const one = await tool(directory, ["liveness", "--worker", "beta-worker"], {
        OKSTRA_RUN: runManifestPath,
      });
      assertEquals(JSON.parse(one.stdout).workers.length, 1);
    }));

  it("judges a dispatch without an id by the sidecar of its attempt, and by no earlier one (P-16)", () =>
    inDirectory(async (directory) => {
      const { runManifestPath, paths } = prepare(directory);
      const bare = (prompt: string, attempt: number) => ({
        workerId: "alpha",
        dispatchId: "",
        attempt,
        status: "running",
        promptPath: join(directory, prompt),
        wrapper: self().wrapper,
      });
      addRows(paths["teamState"]!, [bare("a.md", 1), bare("b.md", 2)]);
      for (const name of ["a.md", "b.md"]) {
        putSidecar(directory, name, { dispatchId: null, isTerminal: true, stage: "exited" });
      }
      const { stdout } = await tool(directory, ["liveness"], { OKSTRA_RUN: runManifestPath });
      assertEquals(
        JSON.parse(stdout).workers.map((w: Record<string, unknown>) => [w.attempt, w.state]),
        [[1, "exited"], [2, "alive"]],
      );
    }));

  it("tells how fresh the audit sidecar of a worker without a wrapper is, and takes it for no proof (W-009, W-010)", () =>
    inDirectory(async (directory) => {
      const { runManifestPath, paths } = prepare(directory);
      const more = { resultPath: "alpha.md", livenessMode: "audit-heartbeat", backendType: "x" };
      addRows(paths["teamState"]!, [row("a-prompt.md", "alpha", "a:attempt-1", more)]);
      const env = { OKSTRA_RUN: runManifestPath };
      const judged = async () =>
        JSON.parse((await tool(directory, ["liveness"], env)).stdout).workers[0];
      const before = await judged();
      assertEquals([before.state, before.rule], ["unknown", "heartbeat"]);
      assertEquals(before.evidence[0], "the worker has written no audit sidecar");
      writeFileSync(join(directory, "alpha.md.audit.json"), "{}");
      const after = await judged();
      assertEquals([after.state, after.rule], ["unknown", "heartbeat"]);
      assertMatch(after.evidence[0], /wrote its audit sidecar \d+ s ago/);
    }));

  it("answers unknown for a row of which nothing is known, and refuses an unknown worker", () =>
    inDirectory(async (directory) => {
      const { runManifestPath, paths } = prepare(directory);
      addRows(paths["teamState"]!, [row(join(directory, "alpha.md"), "alpha", "a:attempt-1")]);
      const env = { OKSTRA_RUN: runManifestPath };
      const { stdout } = await tool(directory, ["liveness"], env);
      const [worker] = JSON.parse(stdout).workers;
      assertEquals([worker.state, worker.rule], ["unknown", "no-sidecar"]);
      const refused = await tool(directory, ["liveness", "--worker", "gamma"], env);
      assertEquals([refused.status, refused.stdout], [2, ""]);
      assertStringIncludes(refused.stderr, "alpha, beta");
    }));
});
