import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Bench } from "./bench.ts";
import type { Scenario } from "./scenario.ts";

/** P-23: questions that vanish or are answered by nobody. */
export const openQuestions: Scenario = {
  number: "P-23",
  reported: "a question vanishes, or somebody else answers it in the user's place",
  faults: [
    {
      injected: "everything else goes on while a question to the user is open",
      expected:
        "it stays open, is told by status with the commands for it, and complete is refused",
      run: goOn,
    },
    {
      injected: "a worker, the lead and an empty text answer in the user's place",
      isOnNodeAlone: true,
      expected: "refused, and the question stays open",
      run: answerForUser,
    },
    {
      injected: "the user drops the question, or answers it twice",
      isOnNodeAlone: true,
      expected: "closed by the drop with its reason; an answer to it is refused after that",
      run: dropQuestion,
    },
  ],
};

const TOOL = "okstra-discussion";
const TASK = ["--task-key", "fault/kit/run"];

async function ask(bench: Bench): Promise<void> {
  await bench.prepare({ alpha: ["true"] });
  await bench.ok([TOOL, "confirm-subject", ...TASK, "--subject", "src", "--question", "Why?"]);
  const words = ["--to", "user", "--author", "alpha", "--text", "Is the old format in use?"];
  await bench.ok([TOOL, "ask", ...TASK, ...words]);
}

/** The open questions as status tells them. */
// deno-lint-ignore no-explicit-any
async function status(bench: Bench): Promise<any> {
  return await bench.ok([TOOL, "status", ...TASK]);
}

function isOpen(told: unknown): boolean {
  return /"Q-0001"/.test(JSON.stringify(told));
}

async function goOn(bench: Bench): Promise<string> {
  await ask(bench);
  await bench.ok([TOOL, "add-material", ...TASK, "--kind", "evidence", "--text", "a fact"]);
  await bench.ok([TOOL, "decide", ...TASK, "--text", "we go on"]);
  const told = await status(bench);
  assertEquals(isOpen(told.openQuestions ?? told), true, JSON.stringify(told));
  assertMatch(JSON.stringify(told.nextCommands), /okstra-discussion answer .*Q-0001/);
  const complete = [TOOL, "complete", ...TASK, "--draft-version", told.draftVersion];
  const said = await bench.refuse(complete, 2, /Q-0001/);
  assertMatch(said, /hint: .*(answer|drop)/);
  return said.split("\n")[0]!.replace(/^.*error: /, "");
}

async function answerForUser(bench: Bench): Promise<string> {
  await ask(bench);
  const refusals = [
    [TOOL, "answer", ...TASK, "--question", "Q-0001"],
    [TOOL, "answer", ...TASK, "--question", "Q-0001", "--text", "  "],
    [TOOL, "answer", ...TASK, "--question", "Q-0001", "--text", "yes", "--author", "alpha"],
    [TOOL, "add-material", ...TASK, "--kind", "answer", "--text", "yes", "--author", "user"],
    [TOOL, "drop", ...TASK, "--question", "Q-0001", "--reason", " "],
  ];
  for (const words of refusals) await bench.refuse(words, 2, /error: /);
  const told = await status(bench);
  assertEquals(isOpen(told.openQuestions ?? told), true);
  return `${refusals.length} refusals, the question is open`;
}

async function dropQuestion(bench: Bench): Promise<string> {
  await ask(bench);
  await bench.ok([TOOL, "drop", ...TASK, "--question", "Q-0001", "--reason", "it does not matter"]);
  const told = await status(bench);
  assertEquals(isOpen(told.openQuestions), false, JSON.stringify(told.openQuestions));
  await bench.refuse(
    [TOOL, "answer", ...TASK, "--question", "Q-0001", "--text", "no"],
    2,
    /Q-0001/,
  );
  const { stdout } = await bench.call([TOOL, "log", ...TASK]);
  assertStringIncludes(stdout, "it does not matter");
  return "closed by the drop, with its reason in the record";
}
