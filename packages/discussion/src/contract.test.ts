import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { openRun } from "@okstra/manifest-io/io/run";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadCommands } from "@okstra/kit/cli";
import { app } from "./cli.ts";
import { closeIn, finding, openedCycle, runA } from "../testdata/world.ts";
import {
  call,
  listTree,
  ok,
  prepare,
  STORE,
  SUBJECT,
  withProject,
  writeFinalState,
} from "../testdata/project.ts";

describe("okstra-discussion and its contract", () => {
  it("okstra-discussion has the commands and options of the specification (G-012)", async () => {
    const own: Readonly<Record<string, readonly string[]>> = {
      "confirm-subject": ["subject", "question"],
      "add-material": ["kind", "text", "text-file", "author", "location"],
      ask: ["author", "to", "text", "text-file"],
      address: ["to", "text", "text-file"],
      answer: ["question", "text", "text-file"],
      decide: ["text", "text-file", "settles"],
      drop: ["question", "reason"],
      "cycle-open": [],
      settle: ["not-run"],
      recover: ["failure", "choice"],
      "cycle-close": [],
      "question-prompt": ["question"],
      "collect-answer": ["question"],
      "collect-questions": [],
      complete: ["draft-version"],
      reopen: ["reason", "revision"],
      status: [],
      show: ["format"],
      verify: [],
      replay: [],
      log: ["kind"],
    };
    const commands = await loadCommands(app);
    assertEquals(Object.keys(commands).sort(), Object.keys(own).sort());
    const everywhere = ["run-manifest", "project-root", "task-key", "store"];
    for (const [name, options] of Object.entries(own)) {
      const known = Object.keys(commands[name]?.options ?? {});
      for (const option of [...options, ...everywhere]) {
        assert(known.includes(option), `${name} --${option}`);
      }
    }
  });

  it("okstra-discussion refuses on standard error alone, in one line and a hint (K-002, K-005)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT);
      const refused = [
        ["answer", "--question", "__proto__", "--text", "x"],
        ["recover", "--failure", "constructor", "--choice", "retry"],
        ["decide", "--text", "x", "--settles", "toString"],
        ["log", "--after", "__proto__"],
        ["question-prompt", "--question", "Q-9999"],
      ];
      for (const words of refused) {
        const { status, stdout, stderr } = await call(words, { env });
        assertEquals([words[0], status, stdout], [words[0], 2, ""]);
        assertMatch(stderr, /^okstra-discussion: error: Cannot .+\nokstra-discussion: hint: .+\n$/);
        assertEquals(/\n +at /.test(stderr), false, "no stack");
      }
    }));

  it("okstra-discussion ends with 4 if the system fails, with path and reason (K-003)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT);
      const path = join(root, STORE, "revisions"), { draftVersion } = await ok(run, "status");
      writeFileSync(path, "a file where a directory has to be\n");
      const before = listTree(root);
      const failed = await call(["complete", "--draft-version", draftVersion], { env });
      assertEquals([failed.status, failed.stdout], [4, ""]);
      assertMatch(failed.stderr, /error: Cannot .+revisions.+: .+\n/);
      assertEquals(listTree(root), before);
      rmSync(path);
      await ok(run, "complete", "--draft-version", draftVersion);
    }));

  it("okstra-discussion ends with 2 on wrong usage and says what is possible (K-004)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run }, before = listTree(root);
      for (
        const words of [
          ["statuss"],
          ["recover", "--failure", "FL-0001", "--choice", "forget"],
          ["confirm-subject", "--subject", "x"],
          ["show", "--format", "pdf"],
        ]
      ) {
        const { status, stdout, stderr } = await call(words, { env });
        assertEquals([words[0], status, stdout], [words[0], 2, ""]);
        assert(stderr.length > 0);
      }
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion takes a text from standard input where a file may stand (K-007)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      const words = ["add-material", "--kind", "evidence", "--text-file", "-"];
      const { status, json } = await call(words, { env, stdin: "piped\n" });
      assertEquals([status, json.record.text], [0, "piped"]);
    }));

  it("closeCycle() sorts names by code point, and tells names of other case apart (K-009)", () => {
    const { ledger } = openedCycle();
    const discoveredBy = ["b", "a", "B", "Z", "ä", "😀", "\uffee"];
    closeIn(ledger, runA, [finding("F-001", "contested", { discoveredBy })]);
    assertEquals(ledger.draft.cycles[0]?.claims[0]?.discoveredBy, [
      "B",
      "Z",
      "a",
      "b",
      "ä",
      "\uffee",
      "😀",
    ]);
  });

  it("okstra-discussion reads a path of a document from the project, or as it is if absolute (G-005)", () =>
    withProject(async (root) => {
      const run = prepare(root);
      await ok(run, ...SUBJECT);
      await ok(run, "cycle-open");
      const inside = writeFinalState(openRun(run)), moved = join(root, "elsewhere.json");
      writeFileSync(moved, readFileSync(inside));
      rmSync(inside);
      const manifest = JSON.parse(readFileSync(run, "utf8"));
      writeFileSync(run, JSON.stringify({ ...manifest, convergenceStatePath: moved }, null, 2));
      const closed = await ok(run, "cycle-close");
      assertEquals(closed.close.convergenceState, "elsewhere.json");
    }));

  it("okstra-discussion tells refusals of the store and of the workflow in one form (G-008)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      const workflow = await call(["settle", "--errors", "json"], { env });
      await ok(run, ...SUBJECT);
      writeFileSync(join(root, STORE, "records.jsonl"), "{\n");
      const store = await call(["settle", "--errors", "json"], { env });
      for (const { status, stderr } of [workflow, store]) {
        assertEquals(status, 2);
        const { code, message, hint } = JSON.parse(stderr);
        assertEquals([typeof code, message.startsWith("Cannot "), typeof hint], [
          "string",
          true,
          "string",
        ]);
      }
    }));
});
