import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openRun } from "@okstra/manifest-io/io/run";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { TASK } from "../testdata/world.ts";
import {
  call,
  finishWorkers,
  listTree,
  ok,
  prepare,
  read,
  STORE,
  SUBJECT,
  withProject,
  writeFinalState,
} from "../testdata/project.ts";

/** Prepares a run whose cycle is open; returns the paths of its manifest and batch. */
async function opened(root: string) {
  const run = prepare(root);
  await ok(run, ...SUBJECT);
  const { batchPath } = await ok(run, "cycle-open");
  return { run, batchPath: batchPath as string };
}

describe("okstra-discussion", () => {
  it("okstra-discussion goes through a whole discussion with only OKSTRA_RUN set (G-001, G-002, K-001)", () =>
    withProject(async (root) => {
      const run = prepare(root);
      const confirmed = await ok(run, ...SUBJECT);
      assertEquals([confirmed.runManifestPath, confirmed.created, confirmed.revision], [
        run,
        true,
        1,
      ]);
      const cycle = await ok(run, "cycle-open");
      assertEquals([cycle.action, cycle.created, cycle.runManifestPath], ["dispatch", true, run]);
      finishWorkers(run, cycle.batchPath, {});
      const settled = await ok(run, "settle");
      assertEquals([settled.results, settled.failures, settled.phase], [
        ["RS-0001", "RS-0002"],
        [],
        "researching",
      ]);
      writeFinalState(openRun(run));
      const closed = await ok(run, "cycle-close");
      assertEquals([closed.created, closed.claims, closed.phase], [true, [], "options"]);
      const { draftVersion } = await ok(run, "status");
      const done = await ok(run, "complete", "--draft-version", draftVersion);
      assertEquals([done.created, done.revisionId], [true, "RV-0001"]);
      const text = read(join(root, done.contentPath));
      assertStringIncludes(text, `Draft version: ${draftVersion}`);
      const verdict = await ok(run, "verify");
      assertEquals([verdict.ok, verdict.recordCount], [true, 6]);
      // Every step may be repeated.
      const before = listTree(root);
      const again = (await ok(run, "status")).draftVersion;
      assertEquals((await ok(run, "complete", "--draft-version", again)).created, false);
      assertEquals((await ok(run, "cycle-open")).action, "completed");
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion finds the discussion by task key and nearest project", () =>
    withProject(async (root) => {
      prepare(root);
      mkdirSync(join(root, "a/b"), { recursive: true });
      const words = [...SUBJECT, "--task-key", TASK];
      const made = await call(words, { cwd: join(root, "a/b"), stdinKind: "pipe" });
      assertEquals([made.status, "runManifestPath" in made.json], [0, false]);
      assertEquals(made.json.record.sourceRun, "");
      const status = await call(["status", "--task-key", TASK, "--project-root", root]);
      assertEquals(status.json.phase, "ready");
      const elsewhere = await call(["status", "--task-key", TASK], { cwd: root });
      assertEquals(elsewhere.json, status.json);
    }));

  it("okstra-discussion refuses a task key that differs from that of a task or a discussion in case only", () =>
    withProject(async (root) => {
      const make = (key: string) => call([...SUBJECT, "--task-key", key], { cwd: root });
      prepare(root);
      assertEquals((await make("demo/review/other")).status, 0);
      const before = listTree(root);
      for (const key of ["demo/Review/src", "demo/review/OTHER"]) {
        const { status, stderr } = await make(key);
        assertEquals(status, 2);
        assertStringIncludes(stderr, "exists, which differs only in case");
      }
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion takes the run from standard input, and wants some run or task", () =>
    withProject(async (root) => {
      const run = prepare(root);
      const piped = await call(["status"], { stdin: JSON.stringify({ runManifestPath: run }) });
      assertEquals(piped.json.runManifestPath, run);
      const none = await call(["status"]);
      assertEquals(none.status, 2);
      assertStringIncludes(none.stderr, "--task-key");
    }));

  it("okstra-discussion wants run and task key to name one task (C.5)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      assertEquals((await call(["status", "--task-key", "Demo:Review:Src"], { env })).status, 0);
      const other = await call(["status", "--task-key", "demo/review/other"], { env });
      assertEquals(other.status, 2);
      assertStringIncludes(
        other.stderr,
        "belongs to task demo/review/src, not to demo/review/other",
      );
      const place = await call(["status", "--project-root", "/"], { env });
      assertEquals(place.status, 2);
    }));

  it("okstra-discussion refuses runs of other task types and broken manifests (G-003) (C.4)", () =>
    withProject(async (root) => {
      const run = prepare(root, "analysis");
      const other = await call(["status", "--run-manifest", run]);
      assertEquals(other.status, 2);
      assertStringIncludes(other.stderr, "its task type is analysis");
      const broken = join(root, "broken.json");
      for (const text of [null, "", "{", "[]", "{}"]) {
        if (text !== null) writeFileSync(broken, text);
        const refused = await call(["status", "--run-manifest", broken]);
        assertEquals(refused.status, 2);
        assertStringIncludes(
          refused.stderr,
          `${JSON.stringify(broken)} as discussion run manifest: `,
        );
      }
    }));

  it("okstra-discussion names a run alike, however its manifest is reached (E-41) (C.4)", () =>
    withProject(async (root) => {
      const run = prepare(root), link = `${root}-link`;
      symlinkSync(root, link);
      try {
        const through = join(link, relative(root, run));
        const first = await ok(through, ...SUBJECT);
        assertEquals(first.record.sourceRun, relative(root, run));
        assertEquals(first.runManifestPath, run);
        const dotted = await call(["cycle-open", "--run-manifest", `./${relative(root, run)}`], {
          cwd: root,
        });
        assertEquals(dotted.json.created, true);
        assertEquals((await ok(through, "cycle-open")).created, false);
      } finally {
        rmSync(link);
      }
    }));

  it("okstra-discussion keeps the record where --store says", () =>
    withProject(async (root) => {
      const run = prepare(root), store = join(root, "elsewhere");
      const made = await ok(run, ...SUBJECT, "--store", store);
      assertEquals(made.revision, 1);
      const byTask = await call(["status", "--task-key", "demo/review/src"], { cwd: root });
      assertEquals(byTask.json.phase, "no-subject");
      const status = await ok(run, "status");
      assertStringIncludes(status.nextCommands[0], `--store ${store}`);
    }));

  it("okstra-discussion refuses blank text and leaves no trace (G-139, K-006)", () =>
    withProject(async (root) => {
      const run = prepare(root), before = listTree(root);
      const blank = [
        ["confirm-subject", "--subject", " ", "--question", "x"],
        ["add-material", "--kind", "evidence", "--text", "\n"],
        ["add-material", "--kind", "evidence", "--text", "\u200b\u2060"],
        ["add-material", "--kind", "evidence", "--text", "x", "--location", "\u200b"],
        ["add-material", "--kind", "evidence", "--text", "x", "--location", " "],
        ["cycle-open"],
        ["settle"],
        ["cycle-close"],
        ["ask", "--to", "user", "--text", "x"],
        ["answer", "--question", "Q-0001", "--text", "x"],
        ["decide", "--text", "x"],
        ["complete", "--draft-version", "x"],
      ];
      for (const words of blank) {
        const { status, stdout, stderr } = await call(words, { env: { OKSTRA_RUN: run } });
        assertEquals([words[0], status, stdout], [words[0], 2, ""]);
        assertStringIncludes(stderr, "okstra-discussion: error: Cannot ");
      }
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion reads a text from a file or standard input, without its last line end", () =>
    withProject(async (root) => {
      const run = prepare(root), file = join(root, "note.md");
      writeFileSync(file, "one\n\ntwo\n");
      const words = ["add-material", "--kind", "evidence", "--text-file"];
      assertEquals((await ok(run, ...words, file)).record.text, "one\n\ntwo");
      const piped = await call([...words, "-"], {
        env: { OKSTRA_RUN: run },
        stdin: "one\n\ntwo\n",
      });
      assertEquals(piped.json.created, false);
      const blank = "\n".repeat(500_000);
      writeFileSync(file, `one${blank}two\r\n\n`);
      assertEquals((await ok(run, ...words, file)).record.text, `one${blank}two`);
      const both = await call([...words, file, "--text", "x"], { env: { OKSTRA_RUN: run } });
      assertEquals(both.status, 2);
      writeFileSync(file, new Uint8Array([0xff]));
      assertEquals((await call([...words, file], { env: { OKSTRA_RUN: run } })).status, 2);
    }));

  it("okstra-discussion cycle-open twice changes no byte (E-3)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      const before = listTree(root);
      assertEquals((await ok(run, "cycle-open")).created, false);
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion cycle-open writes files that name each other, and its anchor (G-032)", () =>
    withProject(async (root) => {
      const { run, batchPath } = await opened(root);
      const { invocations } = JSON.parse(read(batchPath));
      assertStringIncludes(
        read(join(root, invocations[0].instruction)),
        "# Research for cycle R-0001",
      );
      const anchor = JSON.parse(read(join(root, STORE, "anchor.json")));
      const { files: _files, ...copied } = anchor;
      assertEquals(JSON.parse(read(run)).discussionAnchor, copied);
      assertEquals(anchor.recordCount, 2);
    }));

  it("okstra-discussion cycle-open in a fresh run without new input writes nothing (E-8)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      writeFinalState(openRun(run));
      await ok(run, "cycle-close");
      const fresh = prepare(root), before = listTree(root);
      const answer = await ok(fresh, "cycle-open");
      assertEquals([answer.action, answer.runManifestPath], ["present-options", fresh]);
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion settle refuses while a worker runs, and changes nothing (E-33)", () =>
    withProject(async (root) => {
      const { run, batchPath } = await opened(root);
      finishWorkers(run, batchPath, { beta: "running" });
      const before = listTree(root);
      const { status, stderr } = await call(["settle", "--run-manifest", run]);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "beta: discussion-r-0001-beta-001 is still running");
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion settle records result paths relative to the project (G-006, E-40)", () =>
    withProject(async (root) => {
      const { run, batchPath } = await opened(root);
      finishWorkers(run, batchPath, { beta: "timeout" });
      const settled = await ok(run, "settle");
      assertEquals(settled.failures[0].worker, "beta");
      const records = read(join(root, STORE, "records.jsonl")).trim().split("\n").map((l) =>
        JSON.parse(l)
      );
      assertEquals(
        records[2].resultPath,
        JSON.parse(read(batchPath)).invocations[0].result,
      );
      const waiting = await ok(run, "cycle-open");
      assertEquals([waiting.action, waiting.failures], ["await-recovery", ["FL-0001"]]);
    }));

  it("okstra-discussion settle refuses a run without team state, with its label (G-055, E-30)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      rmSync(openRun(run).at(openRun(run).manifest.teamStatePath));
      const { status, stderr } = await call(["settle", "--run-manifest", run]);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "team state");
    }));

  it("okstra-discussion cycle-close wants a final state and says how to get it (G-087, E-74)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      const before = listTree(root);
      const { status, stderr } = await call(["cycle-close", "--run-manifest", run]);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "convergence final state");
      assertStringIncludes(stderr, "okstra-convergence finalize");
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion cycle-close lists every problem of the final state (G-088, E-75, E-188)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      writeFinalState(openRun(run), {
        round2SkippedReason: undefined,
        finalState: "x",
        schemaVersion: "9",
      });
      const words = ["cycle-close", "--run-manifest", run, "--errors", "json"];
      const { status, stderr } = await call(words);
      assertEquals(status, 2);
      const { message, issues } = JSON.parse(stderr);
      assert(issues.length >= 3 && message.split("; ").length === issues.length);
      assertStringIncludes(message, "round2SkippedReason");
    }));

  it("okstra-discussion cycle-close twice changes no byte; another state is refused (E-81, E-82)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      const path = writeFinalState(openRun(run));
      const first = await ok(run, "cycle-close");
      assertEquals(JSON.parse(read(run)).discussionAnchor.recordCount, 3);
      const before = listTree(root);
      const again = await ok(run, "cycle-close");
      assertEquals([again.created, again.close], [false, first.close]);
      assertEquals(listTree(root), before);
      appendFileSync(path, "\n");
      const { status, stderr } = await call(["cycle-close", "--run-manifest", run]);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "changed after it was closed");
    }));

  it("okstra-discussion show prints the draft; a terminal gets no control sequences (G-126)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT);
      await ok(run, "add-material", "--kind", "evidence", "--text", "red \x1b[31malert\x1b[0m");
      const plain = await call(["show"], { env });
      assertStringIncludes(plain.stdout, "# Discussion record of demo/review/src\n");
      assertStringIncludes(plain.stdout, ">     red [U+001B][31malert[U+001B][0m\n");
      const shown = await call(["show"], { env, terminals: [1] });
      assertEquals(shown.stdout, plain.stdout);
      assertEquals(/[^\P{Cc}\n]/u.test(plain.stdout), false);
    }));

  it("okstra-discussion refuses --if-revision of another record with exit status 3 (P-2)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT, "--if-revision", "0");
      const words = ["add-material", "--kind", "evidence", "--text", "x", "--if-revision"];
      const stale = await call([...words, "0"], { env });
      assertEquals(stale.status, 3);
      assertStringIncludes(stale.stderr, "it is at revision 1, not 0");
      assertEquals((await call([...words, "1"], { env })).json.revision, 2);
    }));

  it("okstra-discussion refuses every command on a record that was changed by hand (E-121)", () =>
    withProject(async (root) => {
      const { run } = await opened(root), env = { OKSTRA_RUN: run };
      const path = join(root, STORE, "records.jsonl");
      writeFileSync(path, read(path).replace('"subject":"src"', '"subject":"srx"'));
      const before = listTree(root);
      for (const words of [["status"], ["show"], ["cycle-open"], [...SUBJECT]]) {
        const { status, stderr } = await call(words, { env });
        assertEquals(status, 2);
        assertStringIncludes(stderr, "line 1: S-0001 was changed");
      }
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion gives the same records at the same SOURCE_DATE_EPOCH (K-008)", () =>
    withProject(async (root) => {
      const run = prepare(root);
      const options = { env: { OKSTRA_RUN: run, SOURCE_DATE_EPOCH: "0" } };
      const store = join(root, STORE), trees: unknown[] = [];
      for (const now of ["2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z"]) {
        const made = await call([...SUBJECT], { ...options, now });
        assertEquals(made.json.record.recordedAt, "1970-01-01T00:00:00Z");
        trees.push(listTree(store));
        rmSync(store, { recursive: true });
      }
      assertEquals(trees[0], trees[1]);
    }));
});

describe("okstra-discussion verify", () => {
  it("okstra-discussion verify says yes to a discussion that is not born yet (E-111)", () =>
    withProject(async (root) => {
      const { status, json } = await call(["verify", "--task-key", TASK, "--project-root", root]);
      assertEquals([status, json.ok, json.recordCount], [0, true, 0]);
    }));

  it("okstra-discussion verify finds a changed record (G-126)", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      const path = join(root, STORE, "records.jsonl");
      writeFileSync(path, read(path).replace('"subject":"src"', '"subject":"srx"'));
      const { status, json } = await call(["verify", "--run-manifest", run]);
      assertEquals([status, json.integrity.ok], [1, false]);
      assertEquals(json.integrity.issues[0].line, 1);
    }));

  it("okstra-discussion verify finds a record that was cut, by the store's anchor and the run's", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      const path = join(root, STORE, "records.jsonl"), anchor = join(root, STORE, "anchor.json");
      writeFileSync(path, `${read(path).split("\n")[0]}\n`);
      const both = await call(["verify", "--run-manifest", run]);
      assertEquals([both.status, both.json.integrity.ok, both.json.completeness.ok], [
        1,
        true,
        false,
      ]);
      const fault = "the record is cut: it has 1 of 2 records, and ends with S-0001";
      assertEquals(
        both.json.completeness.issues,
        [anchor, run].map((file) => ({
          file: path,
          line: 2,
          message: `${fault} (${file})`,
        })),
      );
      rmSync(anchor);
      const missing = await call(["verify", "--run-manifest", run]);
      assertStringIncludes(missing.json.completeness.issues[0].message, "anchor is missing");
      rmSync(path);
      const gone = await call(["verify", "--run-manifest", run]);
      assertStringIncludes(gone.json.completeness.issues[0].message, "it has 0 of 2 records");
    }));

  it("okstra-discussion verify finds a record that was replaced by another", () =>
    withProject(async (root) => {
      const { run } = await opened(root);
      rmSync(join(root, STORE), { recursive: true });
      const task = ["--project-root", root, "--task-key", "demo/review/src"];
      await call([...SUBJECT, ...task]);
      await call(["add-material", "--kind", "evidence", "--text", "x", ...task]);
      const { status, json } = await call(["verify", "--run-manifest", run]);
      assertEquals([status, json.integrity.ok], [1, true]);
      assertStringIncludes(json.completeness.issues[0].message, "the record is another one");
    }));
});
