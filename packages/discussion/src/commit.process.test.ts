import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMIT_POINTS } from "./io/store.ts";
import { readAnchor, recordsPath } from "./io/store-files.ts";
import { call, listTree, ok, prepare, read, readStore, withProject } from "../testdata/project.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const DIE = fileURLToPath(new URL("../testdata/open-and-die.ts", import.meta.url));
const RUNNER = "Deno" in globalThis
  ? ["run", "--allow-all", "--no-check", "--quiet"]
  : ["--import", "tsx"];
const SUBJECT = ["confirm-subject", "--subject", "src", "--question", "Which faults?"];
const store = (root: string) => join(root, ".okstra/discussions/demo/review/src");

/** Runs a script of ours on the runtime of this test to its end. */
function run(script: string, words: readonly string[]) {
  const child = spawn(process.execPath, [...RUNNER, script, ...words], { cwd: ROOT });
  let stdout = "", stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
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

  it("okstra-discussion first records at once give birth to one store (C.2)", () =>
    withProject(async (root) => {
      const manifest = prepare(root);
      const bring = (text: string) =>
        run(MAIN, [
          "add-material",
          "--kind",
          "evidence",
          "--text",
          text,
          "--run-manifest",
          manifest,
        ]);
      const calls = await Promise.all(["a", "b", "c"].map(bring));
      assertEquals(calls.map(({ status, stderr }) => [status, stderr]), Array(3).fill([0, ""]));
      assertEquals(readStore(store(root)).length, 3);
      assertEquals((await ok(manifest, "verify")).ok, true);
    }));

  for (const point of COMMIT_POINTS) {
    it(`okstra-discussion cycle-open killed at ${point} leaves one whole version (E-25, E-123)`, () =>
      withProject(async (root) => {
        const manifest = prepare(root);
        await ok(manifest, ...SUBJECT);
        const { status } = await run(DIE, [manifest, point]);
        assert(status !== 0, "the process was killed");
        const isCommitted =
          COMMIT_POINTS.indexOf(point) >= COMMIT_POINTS.indexOf("records-written");
        assertEquals(readStore(store(root)).length, isCommitted ? 2 : 1);
        assertEquals((await ok(manifest, "verify")).ok, true);
        const answer = await ok(manifest, "cycle-open", "--lock-timeout", "5");
        assertEquals([answer.cycle, answer.created], ["R-0001", !isCommitted]);
        assertEquals(readStore(store(root)).length, 2);
        assertEquals(readAnchor(store(root))?.recordCount, 2);
        assertEquals(JSON.parse(read(manifest)).discussionAnchor.recordCount, 2);
      }));
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
