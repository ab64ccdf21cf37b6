// Gives every command line of the host adapters to the tools, in the order in which a lead would, with workers that
// are scripts. A line of a text that is not given here fails, and so does one that the tools do not take.
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  fillIn,
  HOSTS,
  LEADS,
  listInline,
  listLines,
  readTexts,
  SCRIPT_ONCE,
  type Texts,
} from "./hosts-lines.ts";
import {
  ROOT,
  runProgram,
  RUNTIME,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
} from "./support.ts";

const COMMAND = /^okstra-(manifest-io|team-state|wrapper-status|dispatch|convergence|discussion)\b/;
const WORKER = join(ROOT, "test", "testdata", "host-worker.mjs");

const TASK = "demo/review/src",
  ALPHA = "WORKER,provider=PROVIDER",
  BETA = "WORKER2,provider=PROVIDER2";
const START = "okstra-dispatch start --run-manifest RUN --batch BATCH";
const AWAIT = "okstra-dispatch await --run-manifest RUN --timeout 90";
const WITH_VOTES = "okstra-dispatch await --run-manifest RUN | " +
  "okstra-convergence collect-results --run-manifest RUN --mode MODE --await -";

/** A lead that gives lines as the texts have them. */
class Lead {
  readonly given = new Set<string>();
  readonly project: string;
  readonly control: string;
  readonly values: Record<string, string> = {
    ...{
      KEY: TASK,
      BRIEF: "brief.md",
      TEXT: 'It\'s "so"',
      REASON: "not of interest",
      PLACE: "src/a.txt:2",
    },
    ...{
      WORKER: "alpha",
      PROVIDER: "alpha",
      WORKER2: "beta",
      PROVIDER2: "beta",
      MODE: "adversarial",
    },
  };
  readonly #env: Record<string, string>;

  constructor(scratch: string) {
    this.project = join(scratch, "project");
    this.control = join(scratch, "control");
    this.#env = toolEnv(toolFolder(scratch));
    const providers = Object.fromEntries(
      ["alpha", "beta", "gamma"].map((name) => [name, { argv: [WORKER, name, this.control] }]),
    );
    writeFiles(scratch, {
      "control/README": "What the workers are told besides their prompts.\n",
      "project/brief.md": "Look at src.\n",
      "project/src/a.txt": "one\ntwo\nthree\n",
      "project/src/b.txt": "one\ntwo\nthree\n",
      "project/.okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
    });
  }

  /** Gives a line of the texts; returns the answer. */
  // deno-lint-ignore no-explicit-any
  give(line: string, values: Readonly<Record<string, string>> = {}, expected = 0): any {
    this.given.add(line);
    return this.run(fillIn(line, { ...this.values, ...values }), expected);
  }

  // deno-lint-ignore no-explicit-any
  run(line: string, expected = 0, more: Readonly<Record<string, string>> = {}): any {
    const { status, stdout, stderr } = runProgram(["sh", "-c", line], {
      cwd: this.project,
      env: { ...this.#env, ...more },
    });
    assertEquals(status, expected, `${line}\n${stdout}\n${stderr}`);
    try {
      return JSON.parse(stdout);
    } catch {
      return stdout; // a table, a page, or a document a line
    }
  }

  fails(worker: string, isSo: boolean): void {
    const path = join(this.control, `fail-${worker}`);
    if (isSo) writeFileSync(path, "");
    else rmSync(path);
  }

  prepare(line: string, second: string): string {
    const { runManifestPath } = this.give(line, { WORKER2: second, PROVIDER2: second });
    this.values.RUN = runManifestPath;
    return runManifestPath;
  }

  open(action: string, RUN = this.values.RUN!): void {
    const answer = this.give("okstra-discussion cycle-open --run-manifest RUN", { RUN });
    assertEquals(answer.action, action);
    this.values.BATCH = answer.batchPath ?? "";
  }

  work(expected = 0): void {
    this.give(START);
    this.give(AWAIT, {}, expected);
  }

  /** A session of the host's own does its part. */
  playSession(
    invocation: { promptPath: string; workerResultPath: string; workerId: string },
  ): void {
    const { promptPath, workerResultPath, workerId } = invocation;
    this.run(`'${WORKER}' ${workerId} '${this.control}' <'${promptPath}'`, 0, {
      OKSTRA_WORKER_RESULT_PATH: workerResultPath,
    });
  }
}

const ONCE = { skip: RUNTIME === "node" ? false : SCRIPT_ONCE };

describe("the relays of the host adapters", () => {
  it(
    "name commands that work, from the first run to the last, and no others",
    ONCE,
    () =>
      withScratch((scratch) => {
        const lead = new Lead(scratch);
        failAndReplace(lead);
        reduceAndStop(lead);
        convergeAndDecide(lead);
        useOwnSessions(lead);
        leadAs(lead);
        const texts = readTexts(scratch);
        assertEquals(notGiven(texts, lead.given), []);
        assertEquals([...lead.given].filter((line) => !isNamed(texts, line)), []);
        assertEquals(strangeOptions(texts, lead), []);
      }),
  );
});

const PREPARE = (who: string) =>
  `okstra-manifest-io prepare --task-key KEY --task-type discussion --brief BRIEF --lead ${who} ` +
  `--worker ${ALPHA} --worker ${BETA}`;
const PREPARE_MORE = (who: string) =>
  `okstra-manifest-io prepare --discussion-start KEY --lead ${who} --worker ${ALPHA} --worker ${BETA}`;
const WITH_WRITER = (who: string) =>
  `${PREPARE_MORE(who)} --worker report-writer,provider=PROVIDER`;
const EVIDENCE =
  "okstra-discussion add-material --run-manifest RUN --kind evidence --text TEXT --location PLACE";
const SETTLE = "okstra-discussion settle --run-manifest RUN";
const QUESTIONS = "okstra-discussion collect-questions --run-manifest RUN";
const RECOVER = (choice: string) =>
  `okstra-discussion recover --run-manifest RUN --failure FAILURE --choice ${choice}`;
const FINDINGS = "okstra-convergence collect-findings --run-manifest RUN";
const SEED = "okstra-convergence seed --run-manifest RUN";
const PLAN = "okstra-convergence plan-round --run-manifest RUN";
const PROMPTS = "okstra-convergence prompts --run-manifest RUN --mode MODE";
const APPLY = "okstra-convergence apply-round --run-manifest RUN";
const ANSWER = "okstra-discussion answer --run-manifest RUN --question QUESTION --text TEXT";
const DROP = "okstra-discussion drop --run-manifest RUN --question QUESTION --reason TEXT";

/** The first run: a worker fails twice, and the user has it replaced. */
function failAndReplace(lead: Lead): void {
  lead.give("okstra-wrapper-status providers --check");
  lead.give("okstra-dispatch backends");
  lead.prepare(PREPARE("external"), "beta");
  lead.give("okstra-discussion confirm-subject --run-manifest RUN --subject TEXT --question TEXT");
  lead.give(EVIDENCE);
  lead.give("okstra-discussion add-material --run-manifest RUN --kind alternative --text TEXT");
  lead.open("dispatch");
  lead.fails("beta", true);
  lead.work(1);
  assert(lead.give("okstra-team-state show --run-manifest RUN --format text").includes("alpha"));
  lead.give("okstra-dispatch why --run-manifest RUN --worker WORKER");
  lead.give("okstra-wrapper-status liveness --run-manifest RUN");
  lead.give("okstra-dispatch resume --run-manifest RUN --timeout 90", {}, 1);
  const [failure] = lead.give(SETTLE).failures;
  lead.values.QUESTION = lead.give(QUESTIONS).nextForUser;
  lead.open("await-recovery");
  lead.values.BATCH = lead.give(RECOVER("retry"), { FAILURE: failure.recordId }).batchPath;
  lead.work(1);
  lead.give(RECOVER("replace"), { FAILURE: lead.give(SETTLE).failures[0].recordId });
  lead.open("prepare-run");
  lead.fails("beta", false);
}

/** The second run: a worker is never started and given up, another is stopped. */
function reduceAndStop(lead: Lead): void {
  lead.prepare(PREPARE_MORE("external"), "gamma");
  lead.open("await-user");
  lead.give(ANSWER);
  lead.open("dispatch");
  lead.run(
    fillIn("okstra-dispatch run --run-manifest RUN --batch BATCH --worker alpha", lead.values),
  );
  const [failure] =
    lead.give("okstra-discussion settle --run-manifest RUN --not-run WORKER", { WORKER: "gamma" })
      .failures;
  lead.give(RECOVER("reduce"), { FAILURE: failure.recordId });
  const question = lead.give(QUESTIONS).nextForUser;
  lead.give(`${FINDINGS} --absent WORKER`, { WORKER: "gamma" });
  lead.give(SEED);
  assertEquals(lead.give(PLAN).action, "planned");
  lead.values.BATCH = lead.give(PROMPTS).batchPath;
  writeFileSync(join(lead.control, "hang-gamma"), "");
  lead.give(START);
  lead.give("okstra-dispatch teardown --run-manifest RUN --worker WORKER --kill", {
    WORKER: "gamma",
  });
  rmSync(join(lead.control, "hang-gamma"));
  lead.give("okstra-dispatch reclaim --run-manifest RUN");
  lead.give(AWAIT, {}, 1);
  lead.give(WITH_VOTES);
  lead.give(APPLY);
  assertEquals(lead.give(PLAN).action, "skipped");
  lead.give("okstra-convergence finalize --run-manifest RUN");
  lead.give("okstra-discussion cycle-close --run-manifest RUN");
  lead.give(DROP, { QUESTION: question });
}

/** The third run: both rounds, questions to and fro, a decision, and a revision. */
function convergeAndDecide(lead: Lead): void {
  lead.open("present-options");
  lead.give(EVIDENCE, { TEXT: "it is new" });
  const next = lead.prepare(PREPARE_MORE("external"), "beta");
  lead.prepare(WITH_WRITER("external"), "beta");
  lead.open("dispatch");
  lead.open("await-cycle", next);
  lead.open("dispatch");
  lead.work();
  lead.give(SETTLE);
  const question = lead.give(QUESTIONS).nextForUser;
  const [near] = lead.give(FINDINGS).near;
  lead.give(`${FINDINGS} --join JOIN`, { JOIN: near.join });
  lead.give(SEED);
  for (const [MODE, votes] of [["adversarial", ""], ["collaborative", " --on-invalid absent"]]) {
    assertEquals(lead.give(PLAN).action, "planned");
    lead.values.MODE = MODE!;
    lead.values.BATCH = lead.give(PROMPTS).batchPath;
    lead.work();
    lead.give(WITH_VOTES + votes);
    lead.give(APPLY);
  }
  criticize(lead);
  lead.give("okstra-convergence finalize --run-manifest RUN");
  lead.give("okstra-convergence validate --run-manifest RUN");
  lead.give("okstra-convergence report --run-manifest RUN --format markdown");
  const closed = lead.give("okstra-discussion cycle-close --run-manifest RUN");
  lead.give("okstra-convergence status --run-manifest RUN");
  lead.open("await-user", next);
  lead.give(ANSWER, { QUESTION: question });
  ask(lead, next);
  lead.give("okstra-discussion decide --run-manifest RUN --text TEXT --settles CLAIM", {
    CLAIM: closed.remainingDisagreements[0].recordId,
  });
  haveReport(lead);
  lead.give("okstra-discussion show --run-manifest RUN");
  lead.give("okstra-discussion status --task-key KEY");
  lead.give("okstra-discussion log --run-manifest RUN --kind question --kind failure");
  const { draftVersion } = lead.give("okstra-discussion status --run-manifest RUN");
  lead.give("okstra-discussion complete --run-manifest RUN --draft-version DIGEST", {
    DIGEST: draftVersion,
  });
  lead.open("completed");
  lead.give("okstra-team-state usage --run-manifest RUN --format text");
  lead.give("okstra-discussion verify --run-manifest RUN");
  lead.give("okstra-manifest-io validate-run --run-manifest RUN");
}

/** beta is the critic, alpha votes on what it says. */
function criticize(lead: Lead): void {
  const prompts = "okstra-convergence prompts --run-manifest RUN --mode";
  lead.values.BATCH = lead.give(`${prompts} critic --worker CRITIC`, { CRITIC: "beta" }).batchPath;
  lead.work();
  lead.values.BATCH = lead.give(`${prompts} coverage`).batchPath;
  lead.work();
  lead.give(WITH_VOTES.replace("MODE", "coverage"));
  const { gaps } = lead.give("okstra-convergence apply-critic-gaps --run-manifest RUN");
  assertEquals(gaps.length, 1);
}

/** A worker writes the final report, and the lead finds it. */
function haveReport(lead: Lead): void {
  lead.give("okstra-dispatch start --run-manifest RUN --worker report-writer");
  lead.give("okstra-dispatch await --run-manifest RUN --worker report-writer --timeout 90");
  const path = lead.give("okstra-manifest-io get --raw RUN /expectedReportRecordPath").trim();
  assertEquals(JSON.parse(readFileSync(join(lead.project, path), "utf8")), { title: "The report" });
}

function ask(lead: Lead, next: string): void {
  const recordId = (answer: { record: { recordId: string } }) => answer.record.recordId;
  const toUser = "okstra-discussion ask --run-manifest RUN --to user --text TEXT";
  lead.give(DROP, { QUESTION: recordId(lead.give(toUser)) });
  const passedOn = toUser.replace("--text", "--author WORKER --text");
  lead.give(ANSWER, { QUESTION: recordId(lead.give(passedOn)) });
  const toWorker = "okstra-discussion ask --run-manifest RUN --to WORKER --text TEXT";
  const address = toWorker.replace(" ask ", " address ");
  for (const [line, WORKER] of [[toWorker, "alpha"], [address, "beta"]]) {
    const QUESTION = recordId(lead.give(line!, { WORKER: WORKER!, TEXT: `Why, ${WORKER}?` }));
    lead.open("await-participant", next);
    if (WORKER === "beta") {
      lead.fails("beta", true);
      const FAILURE = recordId(putQuestion(lead, QUESTION, 1));
      lead.give(RECOVER("retry"), { FAILURE });
      lead.fails("beta", false);
    }
    // The first try of the same question stays a failure.
    const answer = putQuestion(lead, QUESTION, WORKER === "beta" ? 1 : 0);
    assertEquals(answer.record.kind, "answer");
  }
}

function putQuestion(lead: Lead, QUESTION: string, expected: number) {
  const prompt = "okstra-discussion question-prompt --run-manifest RUN --question QUESTION";
  lead.values.BATCH = lead.give(prompt, { QUESTION }).batchPath;
  lead.give(START);
  lead.give(
    AWAIT.replace("--timeout", "--dispatch-kind discussion-question --timeout"),
    {},
    expected,
  );
  return lead.give("okstra-discussion collect-answer --run-manifest RUN --question QUESTION", {
    QUESTION,
  });
}

/** The fourth run: the workers are sessions of the host. */
function useOwnSessions(lead: Lead): void {
  const native = "okstra-manifest-io update run-manifest RUN --merge " +
    `'{"invocationAssignments":{"initial/WORKER":{"runner":"native-session"}}}'`;
  const materialize = "okstra-manifest-io prompt materialize --run-manifest RUN --batch BATCH";
  const record = "okstra-team-state ledger record --run-manifest RUN --metadata METADATA " +
    "--enforcement host-native-spec-link-gate";
  const link =
    "okstra-team-state result link --run-manifest RUN --dispatch-id INVOCATION:attempt-1 " +
    "--result RESULT";
  lead.give("okstra-discussion reopen --run-manifest RUN --reason TEXT");
  lead.give(EVIDENCE, { TEXT: "it is newer" });
  lead.prepare(PREPARE_MORE("external"), "beta");
  for (const WORKER of ["alpha", "beta"]) lead.give(native, { WORKER });
  lead.open("dispatch");
  for (const invocation of lead.give(materialize).invocations) {
    const { invocationId: INVOCATION, metadataPath: METADATA, workerResultPath: RESULT } =
      invocation;
    lead.give(record, { METADATA });
    if (invocation.workerId === "alpha") {
      lead.playSession(invocation);
      lead.give(link, { INVOCATION, RESULT });
    } else {
      lead.give(
        "okstra-manifest-io attempt finish --run-manifest RUN --invocation INVOCATION --status error",
        { INVOCATION },
      );
    }
  }
  lead.give(RECOVER("reduce"), { FAILURE: lead.give(SETTLE).failures[0].recordId });
  lead.give(`${FINDINGS} --absent WORKER`, { WORKER: "beta" });
  lead.give(SEED);
  lead.give(PLAN);
  lead.values.MODE = "adversarial";
  lead.values.BATCH = lead.give(PROMPTS).batchPath;
  const [invocation] = lead.give(materialize).invocations;
  const { invocationId: INVOCATION, metadataPath: METADATA, workerResultPath: RESULT } = invocation;
  lead.give(record, { METADATA });
  lead.playSession(invocation);
  lead.give(link, { INVOCATION, RESULT });
  const votes = "okstra-convergence collect-results --run-manifest RUN --mode MODE " +
    "--dispatch WORKER=completed:0 --result WORKER=RESULT";
  lead.give(votes, { WORKER: invocation.workerId, RESULT });
  lead.give(APPLY);
}

/** What the texts of single hosts have besides. */
function leadAs(lead: Lead): void {
  for (const who of new Set(Object.values(LEADS))) {
    if (who === "external") continue; // given above
    lead.give(PREPARE(who), { KEY: `demo/review/${who}` });
    lead.give(PREPARE_MORE(who));
    lead.give(WITH_WRITER(who));
  }
  lead.give("okstra-discussion status --task-key $ARGUMENTS");
  lead.give(
    "okstra-discussion log --task-key $ARGUMENTS --kind question --kind failure --kind decision",
  );
  lead.give("okstra-discussion status --task-key {{args}}");
}

/** Lists the lines, and the commands in running text, that were not given. */
function notGiven(texts: Texts, given: ReadonlySet<string>): string[] {
  return [...texts].flatMap(([name, text]) =>
    [
      ...listLines(text, /\bokstra-(?!review|status)/).filter((line) => !given.has(line)),
      ...listInline(text, COMMAND).filter((code) => {
        const isToolAlone = !code.includes(" "),
          isRisk = /^okstra-(wrapper-status run|manifest-io with-lock)$/;
        return !isToolAlone && !isRisk.test(code) &&
          ![...given].some((line) => `${line} `.startsWith(`${code} `));
      }),
    ].map((line) => `${name}: ${line}`)
  );
}

function isNamed(texts: Texts, line: string): boolean {
  return [...texts.values()].some((text) => listLines(text, COMMAND).includes(line));
}

/** Lists the options in running text that no command of the texts has. */
function strangeOptions(texts: Texts, lead: Lead): string[] {
  const commands = new Set(
    [...lead.given].flatMap((line) => line.split(" | ")).map((line) =>
      line.split(" --")[0]!.split(" ").slice(0, 3).filter((word) => !/[A-Z]/.test(word)).join(" ")
    ),
  );
  const review = `'${join(HOSTS, "shell", "okstra-review")}'`;
  const help = [...commands, review].map((command) => lead.run(`${command} --help`)).join("\n");
  const own = ["--user", "--remove"]; // of install
  return [...texts].flatMap(([name, text]) =>
    listInline(text, /^--/).map((code) => code.split(/[ :]/)[0]!)
      .filter((option) => !own.includes(option) && !help.includes(` ${option}`))
      .map((option) => `${name}: ${option}`)
  );
}
