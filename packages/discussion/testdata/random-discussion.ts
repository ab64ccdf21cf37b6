// A discussion of random steps, for properties that must hold whatever happens. The same seed gives the same one.
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "../src/add-material.ts";
import { address } from "../src/address.ts";
import { answer } from "../src/answer.ts";
import { ask } from "../src/ask.ts";
import { collectAnswer } from "../src/collect-answer.ts";
import { complete } from "../src/complete.ts";
import { confirmSubject } from "../src/confirm-subject.ts";
import type { RunContext } from "../src/context.ts";
import { decide } from "../src/decide.ts";
import { drop } from "../src/drop.ts";
import type { Ledger } from "../src/ledger.ts";
import { questionNames } from "../src/question-names.ts";
import { recover } from "../src/recover.ts";
import { reopen } from "../src/reopen.ts";
import {
  closeIn,
  finding,
  newLedger,
  openIn,
  row,
  runContext,
  settleIn,
  sourcesOf,
} from "./world.ts";

/** Draws numbers that look random, always the same ones for a seed (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a whole number from 0 to below a limit. */
  below(limit: number): number {
    this.#state = this.#state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const TEXTS = [
  "a",
  " blank first",
  "two\nlines",
  'a "quote" \\ \u0001',
  "größer 😀",
  "C-0001 again",
];
const CLASSES = [
  "contested",
  "full-consensus",
  "partial-consensus",
  "worker-unique",
  "odd",
  "refuted",
];
const WORKERS = ["alpha", "beta"];

/** A discussion that can take random steps. */
export interface RandomDiscussion {
  readonly draw: Draw;
  /** Takes a step in a ledger; what is refused changes nothing. */
  step(ledger: Ledger): void;
}

/** Opens a discussion of random steps. */
export function openRandom(seed: number): RandomDiscussion {
  const draw = new Draw(seed), files = new Map<string, string>();
  const runs = ["001", "002", "003", "004", "005"].map((seq) => runContext(seq));
  return {
    draw,
    step(ledger) {
      try {
        draw.of(STEPS)(ledger, draw, draw.of(runs), files);
      } catch (error) {
        if (!(error instanceof OkstraError)) throw error;
      }
    },
  };
}

/** Returns a ledger after some random steps. */
export function randomLedger(seed: number, steps: number): Ledger {
  const random = openRandom(seed), ledger = newLedger();
  for (let i = 0; i < steps; i++) random.step(ledger);
  return ledger;
}

type Step = (ledger: Ledger, draw: Draw, run: RunContext, files: Map<string, string>) => unknown;

const id = (prefix: string, draw: Draw, limit = 6) => `${prefix}-000${1 + draw.below(limit)}`;

const rowOf = (worker: string, draw: Draw, run: RunContext, cycle: string) => {
  const tries = draw.below(3), name = `${cycle}-${worker}-${run.run.seq}-${tries}`;
  return row(worker, draw.of(["completed", "error", "timeout"]), {
    invocationId: name,
    dispatchId: `${name}:attempt-1`,
    workerResultPath: `worker-results/${name}.md`,
  });
};

const STEPS: readonly Step[] = [
  (ledger, draw, run) =>
    confirmSubject(ledger, run, { subject: "src", question: draw.of(["x?", "y?"]) }),
  (ledger, draw, run) =>
    addMaterial(ledger, run, {
      kind: draw.of(["evidence", "alternative"]),
      text: draw.of(TEXTS),
      author: draw.of(["user", "lead", ...WORKERS]),
      location: draw.of(["", "src/a.ts:1"]),
    }),
  (ledger, draw, run) =>
    ask(ledger, run, {
      author: draw.of(["lead", ...WORKERS]),
      to: draw.of(["user", ...WORKERS]),
      text: draw.of(TEXTS),
    }),
  (ledger, draw, run) => address(ledger, run, { to: draw.of(WORKERS), text: draw.of(TEXTS) }),
  (ledger, draw, run) => {
    const question = ledger.draft.nextForUser ?? id("Q", draw);
    answer(ledger, run, { question, text: draw.of(TEXTS) });
  },
  (ledger, draw, run) =>
    decide(ledger, run, { text: draw.of(TEXTS), settles: [id(draw.of(["C", "M"]), draw)] }),
  (ledger, draw, run) => drop(ledger, run, { question: id("Q", draw), reason: draw.of(TEXTS) }),
  (ledger, _draw, run, files) => openIn(ledger, run, files),
  (ledger, _draw, run, files) => openIn(ledger, run, files),
  (ledger, draw, run) => {
    const cycle = ledger.draft.cycles.findLast(({ sourceRun }) => sourceRun === run.run.manifest);
    if (cycle === undefined) return;
    const rows = WORKERS.filter(() => draw.below(4) > 0)
      .map((worker) => rowOf(worker, draw, run, cycle.recordId));
    settleIn(ledger, run, ...rows);
  },
  (ledger, draw, run) =>
    recover(ledger, run, {
      failure: ledger.draft.unrecoveredFailures[0] ?? id("FL", draw),
      choice: draw.of(["retry", "retry", "reduce", "replace"]),
    }),
  (ledger, draw, run) => {
    const findings = Array.from(
      { length: draw.below(4) },
      (_, i) =>
        finding(`F-00${i + 1}`, draw.of(CLASSES), {
          summary: `${draw.of(TEXTS)} ${id("C", draw)}`,
        }),
    );
    closeIn(ledger, run, findings);
  },
  (ledger, draw, run) => {
    const [question = id("Q", draw)] = ledger.draft.pendingForParticipants;
    const worker = ledger.draft.question(question)?.to ?? "alpha";
    const tries = ledger.draft.failures.filter(({ questionId }) => questionId === question).length;
    const { invocationId } = questionNames(run.run, question, worker, tries);
    const made = row(worker, draw.of(["completed", "error"]), {
      kind: "discussion-question",
      invocationId,
      dispatchId: `${invocationId}:attempt-1`,
      workerResultPath: `${invocationId}.md`,
    });
    const read = () => ({
      ...sourcesOf({ workerDispatches: [made] }),
      readResult: () => draw.of(TEXTS),
    });
    collectAnswer(ledger, run, read, question);
  },
  (ledger, draw, run) => {
    if (draw.below(3) > 0) return;
    const { recordsDigest: draftVersion } = ledger.draft;
    complete(ledger, run, { draftVersion, contentPath: (id) => `revisions/${id}.md` });
  },
  (ledger, draw, run) => reopen(ledger, run, { reason: draw.of(TEXTS) }),
];
