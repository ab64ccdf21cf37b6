// Every command that changes a discussion, for tests that stop it: how a run is brought to where it comes next.
import { openRun } from "@okstra/manifest-io/io/run";
import { finishWorkers, ok, writeFinalState } from "./project.ts";

type Reach = (manifest: string) => Promise<readonly string[]>;

const SUBJECT = ["confirm-subject", "--subject", "src", "--question", "Which faults?"];

const confirm = (manifest: string) => ok(manifest, ...SUBJECT);

/** Opens the cycle of a run, of which one worker fails. */
async function open(manifest: string): Promise<void> {
  await confirm(manifest);
  const { batchPath } = await ok(manifest, "cycle-open");
  finishWorkers(manifest, batchPath, { beta: "timeout" });
}

/** Asks somebody a question, which is Q-0001. */
async function ask(manifest: string, to: string): Promise<void> {
  await confirm(manifest);
  await ok(manifest, "ask", "--to", to, "--text", "How?");
}

async function complete(manifest: string): Promise<readonly string[]> {
  await confirm(manifest);
  const { draftVersion } = await ok(manifest, "status");
  return ["complete", "--draft-version", draftVersion];
}

/** After what a command is given, and its words. */
const after =
  (prepare: (manifest: string) => Promise<unknown>, ...words: string[]): Reach =>
  async (manifest) => {
    await prepare(manifest);
    return words;
  };

/** By command: brings a fresh run to where the command is next, and returns its words. */
export const COMMITS: Readonly<Record<string, Reach>> = {
  "confirm-subject": after(() => Promise.resolve(), ...SUBJECT),
  "add-material": after(confirm, "add-material", "--kind", "evidence", "--text", "größer"),
  ask: after(confirm, "ask", "--to", "user", "--text", "How?"),
  address: after(confirm, "address", "--to", "alpha", "--text", "How?"),
  answer: after((run) => ask(run, "user"), "answer", "--question", "Q-0001", "--text", "So"),
  decide: after(confirm, "decide", "--text", "So be it"),
  drop: after((run) => ask(run, "user"), "drop", "--question", "Q-0001", "--reason", "moot"),
  "cycle-open": after(confirm, "cycle-open"),
  settle: after(open, "settle"),
  recover: after(
    async (run) => {
      await open(run);
      await ok(run, "settle");
    },
    "recover",
    "--failure",
    "FL-0001",
    "--choice",
    "retry",
  ),
  "cycle-close": after(async (run) => {
    await open(run);
    writeFinalState(openRun(run));
  }, "cycle-close"),
  "question-prompt": after((run) => ask(run, "alpha"), "question-prompt", "--question", "Q-0001"),
  "collect-answer": after(
    async (run) => {
      await ask(run, "alpha");
      const { batchPath } = await ok(run, "question-prompt", "--question", "Q-0001");
      finishWorkers(run, batchPath, {});
    },
    "collect-answer",
    "--question",
    "Q-0001",
  ),
  "collect-questions": after(async (run) => {
    await open(run);
    await ok(run, "settle");
  }, "collect-questions"),
  complete,
  reopen: after(async (run) => ok(run, ...await complete(run)), "reopen", "--reason", "more"),
};
