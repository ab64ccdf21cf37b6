import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { loadCommands } from "@okstra/kit/cli";
import { ask } from "./ask.ts";
import { app } from "./cli.ts";
import { completeHint, nextCommand } from "./next-command.ts";
import { complete } from "./complete.ts";
import { presentOptions } from "./cycle-actions.ts";
import { cycleOfRun } from "./draft.ts";
import { openLedger } from "./ledger.ts";
import { recover } from "./recover.ts";
import { promptQuestion } from "./prompt-question.ts";
import { reopen } from "./reopen.ts";
import { showStatus } from "./status.ts";
import { allCommands, suggest } from "./suggest-commands.ts";
import {
  call,
  finishWorkers,
  listTree,
  ok,
  prepare,
  TASK,
  withProject,
} from "../testdata/project.ts";
import { openRandom } from "../testdata/random-discussion.ts";
import {
  closeIn,
  newLedger,
  openIn,
  row,
  runA,
  runB,
  runContext,
  settleIn,
  subjectLedger,
} from "../testdata/world.ts";

const COMMANDS = await loadCommands(app);

/** Fails unless a command is one of ours, with options that it has. */
function assertGood(command: string): void {
  assertEquals(/[\n\t]/.test(command), false, command);
  const [tool = "", name = "", ...words] = command.match(/'[^']*'|[^ ]+/g) ?? [];
  if (tool !== "okstra-discussion") {
    assert(
      /^okstra-(dispatch run|convergence (collect-findings|status)|manifest-io prepare) /.test(
        command,
      ),
    );
    return;
  }
  const options = COMMANDS[name]?.options;
  assert(options !== undefined, command);
  for (const word of words.filter((word) => word.startsWith("--"))) {
    assert(Object.hasOwn(options, word.slice(2)), command);
  }
  for (const [option, { required }] of Object.entries(options)) {
    assert(required !== true || words.includes(`--${option}`), `${command} lacks --${option}`);
  }
}

const names = (commands: readonly string[]) => commands.map((command) => command.split(" ")[1]);

const suggestCommands = (...words: Parameters<typeof suggest>) => allCommands(suggest(...words));

describe("suggest", () => {
  it("suggest() names commands that exist, with what they need, wherever a discussion stands", () => {
    const phases = new Set<string>(),
      outside = { ...runA, run: null, store: "/elsewhere/my store" };
    for (let seed = 1; seed <= 30; seed++) {
      const random = openRandom(seed), ledger = newLedger();
      for (let step = 0; step < 60; step++) {
        random.step(ledger);
        phases.add(ledger.draft.phase);
        for (const context of [runA, runB, outside]) {
          const commands = allCommands(showStatus(ledger.draft, context));
          assert(commands.length > 0, ledger.draft.phase);
          for (const command of commands) assertGood(command);
        }
      }
    }
    assertEquals(phases.size, 8);
  });

  it("suggest() names no choice about a failure and no completion that would be refused", () => {
    const tried = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const random = openRandom(seed), ledger = newLedger();
      for (let step = 0; step < 60; step++) {
        random.step(ledger);
        const { draft } = ledger, asked: string[] = [...suggestCommands(draft, runA)];
        const own = cycleOfRun(draft, runA.run.manifest);
        if (own?.status === "closed") {
          asked.push(...allCommands(presentOptions(runA, draft, own)));
        }
        for (const command of asked) {
          const word = (option: string) => command.match(`--${option} (\\S+)`)?.[1] ?? "";
          const copy = openLedger(ledger.records, "2026-01-31T09:05:00Z");
          const name = command.split(" ")[1] ?? "";
          if (name === "recover") {
            const directory = runA.run.directory, path = word("run-manifest").slice("/p/".length);
            const seq = path.match(/-(\d+)\.json$/)?.[1] ?? "";
            assert(path.startsWith(directory), path);
            const input = { failure: word("failure"), choice: word("choice") };
            assertEquals(recover(copy, runContext(seq), input).payload.created, true);
            tried.add(input.choice);
          } else if (name === "complete") {
            const input = { draftVersion: word("draft-version"), contentPath: (id: string) => id };
            assertEquals(complete(copy, runA, input).payload.created, true);
            tried.add(name);
          }
        }
      }
    }
    assertEquals([...tried].sort(), ["complete", "reduce", "replace", "retry"]);
  });

  it("suggest() settles and closes a cycle in its own run", () => {
    const ledger = subjectLedger();
    openIn(ledger, runB, new Map());
    for (const command of suggestCommands(ledger.draft, runA)) {
      assertStringIncludes(command, `--run-manifest ${runB.run.manifestPath}`);
    }
  });

  it("suggest() recovers a failure in the run where it can be retried", () => {
    const ledger = subjectLedger();
    openIn(ledger, runB, new Map());
    settleIn(ledger, runB, row("alpha", "completed"), row("beta", "error"));
    const commands = suggestCommands(ledger.draft, runA);
    assertEquals(names(commands), ["recover", "recover", "recover"]);
    for (const command of commands) assertStringIncludes(command, runB.run.manifestPath);
  });

  it("suggest() asks for a run where this one cannot open a cycle", () => {
    const ledger = subjectLedger();
    assertEquals(names(suggestCommands(ledger.draft, runA)), ["cycle-open"]);
    const [command = ""] = suggestCommands(ledger.draft, { ...runA, run: null });
    assertStringIncludes(command, "okstra-manifest-io prepare --discussion-start demo/review/src");
    assertStringIncludes(command, "--project-root /p");
    // Until a run says so, nobody knows of a record that is kept elsewhere.
    const [first = ""] = suggestCommands(ledger.draft, { ...runA, run: null, store: "/s" });
    assertStringIncludes(first, "prepare --task-key demo/review/src --task-type discussion ");
  });

  it("suggest() hands a question to where its addressee is, or waives it", () => {
    const ledger = subjectLedger(), other = runContext("002", ["gamma"]);
    openIn(ledger, runA, new Map());
    closeIn(ledger, runA, []);
    ask(ledger, runA, { author: "lead", to: "alpha", text: "Why?" });
    for (const command of suggestCommands(ledger.draft, other)) {
      assertStringIncludes(command, runA.run.manifestPath);
    }
    ask(ledger, other, { author: "lead", to: "gamma", text: "Why?" });
    const commands = suggestCommands(ledger.draft, other);
    assertStringIncludes(commands[2] ?? "", other.run.manifestPath);
    const last = suggestCommands(ledger.draft, runA).at(-1) ?? "";
    assertStringIncludes(last, "drop --question Q-0002 --reason TEXT");
  });

  it("nextCommand() finds the discussion again, quoted so that a shell takes it", () => {
    const context = { ...runA, run: null, projectRoot: "/my project", store: "/a'b" };
    assertEquals(
      nextCommand(context, "status"),
      "okstra-discussion status --project-root '/my project' --task-key demo/review/src " +
        "--store '/a'\\''b'",
    );
  });
});

const PLACE = ["--run-manifest", "--task-key"];

/** Lists the commands of ours in a hint, as a reader would take them from it. */
function commandsIn(hint: string): readonly string[] {
  return hint.match(/okstra-[a-z-]+ [a-z-]+(?: (?:--[a-z-]+(?: (?:'[^']*'|[^\s;']+))?))*/g) ?? [];
}

describe("hints", () => {
  it("completeHint() puts in where the discussion is, and nothing where that is said already", () => {
    const run = `--run-manifest ${runA.run.manifestPath}`;
    const outside = { ...runA, run: null, projectRoot: "/my project" };
    const task = "--project-root '/my project' --task-key demo/review/src";
    for (
      const [hint, expected, expectedOutside] of [
        ["see: okstra-discussion status", `see: okstra-discussion status ${run}`],
        ["okstra-discussion ask --to a --text T", `okstra-discussion ask ${run} --to a --text T`],
        ["okstra-discussion drop --reason 'a b'", `okstra-discussion drop ${run} --reason 'a b'`],
        ["a: okstra-discussion show; or not", `a: okstra-discussion show ${run}; or not`],
        ["okstra-dispatch await", `okstra-dispatch await ${run}`, "okstra-dispatch await"],
        ["okstra-convergence finalize --force", `okstra-convergence finalize ${run} --force`, ""],
        ["okstra-manifest-io validate team-state FILE", null],
        ["okstra-discussion show --run-manifest /a", null, null],
        ["leave out --revision", null, null],
      ] as const
    ) {
      assertEquals(completeHint(runA, hint), expected ?? hint);
      const other = expectedOutside ?? (hint.startsWith("okstra-m") ? hint : null);
      const completed = completeHint(outside, hint);
      if (other === null && expected !== null) {
        assertEquals(completed, expected.replace(run, task));
      } else assertEquals(completed, other || hint);
    }
  });

  it("okstra-discussion names commands in its hints that can be given as they stand (K-002, K-006)", () =>
    withProject(async (root) => {
      const manifest = prepare(root), task = ["--project-root", root, "--task-key", TASK];
      const run = ["--run-manifest", manifest];
      const told = new Set<string>();
      const refuse = async (...words: string[]) => {
        const before = listTree(root);
        const { status, stdout, stderr } = await call([...words, "--errors", "json"]);
        assertEquals([words[0], status, stdout], [words[0], 2, ""]);
        assertEquals(listTree(root), before);
        for (const command of commandsIn(JSON.parse(stderr).hint)) {
          told.add(command.split(" ").slice(0, 2).join(" "));
          if (command.startsWith("okstra-manifest-io")) continue;
          assert(PLACE.some((option) => command.includes(` ${option} `)), command);
          if (command.startsWith("okstra-discussion")) assertGood(command);
        }
      };
      await refuse("cycle-open", ...run);
      await refuse("settle", ...run);
      await refuse("cycle-close", ...run);
      await refuse("complete", "--draft-version", "x", ...task);
      await ok(manifest, "confirm-subject", "--subject", "src", "--question", "Which faults?");
      await refuse("complete", "--draft-version", "x", ...task);
      await refuse("reopen", "--reason", "x", ...task);
      await refuse("answer", "--question", "Q-9", "--text", "x", ...task);
      await refuse("decide", "--text", "x", "--settles", "C-0001", ...task);
      await refuse("recover", "--failure", "FL-1", "--choice", "retry", ...run);
      await refuse("log", "--after", "Q-1", ...task);
      await ok(manifest, "ask", "--to", "user", "--text", "Why?");
      await ok(manifest, "ask", "--to", "alpha", "--text", "Why?");
      await refuse("question-prompt", "--question", "Q-0001", ...run);
      await refuse("collect-answer", "--question", "Q-0002", ...run);
      await refuse("address", "--to", "zeta", "--text", "x", ...run);
      await refuse("answer", "--question", "Q-0002", "--text", "x", ...task);
      await ok(manifest, "answer", "--question", "Q-0001", "--text", "So");
      await refuse("drop", "--question", "Q-0001", "--reason", "x", ...task);
      await ok(manifest, "drop", "--question", "Q-0002", "--reason", "x");
      await refuse("question-prompt", "--question", "Q-0002", ...run);
      const { batchPath } = await ok(manifest, "cycle-open");
      await refuse("cycle-close", ...run);
      const { draftVersion } = await ok(manifest, "status");
      await refuse("complete", "--draft-version", draftVersion, ...task);
      finishWorkers(manifest, batchPath, { alpha: "running" });
      await refuse("settle", ...run);
      await ok(manifest, "ask", "--to", "alpha", "--text", "How?");
      const prompted = await ok(manifest, "question-prompt", "--question", "Q-0003");
      finishWorkers(manifest, prompted.batchPath, { alpha: "error" });
      await ok(manifest, "collect-answer", "--question", "Q-0003");
      await refuse("question-prompt", "--question", "Q-0003", ...run);
      await refuse("recover", "--failure", "FL-0001", "--choice", "replace", ...run);
      assertEquals([...told].filter((name) => !name.startsWith("okstra-discussion")).sort(), [
        "okstra-convergence finalize",
        "okstra-convergence status",
        "okstra-dispatch await",
        "okstra-dispatch run",
        "okstra-manifest-io prepare",
      ]);
      assert(told.size >= 15, [...told].join());
    }));

  it("promptQuestion() and reopen() say how to go on", () => {
    const ledger = subjectLedger();
    const hintOf = (fn: () => unknown) => {
      try {
        fn();
      } catch (error) {
        if (error instanceof OkstraError) return error.hint ?? "";
      }
      return "";
    };
    ask(ledger, runA, { author: "lead", to: "user", text: "Why?" });
    assertGood(hintOf(() => promptQuestion(ledger.draft, runA, "Q-0001")));
    assertStringIncludes(hintOf(() => reopen(ledger, runA, { reason: "x" })), "status");
  });
});
