import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { teamStatePath } from "./io/team-state.ts";
import { listTree, prepareTestRun } from "../../../test/prepared-run.ts";
import { call, readState } from "./test-run.ts";

const row = (fields = {}) => ({
  workerId: "alpha",
  dispatchId: "x-001:attempt-1",
  promptPath: "prompts/a.md",
  attempt: 1,
  kind: "initial",
  status: "running",
  startedAt: "2026-01-31T09:59:00Z",
  ...fields,
});
const lines = (...rows: unknown[]) => rows.map((each) => JSON.stringify(each)).join("\n");

describe("app", () => {
  it("names the run of every command that carries on, on stdout alone", async () => {
    const run = prepareTestRun();
    for (
      const words of [
        ["show"],
        ["worker", "set", "--worker", "alpha", "--status", "in-progress"],
        ["dispatch", "running"],
        ["facts", "record", "--dispatch-mode", "mixed"],
        ["sessions"],
      ]
    ) {
      const { status, output, stderr } = await call(run, words);
      assertEquals([status, output.runManifestPath, stderr], [0, run.manifestPath, ""]);
    }
  });
});

describe("okstra-team-state show", () => {
  it("prints the document, or a table without control characters", async () => {
    const run = prepareTestRun();
    const json = await call(run, ["show"]);
    assertEquals(json.output, { ...readState(run), runManifestPath: run.manifestPath });
    const reason = "red \u001b[31mtext\u202e";
    await call(run, ["worker", "set", "--worker", "beta", "--status", "error", "--reason", reason]);
    const { status, stdout } = await call(run, ["show", "--format", "text"]);
    assertEquals(status, 0);
    assertEquals(stdout.split("\n").length, 4);
    assert(!stdout.includes("\u001b") && !stdout.includes("\u202e"));
    assertStringIncludes(stdout, "not dispatched yet");
  });

  it("takes the run from a pipe", async () => {
    const run = prepareTestRun();
    const stdin = JSON.stringify({ runManifestPath: run.manifestPath });
    const env = { OKSTRA_RUN: "" };
    assertEquals((await call(run, ["show"], { env, stdin })).status, 0);
    assertEquals((await call(run, ["show"], { env, stdin: "" })).status, 2);
    assertEquals((await call(run, ["show"], { env })).status, 2);
  });

  it("tells a document that is absent, cut, no object or misshapen apart, and changes nothing (M-007)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const set = ["worker", "set", "--worker", "alpha", "--status", "completed"];
    for (
      const [bytes, state] of [
        [null, "there is no such file"],
        ["", "it is empty"],
        ['{"workers": [', "at line 1, column 14"],
        ["[]", "the top level is not an object"],
        [new Uint8Array([0x7b, 0xff]), "it is not UTF-8"],
        ['{"revision": 1, "workers": {}}', "/workers: expected a list, received an object"],
        ['{"revision": 1}', "/workers: is missing"],
      ] as const
    ) {
      if (bytes === null) rmSync(path);
      else writeFileSync(path, bytes);
      const before = listTree(run.projectRoot);
      for (const words of [["show"], set]) {
        const { status, stdout, stderr } = await call(run, words);
        assertEquals([status, stdout], [2, ""]);
        for (const text of [path, "as team state", state]) assertStringIncludes(stderr, text);
      }
      assertEquals(listTree(run.projectRoot), before);
    }
  });
});

describe("okstra-team-state worker set", () => {
  const set = ["worker", "set", "--worker", "alpha", "--status"];

  it("moves the worker and adds 1 to the revision (T-010, T-012, T-013)", async () => {
    const run = prepareTestRun();
    const before = readState(run);
    const started = await call(run, [...set, "in-progress", "--model-execution-value", "m-2"]);
    assertEquals(started.output.revision, before.revision + 1);
    const { model, modelExecutionValue, status, reason, startedAt } = started.output.worker;
    assertEquals([model, modelExecutionValue, status, reason, startedAt], [
      "m-1",
      "m-2",
      "in-progress",
      "",
      "2026-01-31T10:00:00Z",
    ]);
    const at = "2026-01-31T10:30:00Z";
    await call(run, [...set, "timeout", "--reason", " slow ", "--at", at]);
    const after = readState(run);
    assertEquals(after.workers[0], {
      ...started.output.worker,
      status: "timeout",
      reason: "slow",
      endedAt: at,
    });
    assertEquals([after.revision, after.workers[1]], [before.revision + 2, before.workers[1]]);
  });

  it("takes -worker for the bare id", async () => {
    const run = prepareTestRun();
    const words = ["worker", "set", "--worker", "beta-worker", "--status", "completed"];
    assertEquals((await call(run, words)).output.worker.workerId, "beta");
  });

  it("exits 2 and changes nothing for what it refuses (T-010, T-011, M-017)", async () => {
    const run = prepareTestRun();
    const before = listTree(run.projectRoot);
    for (
      const [words, text] of [
        [[...set, "running"], "in-progress"],
        [[...set, "error"], "reason"],
        [[...set, "error", "--reason", " "], "reason"],
        [[...set, "completed", "--at", "noon"], '"noon"'],
        [["worker", "set", "--worker", "gamma", "--status", "completed"], "gamma"],
      ] as const
    ) {
      const { status, stdout, stderr } = await call(run, words);
      assertEquals([status, stdout], [2, ""]);
      assertStringIncludes(stderr, text);
    }
    assertEquals(listTree(run.projectRoot), before);
  });

  it("names a worker without a row, the document, and the array that is none (T-011, T-015)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const { stderr } = await call(run, ["worker", "set", "--worker", "x", "--status", "completed"]);
    for (const text of ['"x"', path, "alpha, beta"]) assertStringIncludes(stderr, text);
    writeFileSync(path, JSON.stringify({ ...readState(run), workers: "alpha" }));
    const { status, stderr: shape } = await call(run, [...set, "completed"]);
    assertEquals(status, 2);
    for (const text of ["/workers", path]) assertStringIncludes(shape, text);
  });

  it("exits 3 and changes nothing if the revision is another one (P-2)", async () => {
    const run = prepareTestRun();
    const before = listTree(run.projectRoot), { revision } = readState(run);
    const { status, stderr } = await call(run, [
      ...set,
      "completed",
      "--if-revision",
      `${revision + 1}`,
    ]);
    assertEquals(status, 3);
    assertStringIncludes(stderr, String(revision));
    assertEquals(listTree(run.projectRoot), before);
    assertEquals(
      (await call(run, [...set, "completed", "--if-revision", `${revision}`])).status,
      0,
    );
  });
});

describe("okstra-team-state dispatch append", () => {
  const append = ["dispatch", "append"];

  it("records all lines in one write, with absolute prompt paths (T-003, T-008)", async () => {
    const run = prepareTestRun(), { revision } = readState(run);
    const second = row({ dispatchId: "x-002:attempt-1", promptPath: "/elsewhere/../p/b.md" });
    const { output } = await call(run, append, { stdin: lines(row(), second) });
    assertEquals([output.revision, output.appended], [revision + 1, 2]);
    assertEquals(
      readState(run).workerDispatches.map((each: { promptPath: string }) => each.promptPath),
      [
        join(run.projectRoot, "prompts/a.md"),
        "/p/b.md",
      ],
    );
  });

  it("replaces the row of a known dispatch id and keeps its pane (T-003, T-004)", async () => {
    const run = prepareTestRun();
    await call(run, append, { stdin: lines(row({ paneId: "%1" })) });
    await call(run, append, { stdin: lines(row({ paneId: "%2" })) });
    const rows = readState(run).workerDispatches;
    assertEquals([rows.length, rows[0].paneId, rows[0].previousPaneIds], [1, "%2", ["%1"]]);
  });

  it("stores a worker by its own id, and refuses all whom the run does not have (T-003, T-055)", async () => {
    const run = prepareTestRun();
    await call(run, append, { stdin: lines(row({ workerId: "alpha-worker" })) });
    assertEquals(readState(run).workerDispatches[0].workerId, "alpha");
    const before = listTree(run.projectRoot);
    const stdin = lines(row(), row({ workerId: "nobody" }), row({ workerId: "none" }));
    const { status, stdout, stderr } = await call(run, append, { stdin });
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(stderr, "Cannot find nobody, none: not in the roster (alpha, beta)");
    assertEquals(listTree(run.projectRoot), before);
  });

  it("stores a worker by its own id in a reference, too (T-055)", async () => {
    const run = prepareTestRun();
    const identity = {
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      participantRef: "p/alpha",
      roleExecutionRef: "re/alpha/analyser",
      executionLabel: "alpha",
      dutyId: "discussion-analysis",
      invocationRef: "x-001",
    };
    const { workerId: _, ...rest } = row();
    const second = { ...rest, ...identity, assignmentRef: "initial/alpha-worker" };
    await call(run, append, { stdin: lines(second) });
    assertEquals(readState(run).workerDispatches[0].assignmentRef, "initial/alpha");
    const { status, stderr } = await call(run, append, {
      stdin: lines({ ...second, assignmentRef: "initial/nobody" }),
    });
    assertEquals(status, 2);
    assertStringIncludes(stderr, "nobody");
  });

  it("writes nothing if the rows stand there already (T-002)", async () => {
    const run = prepareTestRun();
    const stdin = lines(row({ paneId: "%1" }), row({ dispatchId: "x-002:attempt-1" }));
    await call(run, append, { stdin: lines(row({ paneId: "%0" })) });
    const first = await call(run, append, { stdin }), before = listTree(run.projectRoot);
    assertEquals(await call(run, append, { stdin }), first);
    assertEquals(listTree(run.projectRoot), before);
  });

  it("exits 2 and records none of the rows if one is wrong (T-003, T-056)", async () => {
    const run = prepareTestRun();
    const before = listTree(run.projectRoot);
    for (const stdin of ["", lines(row(), row({ dutyId: "analysis" })), lines(row(), 1), "[]"]) {
      const { status, stdout } = await call(run, append, { stdin });
      assertEquals([status, stdout], [2, ""]);
    }
    assertEquals(listTree(run.projectRoot), before);
  });

  it("exits 2 and names the array if workerDispatches is none (T-003)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    writeFileSync(path, JSON.stringify({ ...readState(run), workerDispatches: {} }));
    const before = listTree(run.projectRoot);
    const { status, stderr } = await call(run, append, { stdin: lines(row()) });
    assertEquals(status, 2);
    assertStringIncludes(stderr, path);
    assertStringIncludes(stderr, "/workerDispatches");
    assertEquals(listTree(run.projectRoot), before);
  });
});

describe("okstra-team-state dispatch settle", () => {
  const settle = (
    prompt: string,
    ...more: string[]
  ) => ["dispatch", "settle", "--prompt", prompt, "--status", ...more];

  it("settles the newest row, closes the older one and lists what it closed (T-007)", async () => {
    const run = prepareTestRun();
    const stdin = lines(row({ dispatchId: "" }), row({ dispatchId: "", paneId: "%2" }));
    await call(run, ["dispatch", "append"], { stdin });
    const words = settle("prompts/a.md", "error", "--reason", "no credit");
    const { output } = await call(run, words, { cwd: "/" });
    assertEquals([output.dispatch.paneId, output.dispatch.status, output.dispatch.reason], [
      "%2",
      "error",
      "no credit",
    ]);
    assertEquals([output.dispatch.endedAt, output.dispatch.durationMs], [
      "2026-01-31T10:00:00Z",
      60_000,
    ]);
    assertEquals(output.superseded, [""]);
    assertEquals((await call(run, ["dispatch", "running"])).output.running, []);
  });

  it("finds the prompt from where the caller is, and leaves a repeated settle as it was (T-002, T-008)", async () => {
    const run = prepareTestRun();
    await call(run, ["dispatch", "append"], {
      stdin: lines(row(), row({ attempt: 2, dispatchId: "y" })),
    });
    const cwd = join(run.projectRoot, "prompts");
    const words = [...settle("./a.md", "completed"), "--attempt", "2"];
    const first = await call(run, words, { cwd });
    assertEquals([first.output.dispatch.dispatchId, first.output.superseded], ["y", []]);
    const again = await call(run, words, { cwd, now: "2026-01-31T11:00:00Z" });
    assertEquals(again.output, first.output);
    assertEquals((await call(run, ["dispatch", "running"])).output.running.length, 1);
  });

  it("finds an attempt whose row has another form of the path than a later one (T-006, T-008)", async () => {
    const run = prepareTestRun();
    const first = row({ promptPath: "prompts/a.md" });
    const second = row({
      dispatchId: "y",
      attempt: 2,
      promptPath: join(run.projectRoot, "prompts/a.md"),
    });
    writeFileSync(
      teamStatePath(run),
      JSON.stringify({ ...readState(run), workerDispatches: [first, second] }),
    );
    const { output } = await call(run, settle("prompts/a.md", "completed"));
    assertEquals(output.dispatch.dispatchId, "x-001:attempt-1");
  });

  it("takes the words of a row of before a move, and the prompt of another clone for no prompt of this run (T-006)", async () => {
    const run = prepareTestRun();
    const inner = join(run.manifest.runDirectoryPath, "prompts/a.md"), old = join("/old", inner);
    writeFileSync(
      teamStatePath(run),
      JSON.stringify({ ...readState(run), workerDispatches: [row({ promptPath: old })] }),
    );
    const { status, stderr } = await call(run, settle(join("/clone", inner), "completed"));
    assertEquals(status, 2);
    assertStringIncludes(stderr, "has no such dispatch");
    for (const name of [old, inner]) {
      const { output } = await call(run, settle(name, "completed"));
      assertEquals(output.dispatch.status, "completed");
    }
  });

  it("exits 2 and names the array if workerDispatches is none (T-007)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    writeFileSync(path, JSON.stringify({ ...readState(run), workerDispatches: "none" }));
    const before = listTree(run.projectRoot);
    const { status, stderr } = await call(run, settle("prompts/a.md", "completed"));
    assertEquals(status, 2);
    for (const text of ["/workerDispatches", path]) assertStringIncludes(stderr, text);
    assertEquals(listTree(run.projectRoot), before);
  });

  it("exits 2 and changes nothing if no row matches or the reason is missing (T-006, D-048)", async () => {
    const run = prepareTestRun();
    await call(run, ["dispatch", "append"], { stdin: lines(row()) });
    const before = listTree(run.projectRoot);
    for (
      const [words, text] of [
        [settle("prompts/b.md", "completed"), "prompts/b.md"],
        [[...settle("prompts/a.md", "completed"), "--attempt", "2"], "attempt 2"],
        [settle("prompts/a.md", "timeout"), "reason"],
        [settle("prompts/a.md", "running", "--reason", "x"), "running"],
      ] as const
    ) {
      const { status, stdout, stderr } = await call(run, words);
      assertEquals([status, stdout], [2, ""]);
      assertStringIncludes(stderr, text);
    }
    assertEquals(listTree(run.projectRoot), before);
  });
});

describe("okstra-team-state dispatch running", () => {
  it("takes a collection of a wrong type as empty (T-009, T-024)", async () => {
    const run = prepareTestRun();
    writeFileSync(
      teamStatePath(run),
      JSON.stringify({ ...readState(run), workerDispatches: "none" }),
    );
    assertEquals((await call(run, ["dispatch", "running"])).output.running, []);
    assertEquals((await call(run, ["sessions"])).output.sessions, []);
  });
});

describe("okstra-team-state facts record", () => {
  it("keeps a marker that somebody wrote before (T-020)", async () => {
    const run = prepareTestRun();
    const words = ["facts", "record", "--dispatch-mode", "cli-wrapper"];
    const { output } = await call(run, words);
    assertEquals([output.dispatchMode, output.teamCreate], ["cli-wrapper", {
      attempted: false,
      status: "implicit",
    }]);
    const teamCreate = { attempted: false, status: "skipped" };
    writeFileSync(teamStatePath(run), JSON.stringify({ ...readState(run), teamCreate }));
    assertEquals((await call(run, words)).output.teamCreate, teamCreate);
  });

  it("writes nothing if the facts are recorded already (T-002, T-020)", async () => {
    const run = prepareTestRun(), words = ["facts", "record", "--dispatch-mode", "mixed"];
    const first = await call(run, words), before = listTree(run.projectRoot);
    assertEquals(await call(run, words), first);
    assertEquals(listTree(run.projectRoot), before);
  });
});

describe("okstra-team-state sessions", () => {
  it("lists all attempts, or those of one worker (T-024)", async () => {
    const run = prepareTestRun();
    const rows = [
      row({ sessionId: "s-1" }),
      row({ dispatchId: "x-001:attempt-2", attempt: 2, sessionId: "s-2" }),
      row({ dispatchId: "z", workerId: "beta", sessionId: "s-3" }),
    ];
    await call(run, ["dispatch", "append"], { stdin: lines(...rows) });
    assertEquals((await call(run, ["sessions"])).output.sessions, ["s-1", "s-2", "s-3"]);
    const words = ["sessions", "--worker", "alpha"];
    assertEquals((await call(run, words)).output.sessions, ["s-1", "s-2"]);
    const long = ["sessions", "--worker", "alpha-worker"];
    assertEquals((await call(run, long)).output.sessions, ["s-1", "s-2"]);
  });

  it("refuses a worker that the run does not know, and lists those that it knows (T-015, T-024)", async () => {
    const run = prepareTestRun();
    const { status, stdout, stderr } = await call(run, ["sessions", "--worker", "nobody"]);
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(stderr, "Cannot find nobody: not in the roster (alpha, beta)");
    assertStringIncludes(stderr, "hint: list the workers: okstra-team-state show");
    const blank = await call(run, ["sessions", "--worker", ""]);
    assertStringIncludes(blank.stderr, 'Cannot find "": not in the roster (alpha, beta)');
  });
});
