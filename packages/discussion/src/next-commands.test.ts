import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { ask } from "./ask.ts";
import { app } from "./cli.ts";
import { nextCommand } from "./next-command.ts";
import { promptQuestion } from "./prompt-question.ts";
import { reopen } from "./reopen.ts";
import { showStatus } from "./status.ts";
import { suggestCommands } from "./suggest-commands.ts";
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

/** Fails unless a command is one of ours, with options that it has. */
function assertGood(command: string): void {
  assertEquals(/[\n\t]/.test(command), false, command);
  const [tool = "", name = "", ...words] = command.match(/'[^']*'|[^ ]+/g) ?? [];
  if (tool !== "okstra-discussion") {
    assert(
      /^okstra-(dispatch run|convergence collect-findings|manifest-io prepare) /.test(command),
    );
    return;
  }
  const options = app.commands[name]?.options;
  assert(options !== undefined, command);
  for (const word of words.filter((word) => word.startsWith("--"))) {
    assert(Object.hasOwn(options, word.slice(2)), command);
  }
  for (const [option, { required }] of Object.entries(options)) {
    assert(required !== true || words.includes(`--${option}`), `${command} lacks --${option}`);
  }
}

const names = (commands: readonly string[]) => commands.map((command) => command.split(" ")[1]);

describe("suggestCommands", () => {
  it("suggestCommands() names commands that exist, with what they need, wherever a discussion stands", () => {
    const phases = new Set<string>(),
      outside = { ...runA, run: null, store: "/elsewhere/my store" };
    for (let seed = 1; seed <= 30; seed++) {
      const random = openRandom(seed), ledger = newLedger();
      for (let step = 0; step < 60; step++) {
        random.step(ledger);
        phases.add(ledger.draft.phase);
        for (const context of [runA, runB, outside]) {
          const { nextCommands } = showStatus(ledger.draft, context);
          assert(nextCommands.length > 0, ledger.draft.phase);
          for (const command of nextCommands) assertGood(command);
        }
      }
    }
    assertEquals(phases.size, 8);
  });

  it("suggestCommands() settles and closes a cycle in its own run", () => {
    const ledger = subjectLedger();
    openIn(ledger, runB, new Map());
    for (const command of suggestCommands(ledger.draft, runA)) {
      assertStringIncludes(command, `--run-manifest ${runB.run.manifestPath}`);
    }
  });

  it("suggestCommands() recovers a failure in the run where it can be retried", () => {
    const ledger = subjectLedger();
    openIn(ledger, runB, new Map());
    settleIn(ledger, runB, row("alpha", "completed"), row("beta", "error"));
    const commands = suggestCommands(ledger.draft, runA);
    assertEquals(names(commands), ["recover", "recover", "recover"]);
    for (const command of commands) assertStringIncludes(command, runB.run.manifestPath);
  });

  it("suggestCommands() asks for a run where this one cannot open a cycle", () => {
    const ledger = subjectLedger();
    assertEquals(names(suggestCommands(ledger.draft, runA)), ["cycle-open"]);
    const [command = ""] = suggestCommands(ledger.draft, { ...runA, run: null });
    assertStringIncludes(command, "okstra-manifest-io prepare --discussion-start demo/review/src");
    assertStringIncludes(command, "--project-root /p");
  });

  it("suggestCommands() hands a question to where its addressee is, or waives it", () => {
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

describe("hints", () => {
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
