// What comes next where the runs of a discussion tell more than its record.
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { addMaterial } from "./add-material.ts";
import { ask } from "./ask.ts";
import { collectAnswer } from "./collect-answer.ts";
import type { RunContext } from "./context.ts";
import type { Row } from "./dispatch-rows.ts";
import type { Ledger } from "./ledger.ts";
import { recover } from "./recover.ts";
import { suggest } from "./suggest-commands.ts";
import {
  closeIn,
  openIn,
  row,
  runA,
  runB,
  settleIn,
  sources,
  sourcesOf,
  subjectLedger,
} from "../testdata/world.ts";

/** What a look at the runs finds. */
interface Found {
  readonly rows?: readonly Row[];
  readonly links?: readonly Row[];
  readonly hasGroups?: boolean;
  readonly hasFinalState?: boolean;
  readonly result?: string;
  readonly runs?: readonly string[];
}

function looking(context: RunContext, found: Found): RunContext {
  const {
    rows = [],
    links = [],
    hasGroups = false,
    hasFinalState = false,
    result = "No findings\n",
    runs = [],
  } = found;
  const workers = [
    { workerId: "alpha", spec: "alpha,provider=lint" },
    { workerId: "beta", spec: "beta,provider=lint,model=m 1" },
  ];
  return {
    ...context,
    look: {
      runs: () => runs,
      team: () => ({ lead: "codex", workers }),
      work: () => ({
        run: runA.run,
        sources: sourcesOf({ workerDispatches: rows, agentResultLinks: links }),
        hasGroups: hasGroups || hasFinalState,
        hasFinalState,
        readResult: () => result,
      }),
    },
  };
}

const researching = () => {
  const ledger = subjectLedger();
  openIn(ledger, runA, new Map());
  return ledger;
};
const short = (command: string) =>
  command.replace(/ --run-manifest \S+/, "").replaceAll(/\S+\/state\/discussion-/g, "")
    .replace("okstra-", "");
const next = (ledger: Ledger, found: Found, context = runA) =>
  suggest(ledger.draft, looking(context, found)).nextCommands.map(short);

const DISPATCH = "dispatch run --batch research-r-0001-batch-discussion-001.json";

describe("suggest(), where work goes on", () => {
  const ledger = researching(), settled = researching();
  settleIn(settled, runA, row("alpha", "completed"), row("beta", "completed"));
  const ran = [row("alpha", "completed"), row("beta", "completed")];
  const scheduled = row("beta", "error", { retryScheduled: true });
  const table: readonly (readonly [string, Ledger, Found, readonly string[]])[] = [
    ["nothing dispatched", ledger, {}, [DISPATCH, "discussion settle"]],
    [
      "one worker not dispatched",
      ledger,
      { rows: [row("alpha", "error")] },
      [`${DISPATCH} --worker beta`, "discussion settle"],
    ],
    [
      "workers at work",
      ledger,
      { rows: [row("alpha", "completed"), row("beta", "running")] },
      ["dispatch await --dispatch-kind initial", "discussion settle"],
    ],
    [
      "a scheduled retry",
      ledger,
      { rows: [row("alpha", "completed"), scheduled] },
      ["dispatch await --dispatch-kind initial", "discussion settle"],
    ],
    ["workers that have ended", ledger, { rows: ran }, ["discussion settle"]],
    ["all on record", settled, { rows: ran }, ["convergence collect-findings"]],
    ["findings", settled, { rows: ran, hasGroups: true }, ["convergence status"]],
    [
      "a question that is not on record",
      settled,
      { rows: ran, result: "# Questions for the user\n\n- Why?\n" },
      ["discussion collect-questions", "convergence collect-findings"],
    ],
    ["a convergence that has ended", settled, { rows: ran, hasFinalState: true }, [
      "discussion cycle-close",
    ]],
    ["rows that are not sound", ledger, { rows: [row("alpha", "odd")] }, ["discussion settle"]],
  ];
  for (const [name, each, found, expected] of table) {
    it(`suggest() leads on from ${name}`, () => assertEquals(next(each, found), expected));
  }

  it("openCycle() leads on from workers that were dispatched before it (G-032, G-057)", () => {
    const early = (rows: readonly Row[]) => {
      const payload = openIn(subjectLedger(), looking(runA, { rows }), new Map());
      return payload.nextCommands.map(short);
    };
    assertEquals(early([]), [DISPATCH, "discussion settle"]);
    assertEquals(early([row("alpha", "completed")]), [
      `${DISPATCH} --worker beta`,
      "discussion settle",
    ]);
    assertEquals(early([row("alpha", "completed"), row("beta", "error")]), ["discussion settle"]);
  });

  it("suggest() leaves a failure to the user, and still takes up what came since", () => {
    const failed = researching(), error = row("beta", "error", { reason: "x" });
    const rows = [row("alpha", "completed"), error];
    settleIn(failed, runA, ...rows);
    const told = suggest(failed.draft, looking(runA, { rows }));
    assertEquals(told.nextCommands, []);
    assertEquals(told.choices.map(short), [
      "discussion recover --failure FL-0001 --choice retry",
      "discussion recover --failure FL-0001 --choice replace",
      "discussion recover --failure FL-0001 --choice reduce",
    ]);
    const again = row("beta", "completed", {
      attempt: 2,
      dispatchId: "discussion-r-0001-beta-001:attempt-2",
    });
    assertEquals(next(failed, { rows: [...rows, again] }), ["discussion settle"]);
  });

  it("suggest() takes up no findings of who was given up", () => {
    const failed = researching();
    const rows = [row("alpha", "completed"), row("beta", "error", { reason: "x" })];
    settleIn(failed, runA, ...rows);
    recover(failed, runA, { failure: "FL-0001", choice: "reduce" });
    assertEquals(next(failed, { rows }), ["convergence collect-findings --absent beta"]);
  });

  it("suggest() dispatches a retry once", () => {
    const failed = researching(), error = row("beta", "error", { reason: "x" });
    const rows = [row("alpha", "completed"), error];
    settleIn(failed, runA, ...rows);
    recover(failed, runA, { failure: "FL-0001", choice: "retry" });
    const batch = "research-r-0001-beta-r1-batch-discussion-001.json";
    assertEquals(next(failed, { rows }), [`dispatch run --batch ${batch}`, "discussion settle"]);
    const retry = row("beta", "running", {
      invocationId: "discussion-r-0001-beta-r1-001",
      dispatchId: "discussion-r-0001-beta-r1-001:attempt-1",
    });
    assertEquals(next(failed, { rows: [...rows, retry] }), [
      "dispatch await --dispatch-kind initial",
      "discussion settle",
    ]);
  });

  it("suggest() dispatches a worker again whose result was rejected", () => {
    const settled = researching(), alpha = row("alpha", "completed");
    const rows = [alpha, row("beta", "completed")],
      attempt = "discussion-r-0001-alpha-001:attempt-2";
    settleIn(settled, runA, ...rows);
    const links = [{ dispatchId: alpha["dispatchId"], supersededBy: attempt }];
    assertEquals(next(settled, { rows, links }), [
      `${DISPATCH} --worker alpha`,
      "discussion settle",
    ]);
    const again = row("alpha", "completed", { attempt: 2, dispatchId: attempt });
    assertEquals(next(settled, { rows: [...rows, again], links }), ["discussion settle"]);
  });

  it("suggest() dispatches a retry again whose result was rejected", () => {
    const settled = researching(), id = "discussion-r-0001-beta-r1-001";
    const rows = [row("alpha", "completed"), row("beta", "error", { reason: "x" })];
    settleIn(settled, runA, ...rows);
    recover(settled, runA, { failure: "FL-0001", choice: "retry" });
    const retry = { invocationId: id, dispatchId: `${id}:attempt-1` };
    const all = [...rows, row("beta", "completed", retry)];
    settleIn(settled, runA, ...all);
    const links = [{ dispatchId: `${id}:attempt-1`, supersededBy: `${id}:attempt-2` }];
    assertEquals(next(settled, { rows: all, links }), [
      "dispatch run --batch research-r-0001-beta-r1-batch-discussion-001.json",
      "discussion settle",
    ]);
  });

  it("suggest() hands out a question, waits for it, and takes the answer", () => {
    const asked = researching();
    closeIn(asked, runA, []);
    ask(asked, runA, { author: "lead", to: "alpha", text: "Why?" });
    const question = (status: string) =>
      row("alpha", status, {
        kind: "discussion-question",
        invocationId: "discussion-question-q-0001-alpha-001",
        dispatchId: "discussion-question-q-0001-alpha-001:attempt-1",
        reason: "x",
      });
    const collect = "discussion collect-answer --question Q-0001";
    const hand = (slug: string) => [
      "discussion question-prompt --question Q-0001",
      `dispatch run --batch question-${slug}-batch-discussion-001.json`,
      collect,
    ];
    assertEquals(next(asked, {}), hand("q-0001"));
    assertEquals(next(asked, { rows: [question("running")] }), [
      "dispatch await --dispatch-kind discussion-question",
      collect,
    ]);
    assertEquals(next(asked, { rows: [question("error")] }), [collect]);
    const answers = { ...sources(question("error")), readResult: () => "" };
    collectAnswer(asked, runA, () => answers, "Q-0001");
    recover(asked, runA, { failure: "FL-0001", choice: "retry" });
    assertEquals(next(asked, { rows: [question("error")] }), hand("q-0001-r1"));
  });
});

describe("suggest(), where a run is needed", () => {
  const outside = { ...runA, run: null };
  const suggestFor = (ledger: Ledger, runs: readonly string[]) => {
    const { look } = looking(runA, { runs });
    return suggest(ledger.draft, { ...outside, ...look === undefined ? {} : { look } })
      .nextCommands.join();
  };

  it("suggest() opens the cycle of a run that is prepared", () => {
    assertEquals(
      suggestFor(subjectLedger(), [runA.run.manifest]),
      `okstra-discussion cycle-open --run-manifest ${runA.run.manifestPath}`,
    );
  });

  it("suggest() prepares a run with lead and workers of the last, the replaced left out", () => {
    const ledger = researching(), start = "--discussion-start demo/review/src --project-root /p";
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "error"));
    recover(ledger, runA, { failure: "FL-0001", choice: "replace" });
    assertEquals(
      suggestFor(ledger, [runA.run.manifest]),
      `okstra-manifest-io prepare ${start} --lead codex --worker alpha,provider=lint --worker ID`,
    );
    assertStringIncludes(
      suggestFor(ledger, [runA.run.manifest, runB.run.manifest]),
      `cycle-open --run-manifest ${runB.run.manifestPath}`,
    );
    const closed = researching();
    closeIn(closed, runA, []);
    addMaterial(closed, runA, { kind: "evidence", text: "x", author: "user", location: "" });
    assertEquals(
      suggestFor(closed, [runA.run.manifest]),
      `okstra-manifest-io prepare ${start} --lead codex --worker alpha,provider=lint ` +
        "--worker 'beta,provider=lint,model=m 1'",
    );
  });

  it("suggest() asks for the brief of a first run", () => {
    assertStringIncludes(suggestFor(subjectLedger(), []), " --brief FILE ");
  });
});
