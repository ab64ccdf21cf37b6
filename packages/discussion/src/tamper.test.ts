import { after, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { openRun } from "@okstra/manifest-io/io/run";
import {
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { app } from "./cli.ts";
import { bookOf } from "./record-book.ts";
import { sealRecord } from "./records.ts";
import { openStore } from "./io/open-store.ts";
import { verifyTask } from "./io/verify.ts";
import { openRunTask } from "./io/task.ts";
import {
  call,
  listTree,
  makeProject,
  ok,
  prepare,
  restoreTree,
  STORE,
  withProject,
  writeFinalState,
} from "../testdata/project.ts";

/** Every command but those that judge, each with words that are good as far as they go. */
const COMMANDS: readonly (readonly string[])[] = [
  ["confirm-subject", "--subject", "a", "--question", "b"],
  ["add-material", "--kind", "evidence", "--text", "x"],
  ["ask", "--to", "user", "--text", "x"],
  ["address", "--to", "alpha", "--text", "x"],
  ["answer", "--question", "Q-0001", "--text", "x"],
  ["decide", "--text", "x"],
  ["drop", "--question", "Q-0001", "--reason", "x"],
  ["cycle-open"],
  ["settle"],
  ["recover", "--failure", "FL-0001", "--choice", "retry"],
  ["cycle-close"],
  ["question-prompt", "--question", "Q-0001"],
  ["collect-answer", "--question", "Q-0001"],
  ["collect-questions"],
  ["complete", "--draft-version", "sha256:0"],
  ["reopen", "--reason", "x"],
  ["status"],
  ["show"],
  ["show", "--format", "html"],
  ["log"],
];
const JUDGES = ["verify", "replay"];

/** A discussion that was completed once; six records, one revision. */
async function completed(root: string): Promise<string> {
  const run = prepare(root);
  await ok(run, "confirm-subject", "--subject", "src", "--question", "Which faults?");
  await ok(run, "add-material", "--kind", "evidence", "--text", 'größer\n"x"');
  await ok(run, "cycle-open");
  writeFinalState(openRun(run));
  await ok(run, "cycle-close");
  const { draftVersion } = await ok(run, "status");
  await ok(run, "complete", "--draft-version", draftVersion);
  return run;
}

interface Harm {
  readonly what: string;
  /** File of the store that is harmed. */
  readonly file: string;
  readonly harm: (text: string) => string | null;
  /** Line and record that verify has to name; no line where only the whole is known. */
  readonly line?: number;
  readonly record?: string;
}

const records = "records.jsonl", commits = "commits.jsonl", revision = "revisions/RV-0001.md";
const lines = (change: (all: string[]) => readonly string[]) => (text: string) =>
  change(text.split("\n").slice(0, -1)).map((line) => `${line}\n`).join("");

/** A decision in a line of ours behind all others, with name, chain, time and digest as they have to be. */
function forge(text: string): string {
  const records = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const entry = {
    kind: "decision",
    author: "user",
    sourceRun: "",
    fields: { text: "mine", settles: [] },
  } as const;
  return `${text}${sealRecord(bookOf(records), entry, records.at(-1).recordedAt).line}\n`;
}

const HARMS: readonly Harm[] = [
  {
    what: "a changed text",
    file: records,
    harm: (text) => text.replace("Which faults?", "Which vaults?"),
    line: 1,
    record: "S-0001",
  },
  {
    what: "a changed time",
    file: records,
    harm: lines((all) => all.with(1, (all[1] ?? "").replace(/"\d{4}-/, '"1999-'))),
    line: 2,
    record: "M-0001",
  },
  {
    what: "a removed line",
    file: records,
    harm: lines((all) => all.toSpliced(2, 1)),
    line: 3,
    record: "CL-0001",
  },
  {
    what: "swapped lines",
    file: records,
    harm: lines(([a = "", b = "", ...rest]) => [b, a, ...rest]),
    line: 1,
    record: "M-0001",
  },
  {
    what: "a doubled line",
    file: records,
    harm: lines((all) => all.toSpliced(1, 0, all[1] ?? "")),
    line: 3,
    record: "M-0001",
  },
  {
    what: "a line that was added by hand",
    file: records,
    harm: (text) => `${text}{"kind":"decision","recordId":"D-0001","text":"mine"}\n`,
    line: 6,
    record: "D-0001",
  },
  {
    what: "a good line that was added by hand",
    file: records,
    harm: forge,
    line: 6,
    record: "D-0001",
  },
  {
    what: "times that were changed in several lines, the first",
    file: records,
    harm: (text) => text.replaceAll(/"recordedAt":"\d{4}/g, '"recordedAt":"1999'),
    line: 1,
    record: "S-0001",
  },
  {
    what: "times that were changed in several lines, one in between",
    file: records,
    harm: (text) => text.replaceAll(/"recordedAt":"\d{4}/g, '"recordedAt":"1999'),
    line: 3,
    record: "R-0001",
  },
  { what: "commits that were cut", file: commits, harm: lines((all) => all.slice(0, -1)), line: 5 },
  {
    what: "a commit that was changed",
    file: commits,
    harm: (text) => text.replace(/"at":"\d{4}/, '"at":"1999'),
    line: 1,
    record: "S-0001",
  },
  {
    what: "a tail that was cut with its newline",
    file: records,
    harm: lines((all) => all.slice(0, -1)),
    line: 5,
    record: "CL-0001",
  },
  {
    what: "a tail that was cut within a line",
    file: records,
    harm: (text) => text.slice(0, -40),
    line: 5,
    record: "RV-0001",
  },
  {
    what: "a newline that is missing",
    file: records,
    harm: (text) => text.slice(0, -1),
    line: 5,
    record: "RV-0001",
  },
  { what: "a record file that is gone", file: records, harm: () => null, line: 1 },
  { what: "an empty record file", file: records, harm: () => "" },
  {
    what: "a revision that was replaced",
    file: revision,
    harm: () => "# Another text\n",
    line: 5,
    record: "RV-0001",
  },
  {
    what: "a revision that is gone",
    file: revision,
    harm: () => null,
    line: 5,
    record: "RV-0001",
  },
];

function write(path: string, text: string | null): void {
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
}

function isRefused(storeDirectory: string): boolean {
  try {
    openStore(storeDirectory);
    return false;
  } catch (error) {
    return error instanceof OkstraError;
  }
}

describe("a record that was tampered with", () => {
  // Completed once: each harm is done to it as it was then.
  const root = makeProject();
  const made = completed(root).then((run) => ({ run, whole: listTree(root) }));
  after(() => rmSync(root, { recursive: true }));

  for (const { what, file, harm, line, record } of HARMS) {
    it(`okstra-discussion verify finds ${what}, and every other command refuses (E-121, E-122)`, async () => {
      const { run, whole } = await made, env = { OKSTRA_RUN: run };
      restoreTree(root, whole);
      const path = join(root, STORE, file);
      write(path, harm(readFileSync(path, "utf8")));
      const before = listTree(root);
      const { status, json } = await call(["verify"], { env });
      assertEquals([status, json.ok], [1, false]);
      const issues = [...json.integrity.issues, ...json.completeness.issues];
      const named = issues.filter((issue) => line === undefined || issue.line === line);
      assert(named.length > 0, JSON.stringify(issues));
      if (record !== undefined) {
        assert(named.some(({ message }) => message.includes(record)), JSON.stringify(named));
      }
      for (const words of COMMANDS) {
        const refused = await call(words, { env });
        assertEquals([words[0], refused.status, refused.stdout], [words[0], 2, ""]);
        assertStringIncludes(refused.stderr, join(STORE, records));
        assertStringIncludes(refused.stderr, "okstra-discussion verify");
      }
      const replayed = await call(["replay"], { env });
      assertEquals(replayed.status, file === revision ? 1 : 2);
      assertEquals(listTree(root), before);
    });
  }

  it("okstra-discussion has no command that this test leaves out", () => {
    const told = [...COMMANDS.map(([name]) => name), ...JUDGES];
    assertEquals([...new Set(told)].sort(), Object.keys(app.commands).sort());
  });

  it("openStore() and verify find every changed byte of record, anchor and revision (E-121)", () =>
    withProject(async (root) => {
      const task = openRunTask(await completed(root), { cwd: root }), { storeDirectory } = task;
      for (const file of [records, commits, "anchor.json", revision]) {
        const path = join(storeDirectory, file), bytes = readFileSync(path);
        // In place: a file that is written as a whole costs a disk far more than a byte does.
        const opened = openSync(path, "r+");
        const put = (at: number, byte: number) => writeSync(opened, Uint8Array.of(byte), 0, 1, at);
        for (const [at, byte] of bytes.entries()) {
          put(at, byte ^ 1 << at % 8);
          assert(isRefused(storeDirectory), `${file} ${at}`);
          assertEquals(verifyTask(task).ok, false, `${file} ${at}`);
          put(at, byte);
        }
        closeSync(opened);
      }
      assertEquals(verifyTask(task).ok, true);
      assertEquals(openStore(storeDirectory).isCached, true);
    }));

  it("okstra-discussion goes on without anchor or commits, if the other proves the record", () =>
    withProject(async (root) => {
      const run = await completed(root), env = { OKSTRA_RUN: run }, store = join(root, STORE);
      const whole = listTree(store);
      for (const [lost, isWhole] of [[commits, true], ["anchor.json", false]] as const) {
        rmSync(join(store, lost));
        const { status, json } = await call(["verify"], { env });
        assertEquals([lost, status, json.completeness.ok], [lost, isWhole ? 0 : 1, isWhole]);
        assertEquals((await ok(run, "status")).phase, "completed");
        await ok(run, "reopen", "--reason", "more");
        assertEquals((await ok(run, "verify")).ok, true);
        const { [commits]: told, "anchor.json": anchor } = listTree(store);
        assertEquals([told?.split("\n").length, JSON.parse(anchor ?? "").recordCount], [
          isWhole ? 3 : 7, // what came before in one second makes one commit
          6,
        ]);
        for (const [name, text] of Object.entries(whole)) {
          if (text !== "<directory>") writeFileSync(join(store, name), text, "latin1");
        }
      }
      rmSync(join(store, commits));
      rmSync(join(store, "anchor.json"));
      assertEquals((await call(["verify"], { env })).status, 1);
      assertEquals((await call(["reopen", "--reason", "more"], { env })).status, 2);
    }));

  it("okstra-discussion finds a tail that was cut together with its anchor (E-121)", () =>
    withProject(async (root) => {
      const run = await completed(root), env = { OKSTRA_RUN: run }, path = join(root, STORE);
      const old = readFileSync(join(path, "anchor.json"));
      await ok(run, "reopen", "--reason", "more");
      write(join(path, records), readFileSync(join(path, records), "utf8").replace(/.*\n$/, ""));
      for (const anchor of [null, old.toString().replace(/: 5,/, ": 4,")]) {
        write(join(path, "anchor.json"), anchor);
        const { status, json } = await call(["verify"], { env });
        assertEquals([status, json.completeness.issues.length > 0], [1, true]);
        for (const words of [["status"], ["decide", "--text", "x"]]) {
          assertEquals((await call(words, { env })).status, 2);
        }
      }
    }));

  it("okstra-discussion refuses a store whose run knows of more records, or of others (E-121)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run }, path = join(root, STORE);
      await ok(run, "confirm-subject", "--subject", "src", "--question", "Which faults?");
      cpSync(path, `${path}.old`, { recursive: true });
      await ok(run, "cycle-open");
      const refuse = async () => {
        const before = listTree(root);
        for (const words of COMMANDS) {
          const refused = await call(words, { env });
          assertEquals([words[0], refused.status, refused.stdout], [words[0], 2, ""]);
          assertStringIncludes(refused.stderr, run);
        }
        assertEquals((await call(["verify"], { env })).status, 1);
        assertEquals(listTree(root), before);
      };
      rmSync(path, { recursive: true });
      await refuse();
      cpSync(`${path}.old`, path, { recursive: true });
      await refuse();
      // Another discussion at its place, as long and sound by itself.
      rmSync(path, { recursive: true });
      const other = ["--project-root", root, "--task-key", "demo/review/src"];
      for (const text of ["a", "b"]) {
        await call(["add-material", "--kind", "evidence", "--text", text, ...other]);
      }
      await refuse();
    }));

  it("okstra-discussion keeps fields of the anchor that it does not know", () =>
    withProject(async (root) => {
      const run = await completed(root), path = join(root, STORE, "anchor.json");
      const anchor = JSON.parse(readFileSync(path, "utf8"));
      const further = { note: "by another tool", ...anchor, files: { ...anchor.files, more: 1 } };
      writeFileSync(path, `${JSON.stringify(further, null, 2)}\n`);
      assertEquals((await ok(run, "verify")).ok, true);
      await ok(run, "reopen", "--reason", "more");
      const { note, files, recordCount } = JSON.parse(readFileSync(path, "utf8"));
      assertEquals([note, files.more, recordCount], ["by another tool", 1, 6]);
      assertEquals((await ok(run, "verify")).ok, true);
    }));

  it("okstra-discussion verify judges a copy by the copy's own files", () =>
    withProject(async (root) => {
      const run = await completed(root), env = { OKSTRA_RUN: run };
      const copy = join(root, "copy");
      cpSync(join(root, STORE), copy, { recursive: true });
      const good = await call(["verify", "--store", copy], { env });
      assertEquals([good.status, good.json.ok, good.json.recordCount], [0, true, 5]);
      writeFileSync(join(copy, revision), "forged\n");
      const bad = await call(["verify", "--store", copy], { env });
      assertEquals([bad.status, bad.json.integrity.issues[0].line], [1, 5]);
      assertEquals((await call(["status", "--store", copy], { env })).status, 2);
      assertEquals((await call(["replay", "--store", copy], { env })).status, 1);
      assertEquals((await ok(run, "verify")).ok, true);
      writeFileSync(join(copy, records), readFileSync(join(copy, records)).subarray(0, -100));
      const cut = await call(["verify", "--store", copy], { env });
      assertEquals([cut.status, cut.json.integrity.ok, cut.json.completeness.ok], [
        1,
        false,
        false,
      ]);
    }));
});
