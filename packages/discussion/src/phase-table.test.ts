// The state table of C.7: every pair of an event and a phase.
import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { address } from "./address.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { collectAnswer } from "./collect-answer.ts";
import { complete } from "./complete.ts";
import { confirmSubject } from "./confirm-subject.ts";
import type { RunContext } from "./context.ts";
import { decide } from "./decide.ts";
import { drop } from "./drop.ts";
import type { Ledger } from "./ledger.ts";
import type { Phase } from "./phase.ts";
import { promptQuestion } from "./prompt-question.ts";
import { recover } from "./recover.ts";
import { reopen } from "./reopen.ts";
import {
  closeIn,
  finding,
  newLedger,
  openIn,
  row,
  runA,
  runB,
  runContext,
  settleIn,
  sources,
  subjectLedger,
} from "../testdata/world.ts";

const PHASES = {
  N: "no-subject",
  Y: "ready",
  R: "researching",
  F: "awaiting-recovery",
  U: "awaiting-user",
  P: "awaiting-participant",
  O: "options",
  C: "completed",
} as const satisfies Record<string, Phase>;
type State = keyof typeof PHASES;
const STATES = Object.keys(PHASES) as State[];

/** What came before: no cycle, or a cycle in run A that was closed, closed before new input, or superseded. */
type History = "fresh" | "closed" | "closed-new" | "superseded";

/** What is there besides: a question to alpha that is open, that failed, or whose failure is to be tried again. */
type Extra = "question" | "failed-question" | "retried-question";

interface World {
  readonly ledger: Ledger;
  readonly files: Map<string, string>;
  /** The run whose cycle is or was open. */
  readonly run: RunContext;
}

const NEW = { kind: "evidence", text: "new", author: "user", location: "" } as const;
const FINDINGS = [finding("F-001", "contested")];
const beta = row("beta", "error", { reason: "x" });

function questionRow(ledger: Ledger, status: string) {
  const id = questionTo(ledger, "alpha").toLowerCase();
  const tries = ledger.draft.failures.filter(({ questionId }) => questionId?.toLowerCase() === id);
  const retry = tries.some(({ recovery }) => recovery !== null) ? "-r1" : "";
  return row("alpha", status, {
    kind: "discussion-question",
    invocationId: `discussion-question-${id}${retry}-alpha-001`,
    dispatchId: `discussion-question-${id}${retry}-alpha-001:attempt-1`,
    reason: "x",
  });
}

function collect(ledger: Ledger, run: RunContext, status: string) {
  const asked = questionRow(ledger, status);
  const read = () => ({ ...sources(asked), readResult: () => "Because." });
  return collectAnswer(ledger, run, read, questionTo(ledger, "alpha"));
}

function questionTo(ledger: Ledger, to: string): string {
  return ledger.draft.questions.findLast((question) => question.to === to)?.recordId ?? "Q-0000";
}

const close = (ledger: Ledger, run: RunContext) => closeIn(ledger, run, FINDINGS);
const finish = (ledger: Ledger) =>
  complete(ledger, runA, { draftVersion: ledger.draft.recordsDigest, contentPath: (id) => id });
const failureId = (ledger: Ledger) => ledger.draft.failures.at(-1)?.recordId ?? "FL-0000";

function build(state: State, history: History, extra?: Extra): World {
  const files = new Map<string, string>();
  if (state === "N") return { ledger: newLedger(), files, run: runA };
  const ledger = subjectLedger();
  ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
  answer(ledger, runA, { question: "Q-0001", text: "This" });
  if (history !== "fresh") {
    openIn(ledger, runA, files);
    if (history === "superseded") {
      settleIn(ledger, runA, beta);
      recover(ledger, runA, { failure: "FL-0001", choice: "replace" });
    } else close(ledger, runA);
    if (history === "closed-new") addMaterial(ledger, runA, NEW);
  }
  const run = history === "fresh" ? runA : runB;
  const needsInput = history === "closed" && state === "R";
  if (needsInput) addMaterial(ledger, runA, NEW);
  const hasOwnCycle = state === "R" || (state === "F" && history === "fresh");
  if (hasOwnCycle) openIn(ledger, run, files);
  if (state === "O" && history === "superseded") {
    openIn(ledger, runB, files);
    close(ledger, runB);
  }
  if (extra !== undefined || state === "P" || (state === "F" && history !== "fresh")) {
    address(ledger, runA, { to: "alpha", text: "Why?" });
    const isFailed = extra === "failed-question" || extra === "retried-question" ||
      (state === "F" && history !== "fresh" && extra === undefined);
    if (isFailed) collect(ledger, runA, "error");
    if (extra === "retried-question") {
      recover(ledger, runA, { failure: failureId(ledger), choice: "retry" });
    }
    if (state === "O" || state === "C") collect(ledger, runA, "completed");
  }
  if (state === "F" && history === "fresh" && extra !== "failed-question") {
    settleIn(ledger, runA, beta);
  }
  if (state === "U") ask(ledger, runA, { author: "lead", to: "user", text: "When?" });
  if (state === "C") finish(ledger);
  return { ledger, files, run: hasOwnCycle ? run : runA };
}

/** The history that a state has unless an event needs another. */
const USUAL: Record<State, History> = {
  N: "fresh",
  Y: "fresh",
  R: "fresh",
  F: "fresh",
  U: "closed",
  P: "closed",
  O: "closed",
  C: "closed",
};

/**
 * One row of the table: a cell is a phase (the next one), `=` (unchanged), `x` (refused), `-` (cannot happen), or the
 * word of an action without any change.
 */
interface Row {
  readonly event: string;
  readonly cells: Record<State, string>;
  readonly history?: Partial<Record<State, History>>;
  readonly extra?: Partial<Record<State, Extra>>;
  act(world: World, state: State): unknown;
}

const cells = (text: string): Record<State, string> => {
  const words = text.trim().split(/\s+/);
  return Object.fromEntries(STATES.map((state, i) => [state, words[i]])) as Record<State, string>;
};
const open = (run: RunContext) => ({ ledger, files }: World) => openIn(ledger, run, files).action;
const all = (history: History) =>
  Object.fromEntries(STATES.map((state) => [state, history])) as Record<State, History>;
const withQuestion = {
  R: "question",
  F: "question",
  U: "question",
  O: "question",
  C: "question",
} as const;
const withFailed = (...states: readonly State[]) =>
  Object.fromEntries(states.map((state) => [state, "failed-question" as const]));
const withRetried = (...states: readonly State[]) =>
  Object.fromEntries(states.map((state) => [state, "retried-question" as const]));

const TABLE: readonly Row[] = [
  {
    event: "confirm-subject, new text",
    cells: cells("Y = = = = = Y x"),
    act: ({ ledger }) => confirmSubject(ledger, runA, { subject: "src", question: "Which risks?" }),
  },
  {
    event: "add-material, new",
    cells: cells("= = = = = = Y x"),
    act: ({ ledger }) => addMaterial(ledger, runA, NEW),
  },
  {
    event: "ask the user",
    cells: cells("x U = = = U U x"),
    act: ({ ledger }) => ask(ledger, runA, { author: "lead", to: "user", text: "Now?" }),
  },
  {
    event: "ask a participant",
    cells: cells("x P = = = = P x"),
    act: ({ ledger }) => ask(ledger, runA, { author: "lead", to: "beta", text: "Now?" }),
  },
  {
    event: "address",
    cells: cells("x P = = = = P x"),
    act: ({ ledger }) => address(ledger, runA, { to: "beta", text: "Now?" }),
  },
  {
    event: "answer the open question, else amend an earlier answer",
    cells: cells("x = = = Y = Y x"),
    act: ({ ledger }) =>
      answer(ledger, runA, { question: questionTo(ledger, "user"), text: "Other" }),
  },
  {
    event: "answer the last open question while a participant is asked",
    cells: cells("- - - - P - - -"),
    extra: { U: "question" },
    act: ({ ledger }) =>
      answer(ledger, runA, { question: questionTo(ledger, "user"), text: "Other" }),
  },
  {
    event: "cycle-open, run without cycle",
    cells: cells(
      "x R await-cycle await-recovery await-user await-participant present-options completed",
    ),
    act: (world) => open(runContext("009"))(world),
  },
  {
    event: "cycle-open, run of an open cycle",
    cells: cells("- - dispatch await-recovery - - - completed"),
    act: (world) => open(runA)(world),
  },
  {
    event: "cycle-open, run of a closed cycle, same input",
    // While another cycle is open there is newer input than any closed one had, so R cannot happen.
    cells: cells(
      "- - - await-recovery present-options present-options present-options completed",
    ),
    history: all("closed"),
    act: (world) => open(runA)(world),
  },
  {
    event: "cycle-open, run of a closed cycle, new input",
    cells: cells("- prepare-run prepare-run await-recovery prepare-run prepare-run - completed"),
    history: all("closed-new"),
    act: (world) => open(runA)(world),
  },
  {
    event: "cycle-open, run of a superseded cycle",
    cells: cells(
      "- prepare-run prepare-run await-recovery prepare-run prepare-run prepare-run completed",
    ),
    history: all("superseded"),
    act: (world) => open(runA)(world),
  },
  {
    event: "settle, only results",
    cells: cells("x x = = x x x x"),
    act: ({ ledger }, state) =>
      settleIn(ledger, runA, row("alpha", "completed"), ...state === "F" ? [beta] : []),
  },
  {
    event: "settle, a failure",
    cells: cells("x x F = x x x x"),
    act: ({ ledger }) => settleIn(ledger, runA, row("alpha", "error", { reason: "y" })),
  },
  {
    event: "recover retry (research)",
    cells: cells("x x x R x x x x"),
    act: ({ ledger }) => recover(ledger, runA, { failure: failureId(ledger), choice: "retry" }),
  },
  {
    event: "recover replace (research)",
    cells: cells("x x x Y x x x x"),
    act: ({ ledger }) => recover(ledger, runA, { failure: failureId(ledger), choice: "replace" }),
  },
  {
    event: "recover reduce (research)",
    cells: cells("x x x R x x x x"),
    act: ({ ledger }) => recover(ledger, runA, { failure: failureId(ledger), choice: "reduce" }),
  },
  {
    event: "recover retry (question)",
    cells: cells("x x = R = = x x"),
    extra: { ...withRetried("R", "U", "P"), ...withFailed("F") },
    act: ({ ledger }) => recover(ledger, runA, { failure: failureId(ledger), choice: "retry" }),
  },
  {
    event: "recover reduce (question)",
    cells: cells("x x = R = O x x"),
    extra: { ...withRetried("R", "U", "P"), ...withFailed("F") },
    act: ({ ledger }) => recover(ledger, runA, { failure: failureId(ledger), choice: "reduce" }),
  },
  {
    event: "cycle-close",
    cells: cells("x x O x = = = x"),
    act: ({ ledger }) => close(ledger, runA),
  },
  {
    event: "cycle-close with a question to a participant, or one that failed",
    cells: cells("x x P = = = = x"),
    extra: { R: "question", F: "failed-question" },
    act: ({ ledger }) => close(ledger, runA),
  },
  {
    event: "question-prompt",
    cells: cells("x x = = = = x x"),
    extra: withQuestion,
    act: ({ ledger }) => promptQuestion(ledger.draft, runA, questionTo(ledger, "alpha")),
  },
  {
    event: "question-prompt of the question that waits",
    cells: cells("x x - x - - x x"),
    extra: { F: "failed-question" },
    act: ({ ledger }) => promptQuestion(ledger.draft, runA, questionTo(ledger, "alpha")),
  },
  {
    event: "collect-answer, answered",
    cells: cells("x x = = = O = x"),
    extra: withQuestion,
    act: ({ ledger }) => collect(ledger, runA, "completed"),
  },
  {
    event: "collect-answer, failed",
    cells: cells("x x F = F F - x"),
    extra: withQuestion,
    act: ({ ledger }) => collect(ledger, runA, "error"),
  },
  {
    event: "decide",
    cells: cells("x = = = = = = x"),
    act: ({ ledger }) => decide(ledger, runA, { text: "right", settles: [] }),
  },
  {
    event: "drop the question of the phase",
    cells: cells("x x = = O O x x"),
    extra: { R: "question", F: "question" },
    act: ({ ledger }, state) =>
      drop(ledger, runA, {
        question: questionTo(ledger, state === "U" ? "user" : "alpha"),
        reason: "moot",
      }),
  },
  {
    event: "complete",
    cells: cells("x C x x x x C ="),
    act: ({ ledger }) => finish(ledger),
  },
  {
    event: "reopen",
    cells: cells("x x x x x x x O"),
    act: ({ ledger }) => reopen(ledger, runA, { reason: "more" }),
  },
];

for (const { event, cells, history, extra, act } of TABLE) {
  describe(`state table: ${event} (C.7)`, () => {
    for (const state of STATES) {
      const cell = cells[state];
      if (cell === "-") continue;
      it(`${event}: ${state} → ${cell} (C.7)`, () => {
        const world = build(state, history?.[state] ?? USUAL[state], extra?.[state]);
        const { ledger } = world, before = ledger.records;
        assertEquals(ledger.draft.phase, PHASES[state], "the state was built");
        if (cell === "x") {
          const error = assertThrows(() => act(world, state), OkstraError);
          assert([1, 2].includes(error.exitCode));
          // The file is written only at the end, so a refusal after an append leaves no trace either.
          assertEquals(ledger.records.slice(0, before.length), before);
          return;
        }
        const answered = act(world, state);
        if (cell === "=" || cell in PHASES) {
          const wanted = cell === "=" ? PHASES[state] : PHASES[cell as State];
          assertEquals(ledger.draft.phase, wanted);
          return;
        }
        assertEquals([answered, ledger.records, ledger.draft.phase], [cell, before, PHASES[state]]);
      });
    }
  });
}

describe("state table: choices over choices (G-077)", () => {
  const retried = () => {
    const world = build("F", "fresh");
    recover(world.ledger, runA, { failure: "FL-0001", choice: "retry" });
    return world.ledger;
  };

  it("recover() repeats a retry in R, and changes it to the other choices", () => {
    for (const [choice, phase] of [["retry", "R"], ["replace", "Y"], ["reduce", "R"]] as const) {
      const ledger = retried();
      recover(ledger, runA, { failure: "FL-0001", choice });
      assertEquals(ledger.draft.phase, PHASES[phase]);
    }
  });

  it("recover() refuses a retry over a reduction in R", () => {
    const ledger = retried();
    recover(ledger, runA, { failure: "FL-0001", choice: "reduce" });
    assertThrows(() => recover(ledger, runA, { failure: "FL-0001", choice: "retry" }), OkstraError);
  });

  it("closeCycle() leads to Y if input arrived, to U if the user is asked", () => {
    const input = build("R", "fresh").ledger;
    addMaterial(input, runA, NEW);
    close(input, runA);
    assertEquals(input.draft.phase, "ready");
    const asked = build("R", "fresh").ledger;
    ask(asked, runA, { author: "lead", to: "user", text: "Now?" });
    close(asked, runA);
    assertEquals(asked.draft.phase, "awaiting-user");
  });
});
