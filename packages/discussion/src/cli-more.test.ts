import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { RECORD_KINDS } from "@okstra/manifest-io/schemas/discussion-record";
import { openRun } from "@okstra/manifest-io/io/run";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { app } from "./cli.ts";
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

/** Prepares a run whose participant alpha is asked; returns the path of its manifest. */
async function asked(root: string): Promise<string> {
  const run = prepare(root);
  await ok(run, ...SUBJECT);
  await ok(run, "address", "--to", "alpha", "--text", "Why?");
  return run;
}

/** Prepares a run of which beta failed; returns the path of its manifest. */
async function failed(root: string): Promise<string> {
  const run = prepare(root);
  await ok(run, ...SUBJECT);
  const { batchPath } = await ok(run, "cycle-open");
  finishWorkers(run, batchPath, { beta: "timeout" });
  await ok(run, "settle");
  return run;
}

describe("okstra-discussion questions to participants", () => {
  it("okstra-discussion question-prompt, dispatch, collect-answer answer a question; a changed file is refused (G-117, E-107)", () =>
    withProject(async (root) => {
      const run = await asked(root);
      const prompt = await ok(run, "question-prompt", "--question", "Q-0001");
      assertEquals(prompt.runManifestPath, run);
      const instruction = read(join(root, prompt.instructionPath));
      assertStringIncludes(instruction, "# Question Q-0001 to alpha");
      finishWorkers(run, prompt.batchPath, {});
      writeFileSync(join(root, prompt.resultPath), "# Because\n\nSo.\n");
      const answered = await ok(run, "collect-answer", "--question", "Q-0001");
      assertEquals([answered.record.text, answered.phase], ["# Because\n\nSo.\n", "ready"]);
      assertEquals((await ok(run, "collect-answer", "--question", "Q-0001")).created, false);
      writeFileSync(join(root, prompt.resultPath), "# Other\n");
      const changed = await call(["collect-answer", "--question", "Q-0001"], {
        env: { OKSTRA_RUN: run },
      });
      assertEquals(changed.status, 2);
      assertStringIncludes(changed.stderr, "A-0001");
    }));

  it("okstra-discussion question-prompt keeps an instruction and writes the batch again (G-102, G-103, E-97)", () =>
    withProject(async (root) => {
      const run = await asked(root);
      const first = await ok(run, "question-prompt", "--question", "Q-0001");
      const before = listTree(root);
      await ok(run, "add-material", "--kind", "evidence", "--text", "new");
      writeFileSync(first.batchPath, "{}");
      await ok(run, "question-prompt", "--question", "Q-0001");
      const after = listTree(root);
      for (const name of Object.keys(before).filter((name) => name.includes("question-q-0001"))) {
        assertEquals(after[name], before[name], name);
      }
    }));

  it("okstra-discussion question-prompt refused leaves no file (K-006)", () =>
    withProject(async (root) => {
      const run = await asked(root), before = listTree(root);
      const { status } = await call(["question-prompt", "--question", "Q-0009"], {
        env: { OKSTRA_RUN: run },
      });
      assertEquals(status, 2);
      assertEquals(listTree(root), before);
    }));

  it("okstra-discussion collect-answer refuses a result that is missing, blank or not UTF-8 (E-106)", () =>
    withProject(async (root) => {
      const run = await asked(root), env = { OKSTRA_RUN: run };
      const { batchPath, resultPath } = await ok(run, "question-prompt", "--question", "Q-0001");
      finishWorkers(run, batchPath, {});
      const path = join(root, resultPath), words = ["collect-answer", "--question", "Q-0001"];
      for (const content of [null, " \n", "\u200b\n", new Uint8Array([0xff, 0xfe])]) {
        if (content === null) rmSync(path);
        else writeFileSync(path, content);
        const { status, stderr } = await call(words, { env });
        assertEquals(status, 2);
        assertStringIncludes(stderr, resultPath);
      }
      assertEquals((await ok(run, "status")).pendingForParticipants, ["Q-0001"]);
    }));

  it("okstra-discussion drop lets the discussion go on (G-136)", () =>
    withProject(async (root) => {
      const run = await asked(root);
      assertEquals((await ok(run, "cycle-open")).action, "await-participant");
      const dropped = await ok(run, "drop", "--question", "Q-0001", "--reason", "moot");
      assertEquals([dropped.created, dropped.phase], [true, "ready"]);
    }));

  it("okstra-discussion collect-questions records what workers ask, once", () =>
    withProject(async (root) => {
      const run = prepare(root);
      await ok(run, ...SUBJECT);
      const { batchPath } = await ok(run, "cycle-open");
      finishWorkers(run, batchPath, {});
      await ok(run, "settle");
      const first = await ok(run, "collect-questions");
      assertEquals([first.created, first.nextForUser], [["Q-0001", "Q-0002"], "Q-0001"]);
      const before = listTree(root);
      assertEquals((await ok(run, "collect-questions")).created, []);
      assertEquals(listTree(root), before);
      assertEquals((await ok(run, "status")).nextForUser, {
        recordId: "Q-0001",
        author: "alpha",
        text: "Why?",
      });
    }));
});

describe("okstra-discussion recover", () => {
  it("okstra-discussion recover retry writes a batch whose result settle adds (E-54)", () =>
    withProject(async (root) => {
      const run = await failed(root);
      const chosen = await ok(run, "recover", "--failure", "FL-0001", "--choice", "retry");
      assertStringIncludes(chosen.nextCommands[0], `--batch ${chosen.batchPath}`);
      finishWorkers(run, chosen.batchPath, {});
      const settled = await ok(run, "settle");
      assertEquals([settled.results, settled.failures, settled.retryPending], [
        ["RS-0001", "RS-0002"],
        [],
        [],
      ]);
      writeFinalState(openRun(run));
      assertEquals((await ok(run, "cycle-close")).created, true);
    }));

  it("okstra-discussion recover replace lets a fresh run open the next cycle (E-12, E-13)", () =>
    withProject(async (root) => {
      const run = await failed(root);
      await ok(run, "recover", "--failure", "FL-0001", "--choice", "replace");
      assertEquals((await ok(run, "cycle-open")).action, "prepare-run");
      const next = await ok(prepare(root), "cycle-open");
      assertEquals([next.cycle, next.inputRefs], ["R-0002", ["RS-0001"]]);
    }));
});

describe("okstra-discussion reopen, replay, log, show", () => {
  async function completed(root: string): Promise<string> {
    const run = prepare(root);
    await ok(run, ...SUBJECT);
    await ok(run, "cycle-open");
    writeFinalState(openRun(run));
    await ok(run, "cycle-close");
    const { draftVersion } = await ok(run, "status");
    await ok(run, "complete", "--draft-version", draftVersion);
    return run;
  }

  it("okstra-discussion reopen opens the completed discussion (G-138)", () =>
    withProject(async (root) => {
      const run = await completed(root), env = { OKSTRA_RUN: run };
      const refused = await call([...SUBJECT], { env });
      assertEquals(refused.status, 2);
      assertStringIncludes(refused.stderr, "okstra-discussion reopen");
      const answer = await ok(run, "reopen", "--reason", "more");
      assertEquals([answer.created, answer.phase], [true, "options"]);
      assertEquals((await ok(run, "status")).basedOn, { revisionId: "RV-0001", reason: "more" });
    }));

  it("okstra-discussion replay compares the files with the record", () =>
    withProject(async (root) => {
      const run = await completed(root), env = { OKSTRA_RUN: run };
      const good = await call(["replay"], { env });
      assertEquals([good.status, good.json.ok, good.json.instructions.length], [0, true, 1]);
      const [revision] = good.json.revisions;
      writeFileSync(join(root, revision.path), "forged\n");
      const bad = await call(["replay"], { env });
      assertEquals([bad.status, bad.json.revisions[0].ok], [1, false]);
    }));

  it("okstra-discussion log prints the records, of one kind or all", () =>
    withProject(async (root) => {
      const run = await completed(root);
      const log = async (...words: string[]) => {
        const { status, stdout } = await call(["log", ...words], { env: { OKSTRA_RUN: run } });
        assertEquals(status, 0);
        return stdout;
      };
      const all = await log();
      assertEquals(all, read(join(root, STORE, "records.jsonl")));
      const kinds = async (...words: string[]) =>
        (await log(...words)).split("\n").slice(0, -1).map((line) => JSON.parse(line).kind);
      assertEquals(await kinds(), ["subject", "cycle", "close", "revision"]);
      assertEquals(await kinds("--kind", "close", "--kind", "subject"), ["subject", "close"]);
      assertEquals(await kinds("--author", "user"), ["subject", "revision"]);
      assertEquals(await kinds("--cycle", "R-0001"), ["cycle", "close"]);
      assertEquals(await kinds("--after", "R-0001", "--author", "user"), ["revision"]);
      assertEquals(await log("--author", "alpha"), "", "takes part and said nothing");
    }));

  it("okstra-discussion log refuses what is not there, as an empty answer would read otherwise", () =>
    withProject(async (root) => {
      const run = prepare(root);
      await ok(run, ...SUBJECT);
      const unknown = [
        ["--author", "nobody", "nobody of that name takes part", "use one of user, lead, alpha"],
        ["--cycle", "R-0001", "there is no such cycle", "--kind cycle\n"],
        ["--cycle", "S-0001", "there is no such cycle", "--kind cycle\n"],
        ["--question", "Q-1", "there is no such question", "--kind question\n"],
      ] as const;
      for (const [option, value, state, hint] of unknown) {
        const words = ["log", "--kind", "subject", option, value];
        const { status, stdout, stderr } = await call(words, { env: { OKSTRA_RUN: run } });
        assertEquals([status, stdout], [2, ""], option);
        for (const text of [value, state, hint]) assertStringIncludes(stderr, text);
      }
    }));

  it("okstra-discussion prints no JSON that a terminal would act on, and the same values (E-125)", () =>
    withProject(async (root) => {
      const run = prepare(root), text = "\x1b[2J \x9b2J \x7f \u202e größer \u2028 \u2066";
      await ok(run, ...SUBJECT);
      const words = ["add-material", "--kind", "evidence", "--text", text];
      for (const printed of [words, ["log", "--kind", "material"]]) {
        const { stdout } = await call(printed, { env: { OKSTRA_RUN: run } });
        assertEquals(/[^\n -~öß]/.test(stdout), false, JSON.stringify(stdout));
        const value = JSON.parse(stdout);
        assertEquals((value.record ?? value).text, text);
      }
    }));

  it("okstra-discussion log offers every kind of record", async () => {
    const { kind } = (await app.commands["log"]?.())?.options ?? {};
    assertEquals(kind?.choices, [...RECORD_KINDS]);
  });

  it("okstra-discussion show prints a page of HTML in which foreign text stays text (E-125)", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT);
      await ok(run, "add-material", "--kind", "evidence", "--text", "<script>\n\n# x & y");
      const { status, stdout } = await call(["show", "--format", "html"], { env });
      assertEquals(status, 0);
      assert(stdout.startsWith("<!doctype html>\n") && stdout.endsWith("</html>\n"));
      assertStringIncludes(
        stdout,
        '<div class="text" dir="auto">&lt;script&gt;\n\n# x &amp; y</div>',
      );
      assertStringIncludes(stdout, '<h2 id="evidence-title">Evidence</h2>');
    }));
});

describe("okstra-discussion --store", () => {
  for (const where of ["inside the project", "beside it"]) {
    it(`okstra-discussion finds a record ${where} that a cycle was opened in, from its run alone (G-012)`, () =>
      withProject(async (root) => {
        const recorded = where === "beside it" ? `../${basename(root)}-kept` : "kept";
        const run = prepare(root), store = join(root, recorded), place = ["--store", store];
        try {
          await ok(run, ...SUBJECT, ...place);
          assertEquals(openRun(run).manifest.discussionStore, recorded);
          await ok(
            run,
            "add-material",
            "--kind",
            "evidence",
            "--text",
            "x",
            "--store",
            join(root, "other"),
          );
          assertEquals(openRun(run).manifest.discussionStore, recorded, "it knew of a place");
          const opened = await ok(run, "cycle-open");
          const settled = await ok(run, "settle");
          assertEquals([settled.cycle, settled.revision], [opened.cycle, opened.revision]);
          assertStringIncludes(settled.choices[0], `--store ${store}`);
          const before = listTree(root);
          await ok(run, "cycle-open");
          await ok(run, "verify");
          assertEquals(listTree(root), before);
        } finally {
          rmSync(store, { recursive: true });
        }
      }));
  }

  it("okstra-discussion records no place that a record has anyway (G-012)", () =>
    withProject(async (root) => {
      const run = prepare(root);
      await ok(run, ...SUBJECT);
      const before = listTree(root);
      await ok(run, ...SUBJECT, "--store", join(root, STORE));
      assertEquals(listTree(root), before);
      await ok(run, "cycle-open", "--store", join(root, STORE));
      assertEquals(openRun(run).manifest.discussionStore, undefined);
      renameSync(join(root, STORE), join(root, "kept"));
      await ok(run, "cycle-open", "--store", join(root, "kept"));
      assertEquals(openRun(run).manifest.discussionStore, "kept");
      renameSync(join(root, "kept"), join(root, STORE));
      await ok(run, "cycle-open", "--store", join(root, STORE));
      assertEquals(openRun(run).manifest.discussionStore, undefined, "it is at home again");
    }));

  it("okstra-discussion settle records a result by one name, wherever the project was when it came (G-043)", () =>
    withProject(async (root) => {
      const run = prepare(root), moved = `${root}-moved`, movedRun = run.replace(root, moved);
      await ok(run, ...SUBJECT);
      const { batchPath } = await ok(run, "cycle-open");
      finishWorkers(run, batchPath, {});
      renameSync(root, moved);
      const { results } = await ok(movedRun, "settle");
      const log = (await call(["log", "--kind", "result", "--run-manifest", movedRun])).stdout;
      const paths = log.trim().split("\n").map((line) => JSON.parse(line).resultPath as string);
      assert(paths.every((path) => path.startsWith(".okstra/")), log);
      renameSync(moved, root);
      assertEquals((await ok(run, "settle")).results, results);
    }));

  it("okstra-discussion refuses a file as store, whoever asks, and changes nothing", () =>
    withProject(async (root) => {
      const run = prepare(root), env = { OKSTRA_RUN: run };
      await ok(run, ...SUBJECT);
      const before = listTree(root), file = join(root, STORE, "records.jsonl");
      for (
        const words of [["status"], ["verify"], [
          "add-material",
          "--kind",
          "evidence",
          "--text",
          "x",
        ]]
      ) {
        const { status, stderr } = await call([...words, "--store", file], { env });
        assertEquals([words[0], status], [words[0], 2]);
        assertStringIncludes(stderr, `Cannot use ${JSON.stringify(file)} as store`);
      }
      assertEquals(listTree(root), before);
    }));
});
