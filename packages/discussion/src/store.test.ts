import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { loadCommands } from "@okstra/kit/cli";
import { app } from "./cli.ts";
import { addMaterial } from "./add-material.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { transact } from "./io/store.ts";
import { readAnchor } from "./io/store-files.ts";
import { openCycle } from "./open-cycle.ts";
import { openRunTask } from "./io/task.ts";
import { listRecords } from "./record-book.ts";
import { runA } from "../testdata/world.ts";
import { COMMITS } from "../testdata/commits.ts";
import { watchRenames } from "../testdata/renames.ts";
import {
  call,
  listTree,
  ok,
  prepare,
  readStore,
  restoreTree,
  withProject,
} from "../testdata/project.ts";

const now = "2026-01-31T09:05:00Z";
const subject = { subject: "src", question: "Which faults?" };

const paths = (root: string) => ({
  projectRoot: root,
  storeDirectory: join(root, ".okstra/discussions/demo/review/src"),
  now,
});
const bring = (root: string, text: string) =>
  transact(
    paths(root),
    (ledger) => addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" }),
  );

describe("transact", () => {
  it("transact() gives birth to the store by its first record, with an anchor", () =>
    withProject((root) => {
      const { book, anchor } = transact(
        paths(root),
        (ledger) => confirmSubject(ledger, runA, subject),
      );
      const { storeDirectory } = paths(root), records = listRecords(book);
      assertEquals(readStore(storeDirectory), records);
      assertEquals(readAnchor(storeDirectory), anchor);
      assertEquals([anchor?.recordCount, anchor?.recordsDigest, anchor?.at], [
        1,
        records[0]?.digest,
        now,
      ]);
    }));

  it("transact() leaves no trace if the first operation is refused (G-010, K-006)", () =>
    withProject((root) => {
      const before = listTree(root);
      const blank = { ...subject, subject: " " };
      assertThrows(
        () => transact(paths(root), (ledger) => confirmSubject(ledger, runA, blank)),
        OkstraError,
      );
      assertEquals(listTree(root), before);
    }));

  it("transact() does not touch the file if there is no new record (C.2)", () =>
    withProject((root) => {
      bring(root, "one");
      const before = listTree(root);
      assertEquals(bring(root, "one").payload.created, false);
      assertEquals(listTree(root), before);
    }));

  it("transact() writes nothing if the operation throws after an append (C.2)", () =>
    withProject((root) => {
      bring(root, "one");
      const before = listTree(root);
      assertThrows(
        () =>
          transact(paths(root), (ledger) => {
            confirmSubject(ledger, runA, subject);
            throw new Error("stop");
          }),
        Error,
        "stop",
      );
      assertEquals(listTree(root), before);
      assertEquals(bring(root, "two").payload.created, true);
    }));

  it("transact() commits nothing if a cycle would be recorded under another name than it has (G-033)", () =>
    withProject((root) => {
      bring(root, "one");
      transact(paths(root), (ledger) => confirmSubject(ledger, runA, subject));
      const before = listTree(root);
      const facts = { digestFile: () => null };
      const error = assertThrows(() =>
        transact(paths(root), (ledger) => {
          const lying = Object.create(ledger, { nextId: { value: () => "R-0009" } });
          return openCycle(lying, runA, facts);
        }), Error);
      assertEquals(error.message, "cycle R-0009 was recorded as R-0001");
      assertEquals(listTree(root), before);
      const { payload } = transact(paths(root), (ledger) => openCycle(ledger, runA, facts));
      assertEquals(payload.action === "dispatch" && payload.cycle, "R-0001");
    }));

  it("transact() refuses a stale revision with exit status 3 (P-2)", () =>
    withProject((root) => {
      bring(root, "one");
      const before = listTree(root);
      const options = { ...paths(root), ifRevision: 0 };
      const error = assertThrows(
        () => transact(options, (ledger) => confirmSubject(ledger, runA, subject)),
        OkstraError,
      );
      assertEquals([error.code, error.exitCode], ["revision-stale", 3]);
      assertEquals(listTree(root), before);
    }));

  it("transact() refuses a record that was cut, so that the proof of it stays", () =>
    withProject((root) => {
      bring(root, "one");
      bring(root, "two");
      const path = join(paths(root).storeDirectory, "records.jsonl");
      writeFileSync(path, `${readFileSync(path, "utf8").split("\n")[0]}\n`);
      const before = listTree(root);
      const error = assertThrows(() => bring(root, "three"), OkstraError);
      assertStringIncludes(error.message, "it has 1 of 2 records");
      assertEquals(listTree(root), before);
      rmSync(path);
      assertEquals(assertThrows(() => bring(root, "three"), OkstraError).code, "record-cut");
    }));
});

describe("a commit that is killed", () => {
  it("okstra-discussion removes what was left a while ago of every file that a commit writes", () =>
    withProject(async (root) => {
      const manifest = prepare(root), [first, second] = ["1", "2"];
      await ok(manifest, "confirm-subject", "--subject", "src", "--question", "Which faults?");
      const { storeDirectory } = openRunTask(manifest, { cwd: root });
      const run = dirname(dirname(manifest));
      const left = [
        ...["records.jsonl", "commits.jsonl", "anchor.json", "projection.jsonl"]
          .map((name) => join(storeDirectory, name)),
        join(run, "prompts/discussion-research-discussion-001.md"),
        join(run, "state/discussion-research-r-0001-batch-discussion-001.json"),
      ];
      const temporary = (path: string, unique: string) =>
        join(dirname(path), `.${basename(path).slice(0, 60)}.${unique}.tmp`);
      for (const path of left) {
        for (const unique of [`4242.${first}`, `4242.${second}`]) {
          writeFileSync(temporary(path, unique), "half of it");
        }
        utimesSync(temporary(path, `4242.${first}`), 1, 1);
      }
      await ok(manifest, "cycle-open");
      for (const path of left) {
        const isLeft = [first, second].map((it) => existsSync(temporary(path, `4242.${it}`)));
        assertEquals([basename(path), ...isLeft], [basename(path), false, true]);
      }
    }));

  it("okstra-discussion has no changing command that these tests leave out", async () => {
    const changing = Object.entries(await loadCommands(app))
      .filter(([, { options }]) => "lock-timeout" in options).map(([name]) => name);
    assertEquals(Object.keys(COMMITS).sort(), changing.sort());
  });

  for (const [command, reach] of Object.entries(COMMITS)) {
    it(`okstra-discussion ${command} killed before any of its files is in place loses nothing (E-25)`, () =>
      withProject(async (root) => {
        const manifest = prepare(root), words = await reach(manifest);
        const { storeDirectory } = openRunTask(manifest, { cwd: root });
        const before = countRecords(storeDirectory), store = relative(root, storeDirectory);
        const states: Record<string, string>[] = [], targets: string[] = [];
        const stopWatching = watchRenames((target) => {
          states.push(listTree(root));
          targets.push(basename(target));
        });
        const answer = await ok(manifest, ...words).finally(stopWatching);
        const end = listTree(root), after = countRecords(storeDirectory);
        const told = ["commits.jsonl", "records.jsonl", "anchor.json", "projection.jsonl"];
        assertEquals(targets.filter((name) => told.includes(name)), after > before ? told : []);
        for (const [index, state] of states.entries()) {
          restoreTree(root, state);
          const isCommitted = index > targets.indexOf("records.jsonl") && after > before;
          assertEquals(countRecords(storeDirectory), isCommitted ? after : before);
          // The one state that cannot be told from a lost anchor: the first commit, before its anchor.
          const isBorn = !isCommitted || Object.hasOwn(state, `${store}/anchor.json`);
          const { json } = await call(["verify"], { env: { OKSTRA_RUN: manifest } });
          assertEquals([targets[index], json.ok], [targets[index], isBorn]);
          assertEquals((await ok(manifest, "status")).revision, isCommitted ? after : before);
          const again = await ok(manifest, ...words);
          if (typeof again.created === "boolean") assertEquals(again.created, !isCommitted);
          assertEquals(withoutTemporaries(listTree(root)), end);
          assertEquals({ ...again, created: null }, { ...answer, created: null });
        }
      }));
  }

  it("okstra-discussion takes no other record than the one that was announced", () =>
    withProject(async (root) => {
      const manifest = prepare(root),
        [first = [], second = []] = ["one", "two"].map((text) => [
          "add-material",
          "--kind",
          "evidence",
          "--text",
          text,
        ]);
      await ok(manifest, "confirm-subject", "--subject", "src", "--question", "Which faults?");
      const states: Record<string, string>[] = [], start = listTree(root);
      const stopWatching = watchRenames(() => states.push(listTree(root)));
      await ok(manifest, ...first).finally(stopWatching);
      const [, announced = {}, written = {}] = states;
      restoreTree(root, start);
      await ok(manifest, ...second);
      const name = `${relative(root, paths(root).storeDirectory)}/records.jsonl`;
      const [other = ""] = [listTree(root)[name]];
      // What was announced is one, what stands there is two.
      restoreTree(root, { ...announced, [name]: other });
      const { status, json } = await call(["verify"], { env: { OKSTRA_RUN: manifest } });
      assertEquals([status, json.completeness.issues[0].line], [1, 2]);
      assertEquals((await call(first, { env: { OKSTRA_RUN: manifest } })).status, 2);
      // A command that comes in between takes the announcement back.
      restoreTree(root, announced);
      assertEquals((await ok(manifest, ...second)).created, true);
      assertEquals((await ok(manifest, "verify")).ok, true);
      assertEquals(countRecords(paths(root).storeDirectory), 2);
      restoreTree(root, written);
      assertEquals((await ok(manifest, ...second)).created, true);
      assertEquals(countRecords(paths(root).storeDirectory), 3);
      assertEquals((await ok(manifest, "verify")).ok, true);
    }));
});

function countRecords(storeDirectory: string): number {
  return readStore(storeDirectory).length;
}

function withoutTemporaries(tree: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !name.endsWith(".tmp")));
}
