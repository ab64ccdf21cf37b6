import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addMaterial } from "./add-material.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { COMMIT_POINTS, transact } from "./io/store.ts";
import { readAnchor } from "./io/store-files.ts";
import { openCycle } from "./open-cycle.ts";
import { openRunTask } from "./io/task.ts";
import { listRecords } from "./record-book.ts";
import { runA } from "../testdata/world.ts";
import { actUpTo, COMMITS } from "../testdata/commits.ts";
import { listTree, ok, prepare, read, readStore, withProject } from "../testdata/project.ts";

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

describe("a commit that stops", () => {
  const stop = () => {
    throw new Error("stopped");
  };
  for (const [command, { reach }] of Object.entries(COMMITS)) {
    it(`okstra-discussion ${command} stopped anywhere leaves a sound record, and the next call ends it (E-25)`, async () => {
      for (const point of COMMIT_POINTS) {
        await withProject(async (root) => {
          const manifest = prepare(root), words = await reach(manifest);
          const { storeDirectory } = openRunTask(manifest, { cwd: root });
          const before = readStore(storeDirectory).length;
          assertThrows(() => actUpTo(manifest, command, point, stop), Error, "stopped");
          const isCommitted =
            COMMIT_POINTS.indexOf(point) >= COMMIT_POINTS.indexOf("records-written");
          const stopped = readStore(storeDirectory).length;
          assertEquals([point, stopped > before], [point, isCommitted]);
          assertEquals((await ok(manifest, "verify")).ok, true);
          const answer = await ok(manifest, ...words);
          if (typeof answer.created === "boolean") assertEquals(answer.created, !isCommitted);
          const { length } = readStore(storeDirectory);
          assertEquals([point, length === stopped], [point, isCommitted]);
          assertEquals(readAnchor(storeDirectory)?.recordCount, length);
          assertEquals((await ok(manifest, "replay")).ok, true);
          if (!command.startsWith("cycle-")) return;
          assertEquals(JSON.parse(read(manifest)).discussionAnchor.recordCount, length);
        });
      }
    });
  }

  it("a first commit stopped before its anchor is ended by its repeat", () =>
    withProject((root) => {
      const onPoint = (reached: string) => {
        if (reached === "records-written") throw new Error("stopped");
      };
      const store = paths(root);
      const confirm = (options: object = {}) =>
        transact({ ...store, ...options }, (ledger) => confirmSubject(ledger, runA, subject));
      assertThrows(() => confirm({ onPoint }), Error, "stopped");
      assertEquals(readAnchor(store.storeDirectory), null);
      assertEquals(confirm().payload.created, false);
      assertEquals(readAnchor(store.storeDirectory)?.recordCount, 1);
    }));
});
