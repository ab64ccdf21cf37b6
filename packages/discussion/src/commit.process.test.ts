import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openRun } from "@okstra/manifest-io/io/run";
import { loadCommands } from "@okstra/kit/cli";
import { app } from "./cli.ts";
import { openStore } from "./io/open-store.ts";
import { readAnchor, recordsPath } from "./io/store-files.ts";
import { COMMITS } from "../testdata/commits.ts";
import {
  call,
  finishWorkers,
  listTree,
  ok,
  prepare,
  readStore,
  SUBJECT,
  withProject,
  writeFinalState,
} from "../testdata/project.ts";
import { sourceWords } from "../../../test/source-words.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const DIE = fileURLToPath(new URL("../testdata/die-at-rename.ts", import.meta.url));
/** Commands that change the record or write for workers. */
const CHANGING = Object.entries(await loadCommands(app))
  .filter(([, { options }]) => "lock-timeout" in options).map(([name]) => name);

const SEALED = ["commits.jsonl", "records.jsonl", "anchor.json", "projection.jsonl"];
const WRITTEN = ["records.jsonl", "anchor.json"];
/** Before which of its files a command is really killed; the rest of the states is in store.test. */
const KILLS = (command: string): readonly string[] => {
  if (command === "question-prompt") return ["discussion-question-q-0001-discussion-001.md"];
  if (command === "complete") return ["RV-0001.md", ...WRITTEN];
  if (command !== "cycle-open") return WRITTEN;
  return [
    "discussion-research-discussion-001.md",
    "discussion-research-r-0001-batch-discussion-001.json",
    ...SEALED,
    "run-manifest-discussion-001.json",
  ];
};

const store = (root: string) => join(root, ".okstra/discussions/demo/review/src");

/** Runs a script of ours on the runtime of this test to its end. */
function run(script: string, words: readonly string[]) {
  const [program = "", ...rest] = sourceWords(script);
  const child = spawn(program, [...rest, ...words]);
  let stdout = "", stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs a command in two processes at once; both have to succeed. */
async function twice(manifest: string, ...words: readonly string[]) {
  const call = () => run(MAIN, [...words, "--run-manifest", manifest]);
  const calls = await Promise.all([call(), call()]);
  assertEquals(calls.map(({ status, stderr }) => [words[0], status, stderr]), [
    [words[0], 0, ""],
    [words[0], 0, ""],
  ]);
  return calls.map(({ stdout }) => JSON.parse(stdout));
}

describe("okstra-discussion in several processes", () => {
  it("okstra-discussion cycle-open at once in four processes makes one record (E-24)", () =>
    withProject(async (root) => {
      const manifest = prepare(root);
      await ok(manifest, ...SUBJECT);
      const words = ["cycle-open", "--run-manifest", manifest];
      const calls = await Promise.all([1, 2, 3, 4].map(() => run(MAIN, words)));
      assertEquals(calls.map(({ status, stderr }) => [status, stderr]), Array(4).fill([0, ""]));
      const answers = calls.map(({ stdout }) => JSON.parse(stdout));
      assertEquals(answers.filter(({ created }) => created).length, 1);
      assertEquals(new Set(answers.map(({ cycle }) => cycle)), new Set(["R-0001"]));
      assertEquals(readStore(store(root)).length, 2);
      assertEquals((await ok(manifest, "verify")).ok, true);
    }));

  it("okstra-discussion every changing command twice at once makes each record once (C.2, E-24)", () =>
    withProject(async (root) => {
      const manifest = prepare(root);
      const left = new Set(CHANGING);
      let count = 0;
      /** Runs a command twice at once: so many records come of it, told as new by one of the two. */
      const both = async (records: number, ...words: readonly string[]) => {
        left.delete(words[0] ?? "");
        const answers = await twice(manifest, ...words);
        count += records;
        assertEquals([words[0], readStore(store(root)).length], [words[0], count]);
        const [first, second] = answers, created = answers.map((answer) => answer.created);
        if (typeof first.created === "boolean") {
          assertEquals([words[0], ...created].sort(), [words[0], false, true].sort());
          assertEquals(second.record, first.record);
        }
        return answers;
      };
      await both(1, ...SUBJECT);
      await both(1, "add-material", "--kind", "evidence", "--text", "x");
      const [opened] = await both(1, "cycle-open");
      finishWorkers(manifest, opened.batchPath, { beta: "timeout" });
      await both(2, "settle");
      await both(1, "recover", "--failure", "FL-0001", "--choice", "reduce");
      const asked = await both(1, "collect-questions");
      assertEquals(asked.flatMap(({ created }) => created), ["Q-0001"]);
      await both(1, "answer", "--question", "Q-0001", "--text", "Because");
      writeFinalState(openRun(manifest));
      await both(1, "cycle-close");
      await both(1, "ask", "--to", "alpha", "--text", "How?");
      const [prompt] = await both(0, "question-prompt", "--question", "Q-0002");
      finishWorkers(manifest, prompt.batchPath, {});
      await both(1, "collect-answer", "--question", "Q-0002");
      await both(1, "address", "--to", "beta", "--text", "When?");
      await both(1, "drop", "--question", "Q-0003", "--reason", "moot");
      await both(1, "decide", "--text", "So be it");
      const { draftVersion } = await ok(manifest, "status");
      await both(1, "complete", "--draft-version", draftVersion);
      await both(1, "reopen", "--reason", "more");
      assertEquals([...left], []);
      assertEquals((await ok(manifest, "verify")).ok, true);
      assertEquals((await ok(manifest, "replay")).ok, true);
    }));

  it("okstra-discussion first records at once give birth to one store (C.2)", () =>
    withProject(async (root) => {
      const manifest = prepare(root);
      const bring = (text: string) => {
        const words = ["add-material", "--kind", "evidence", "--text", text];
        return run(MAIN, [...words, "--run-manifest", manifest]);
      };
      const calls = await Promise.all(["a", "b", "c"].map(bring));
      assertEquals(calls.map(({ status, stderr }) => [status, stderr]), Array(3).fill([0, ""]));
      assertEquals(readStore(store(root)).length, 3);
      assertEquals((await ok(manifest, "verify")).ok, true);
    }));

  for (const [command, reach] of Object.entries(COMMITS)) {
    it(`okstra-discussion ${command} killed by the system leaves one whole version (E-25, E-123)`, async () => {
      for (const file of KILLS(command)) {
        await withProject(async (root) => {
          const manifest = prepare(root), words = await reach(manifest);
          const before = readStore(store(root)).length;
          const { status } = await run(DIE, [manifest, file, ...words]);
          assert(status !== 0, "the process was killed");
          const isCommitted = [...SEALED, "run-manifest-discussion-001.json"].indexOf(file) > 1;
          const killed = readStore(store(root)).length;
          assertEquals([file, killed > before], [file, isCommitted]);
          // The one state that cannot be told from a lost anchor: the first commit, before its anchor.
          const isBorn = killed === 0 || readAnchor(store(root)) !== null;
          assertEquals((await call(["verify"], { env: { OKSTRA_RUN: manifest } })).json.ok, isBorn);
          const answer = await ok(manifest, ...words, "--lock-timeout", "5");
          if (typeof answer.created === "boolean") assertEquals(answer.created, !isCommitted);
          const after = readStore(store(root)).length;
          assertEquals(isCommitted || command === "question-prompt", after === killed);
          assertEquals(readAnchor(store(root))?.recordCount, after);
          assertEquals(openStore(store(root)).isCached, true);
          assertEquals((await ok(manifest, "verify")).ok, true);
          assertEquals((await ok(manifest, "replay")).ok, true);
        });
      }
    });
  }

  const skip = spawnSync("flock", ["--version"]).error === undefined
    ? false
    : "flock(1) is not installed";
  it(
    "okstra-discussion exits 3, names the holder and changes nothing if the lock is held (E-123)",
    {
      skip,
    },
    () =>
      withProject(async (root) => {
        const manifest = prepare(root);
        await ok(manifest, ...SUBJECT);
        const lock = `${recordsPath(store(root))}.lock`, got = join(root, "got");
        const script = `echo got >"${got}"; exec sleep 60`;
        const holder = spawn("flock", ["-x", lock, "sh", "-c", script], { detached: true });
        const ended = new Promise((resolve) => holder.on("close", resolve));
        try {
          while (!existsSync(got)) await new Promise((done) => setTimeout(done, 10));
          const before = listTree(root), env = { OKSTRA_RUN: manifest };
          const held = await call(["cycle-open", "--lock-timeout", "0.2"], { env });
          assertEquals([held.status, held.stdout], [3, ""]);
          assertMatch(held.stderr, /Cannot lock .*records\.jsonl.*(process \d+|another process)/);
          assertEquals(listTree(root), before);
          assertEquals((await call(["status"], { env })).status, 0); // readers need no lock
        } finally {
          process.kill(-(holder.pid ?? 0), "SIGKILL");
          await ended;
        }
      }),
  );

  it("okstra-discussion on a full disk exits 4 and keeps the old record (E-126)", (t) =>
    withProject(async (root) => {
      const manifest = prepare(root), small = join(root, "small");
      mkdirSync(small);
      const mount = ["-t", "tmpfs", "-o", "size=96k", "none", small];
      if (spawnSync("mount", mount).status !== 0) return t.skip("no right to mount");
      try {
        const env = { OKSTRA_RUN: manifest }, place = ["--store", join(small, "store")];
        await ok(manifest, ...SUBJECT, ...place);
        const before = listTree(join(small, "store"));
        const file = join(root, "long.md");
        writeFileSync(file, "long ".repeat(40_000));
        const words = ["add-material", "--kind", "evidence", "--text-file", file, ...place];
        const full = await call(words, { env });
        assertEquals([full.status, full.stdout], [4, ""]);
        assertStringIncludes(full.stderr, "records.jsonl");
        assertEquals(listTree(join(small, "store")), before);
        assertEquals((await ok(manifest, "verify", ...place)).ok, true);
      } finally {
        spawnSync("umount", [small]);
      }
    }));
});
