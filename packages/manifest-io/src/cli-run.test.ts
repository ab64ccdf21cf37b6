import { runApp, testIo } from "@okstra/kit/cli";
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { listTree } from "../../../test/prepared-run.ts";
import { app } from "./cli.ts";

/** A project with a prepared run of one worker; returns a function that runs commands in it. */
async function prepared() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "okstra-cli-run-")));
  const call = async (argv: readonly string[], more: Parameters<typeof testIo>[0] = {}) => {
    const io = testIo({ cwd: root, now: "2026-01-31T09:05:00Z", ...more });
    const status = await runApp(app, [...argv], io);
    return { status, stdout: io.stdout, stderr: io.stderr };
  };
  // Else the project would be that of a directory above, where one has .okstra.
  mkdirSync(join(root, ".okstra"));
  writeFileSync(join(root, "brief.md"), "Find the faults.");
  const { stdout } = await call([
    "prepare",
    "--task-key=demo/review/src",
    "--task-type=discussion",
    "--brief=brief.md",
    "--worker=codex",
  ]);
  const env = { OKSTRA_RUN: JSON.parse(stdout).runManifestPath as string };
  return {
    root,
    call: (...argv: string[]) => call(argv, { env }),
    give: (stdin: string, ...argv: string[]) => call(argv, { env, stdin }),
  };
}

describe("okstra-manifest-io prompt", () => {
  it("materializes the roster's prompts once, and finds a change of them (D-008, D-009)", async () => {
    const { call } = await prepared();
    const first = await call("prompt", "materialize");
    assertEquals([first.status, first.stderr], [0, ""]);
    const [invocation] = JSON.parse(first.stdout).invocations;
    assertEquals([invocation.workerId, invocation.isNew], ["codex", true]);
    const bytes = readFileSync(invocation.promptPath, "utf8");
    assertStringIncludes(bytes, "Find the faults.");
    const again = JSON.parse((await call("prompt", "materialize")).stdout).invocations[0];
    assertEquals([again.isNew, readFileSync(again.promptPath, "utf8") === bytes], [false, true]);
    const verify = () => call("prompt", "verify", "--metadata", invocation.metadataPath);
    assertEquals((await verify()).status, 0);
    writeFileSync(invocation.promptPath, `${bytes} `);
    const changed = await verify();
    assertEquals(changed.status, 1);
    assertEquals(JSON.parse(changed.stdout).issues[0].pointer, "/digests/promptDigest");
  });

  it("takes a batch from standard input (D-008)", async () => {
    const { call, give } = await prepared();
    const [first] = JSON.parse((await call("prompt", "materialize")).stdout).invocations;
    const batch = {
      invocations: [{
        "invocation-id": "second-001",
        "worker-id": first.workerId,
        "audience": first.audience,
        "dispatch-kind": "initial",
        "assignment-ref": first.assignmentRef,
        "instruction": first.instructionPath,
        "prompt": first.promptPath.replace(".md", "-second.md"),
        "result": first.workerResultPath.replace(".md", "-second.md"),
      }],
    };
    const words = ["prompt", "materialize", "--batch", "-"];
    const { stdout } = await give(JSON.stringify(batch), ...words);
    assertEquals(JSON.parse(stdout).invocations[0].invocationId, "second-001");
    assertEquals((await give("[]", ...words)).status, 2);
  });

  it("refuses a batch that cannot be read, and writes nothing (D-008)", async () => {
    const { call, root } = await prepared();
    writeFileSync(join(root, "batch.json"), '{"invocations":[{"invocation-id":1}]}');
    for (const batch of ["none.json", "batch.json"]) {
      const { status, stdout } = await call("prompt", "materialize", "--batch", batch);
      assertEquals([status, stdout], [2, ""]);
    }
  });
});

describe("okstra-manifest-io attempt", () => {
  it("opens, finishes and lists attempts, and refuses drift (T-037, T-044)", async () => {
    const { root, call } = await prepared();
    const [{ metadataPath, invocationId }] =
      JSON.parse((await call("prompt", "materialize")).stdout).invocations;
    const of = ["attempt", "list", "--invocation"];
    // What is prepared and was never begun has no attempts; what nobody prepared is a slip, see below.
    assertEquals(JSON.parse((await call(...of, invocationId)).stdout).attempts, []);
    const open = ["attempt", "open", "--metadata", metadataPath];
    const opened = JSON.parse((await call(...open)).stdout).attempt;
    assertEquals([opened.invocationRef, opened.status, opened.finishedAt], [
      invocationId,
      "started",
      null,
    ]);
    // An attempt that is open keeps its first time.
    const later = await call(...open, "--at", "2026-02-01T00:00:00Z");
    assertEquals(JSON.parse(later.stdout).attempt, opened);
    const finish = ["attempt", "finish", "--invocation", invocationId, "--status"];
    assertEquals((await call(...finish, "ok")).status, 0);
    assertEquals((await call(...finish, "ok")).status, 0);
    assertEquals((await call(...finish, "error")).status, 2);
    assertEquals((await call(...open)).status, 3);
    const second = await call(...open, "--attempt", "2", "--if-revision", "99");
    assertEquals(second.status, 3);
    const { attempts } = JSON.parse((await call("attempt", "list")).stdout);
    assertEquals(attempts.map((row: { status: string }) => row.status), ["ok"]);
    assertEquals(JSON.parse((await call(...of, invocationId)).stdout).attempts, attempts);
    const before = listTree(root), none = await call(...of, "x");
    assertEquals([none.status, none.stdout], [2, ""]);
    assertStringIncludes(none.stderr, 'Cannot list the attempts of "x": the run has no such inv');
    assertStringIncludes(none.stderr, "hint: list all attempts: okstra-manifest-io attempt list");
    assertEquals(listTree(root), before);
  });
});

describe("okstra-manifest-io attempt finish", () => {
  it("records a result only if it is a file with something in it inside the run (T-040)", async () => {
    const { root, call } = await prepared();
    const [{ metadataPath, invocationId, workerResultPath }] =
      JSON.parse((await call("prompt", "materialize")).stdout).invocations;
    await call("attempt", "open", "--metadata", metadataPath);
    writeFileSync(workerResultPath, "");
    const before = listTree(root);
    const finish = (result: string) =>
      call("attempt", "finish", "--invocation", invocationId, "--status=ok", "--result", result);
    const wrong = [
      [`${workerResultPath}.none`, "there is no such file"],
      [workerResultPath, "it is empty"],
      [join(workerResultPath, ".."), "it is not a regular file"],
      ["brief.md", "it must lie inside the run directory"],
      ["/etc/hosts", "it must lie inside the run directory"],
    ] as const;
    for (const [path, state] of wrong) {
      const { status, stderr } = await finish(path);
      assertEquals(status, 2, path);
      assertStringIncludes(stderr, `as a result: ${state}`);
    }
    assertEquals(listTree(root), before);
    writeFileSync(workerResultPath, "No findings\n");
    const { attempt } = JSON.parse((await finish(workerResultPath)).stdout);
    assertEquals(join(root, attempt.resultPath), workerResultPath);
  });
});

describe("okstra-manifest-io event", () => {
  it("appends events and prints them one a line (D-053)", async () => {
    const { call } = await prepared();
    assertEquals((await call("event", "list")).stdout, "");
    await call("event", "append", "--type", "note", "--details", '{"text":"a\\nb\u202e"}');
    await call("event", "append", "--type", "other");
    assertEquals(/^[\n -~]+$/.test((await call("event", "list")).stdout), true);
    const lines = (await call("event", "list")).stdout.trim().split("\n").map((x) => JSON.parse(x));
    assertEquals(lines.map((event) => [event.eventType, event.taskKey, event.runSequence]), [
      ["note", "demo/review/src", "001"],
      ["other", "demo/review/src", "001"],
    ]);
    assertEquals(lines[0].details, { text: "a\nb\u202e" });
    assertEquals((await call("event", "list", "--type", "note")).stdout.split("\n").length, 2);
    assertEquals((await call("event", "append", "--type", "x", "--details", "[]")).status, 2);
    assertEquals((await call("event", "append", "--type", " ")).status, 2);
    assertEquals(existsSync("x"), false);
  });
});

describe("okstra-manifest-io validate-run", () => {
  it("passes a prepared run and finds a change of its prompt and of its state (D-030, T-013)", async () => {
    const { call, root } = await prepared();
    const [{ promptPath }] = JSON.parse((await call("prompt", "materialize")).stdout).invocations;
    assertEquals((await call("validate-run")).status, 0);
    writeFileSync(promptPath, "Do something else.");
    const state = JSON.parse((await call("show")).stdout).teamStatePath;
    const merge = '{"workers":[{"workerId":"codex","model":"other","status":"completed"}]}';
    await call("update", "team-state", join(root, state), "--merge", merge);
    const { status, stdout } = await call("validate-run");
    const pointers = JSON.parse(stdout).issues.map((issue: { pointer: string }) => issue.pointer);
    assertEquals(status, 1);
    for (const pointer of ["/workers/0/model", "/workers/0/resultPath", "/digests/promptDigest"]) {
      assertEquals(pointers.includes(pointer), true, pointer);
    }
  });
});

describe("okstra-manifest-io context-cost", () => {
  it("measures what the lead, a report writer, the run and the task cost (X-001, X-002, X-004, X-005)", async () => {
    const { call, root } = await prepared();
    const byRun = JSON.parse((await call("context-cost")).stdout);
    const byTask = JSON.parse((await call("context-cost", "--task-key", "demo/review/src")).stdout);
    assertEquals(byTask, byRun);
    const [lead, writer, run, task] = byRun.phases;
    const task3 = ".okstra/tasks/demo/review/src";
    assertEquals([lead.phase, writer.phase, run.phase, task.phase], [
      "lead-start",
      "report-writer",
      "run",
      "task",
    ]);
    assertEquals(lead.files.map((file: { path: string }) => file.path), [
      `${task3}/task-manifest.json`,
      `${task3}/runs/discussion/state/active-run-context-discussion-001.json`,
      `${task3}/instruction-set/task-brief.md`,
    ]);
    assertEquals(lead.missing, [`${task3}/instruction-set/analysis-profile.md`]);
    assertEquals(lead.tokenEstimate, Math.ceil(lead.sizeBytes / byRun.bytesPerToken));
    assertEquals(writer.fileCount, 0);
    assertEquals(run.fileCount < task.fileCount, true);
    assertEquals((await call("context-cost", "--task-key", "no/such/task")).status, 2);
    assertEquals((await call("context-cost", "--project-root", root)).status, 0);
    const elsewhere = await call("context-cost", "--project-root", join(root, ".okstra"));
    assertStringIncludes(elsewhere.stderr, "is not the run's project");
    assertEquals([elsewhere.status, elsewhere.stdout], [2, ""]);
    const results = join(root, task3, "runs/discussion/worker-results");
    writeFileSync(join(results, "codex-worker-discussion-001.md"), "1");
    writeFileSync(join(results, "codex-worker-discussion-0010.md"), "10");
    const [, later] = JSON.parse((await call("context-cost")).stdout).phases;
    assertEquals([later.fileCount, later.sizeBytes], [1, 1]);
  });

  it("passes over what a killed preparation left in the list of runs (X-001)", async () => {
    const { call, root } = await prepared();
    const path = join(root, ".okstra/tasks/demo/review/src/task-manifest.json");
    const task = JSON.parse(readFileSync(path, "utf8"));
    const [row] = task.runs, name = row.runManifestPath.replace("001", "002");
    task.runs.push({ ...row, runSequence: "002", runManifestPath: name });
    writeFileSync(path, JSON.stringify(task));
    const { stdout } = await call("context-cost", "--task-key", "demo/review/src");
    assertEquals(JSON.parse(stdout).runManifestPath, row.runManifestPath);
  });

  it("reads brief, profile and team states where there is no active context (X-003)", async () => {
    const { call, root } = await prepared();
    const manifest = JSON.parse((await call("show")).stdout);
    rmSync(join(root, manifest.activeRunContextPath));
    const [lead] = JSON.parse((await call("context-cost")).stdout).phases;
    assertEquals(lead.files.map((file: { path: string }) => file.path.split("/").at(-1)), [
      "task-manifest.json",
      "task-brief.md",
      "team-state-discussion-001.json",
    ]);
  });
});
