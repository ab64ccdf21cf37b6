// A small discussion in memory, for tests of the pure rules.
import { digestBytes } from "@okstra/manifest-io/digest";
import { dispatchId } from "@okstra/manifest-io/identity";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { addMaterial } from "../src/add-material.ts";
import { closeCycle } from "../src/close-cycle.ts";
import { confirmSubject } from "../src/confirm-subject.ts";
import type { RunContext } from "../src/context.ts";
import type { DispatchSources, Row } from "../src/dispatch-rows.ts";
import { type Ledger, openLedger } from "../src/ledger.ts";
import { openCycle } from "../src/open-cycle.ts";
import { settle } from "../src/settle.ts";

export const TASK = "demo/review/src";
export const NOW = "2026-01-31T09:05:00Z";

/** A run of the discussion with the participants `alpha` and `beta`, or others. */
export function runContext(
  seq = "001",
  workers: readonly string[] = ["alpha", "beta"],
): RunContext {
  const directory = ".okstra/tasks/demo/review/src/runs/discussion";
  const manifest = `${directory}/manifests/run-manifest-discussion-${seq}.json`;
  return {
    taskKey: TASK,
    projectRoot: "/p",
    store: null,
    run: {
      manifest,
      manifestPath: `/p/${manifest}`,
      seq,
      directory,
      teamStatePath: `${directory}/state/team-state-discussion-${seq}.json`,
      convergenceStatePath: `${directory}/state/convergence-discussion-${seq}.json`,
      participants: workers.map((worker) => ({ worker, model: `lint/${worker}-1` })),
    },
  };
}

export const runA: RunContext = runContext("001");
export const runB: RunContext = runContext("002");

export function newLedger(): Ledger {
  return openLedger([], NOW);
}

/** A ledger whose subject is confirmed. */
export function subjectLedger(): Ledger {
  const ledger = newLedger();
  confirmSubject(ledger, runA, { subject: "src", question: "Which faults?" });
  return ledger;
}

/** Materials, each brought at a second of its own. */
export function materialsAt(...seconds: readonly number[]): readonly DiscussionRecord[] {
  return seconds.reduce<readonly DiscussionRecord[]>((records, second, index) => {
    const ledger = openLedger(records, `2026-01-31T09:05:${String(second).padStart(2, "0")}Z`);
    const text = `material ${index}`;
    addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: "" });
    return ledger.records;
  }, []);
}

/** The instruction files that opening cycles wrote, by path. */
export function openIn(ledger: Ledger, context: RunContext, files: Map<string, string>) {
  const outcome = openCycle(ledger, context, {
    digestFile: (path) => {
      const content = files.get(path);
      return content === undefined ? null : digestBytes(content);
    },
  });
  for (const { path, content } of outcome.files) files.set(path, content);
  return outcome.payload;
}

/** A discussion whose first cycle is open in run A. */
export function openedCycle() {
  const ledger = subjectLedger(), files = new Map<string, string>();
  const opened = openIn(ledger, runA, files);
  return { ledger, files, opened };
}

/** A discussion whose first cycle was closed in run A with these findings. */
export function closedCycle(findings: readonly unknown[] = []) {
  const world = openedCycle();
  closeIn(world.ledger, runA, findings);
  return world;
}

/** A dispatch row of a worker's research. */
export function row(worker: string, status: string, fields: Row = {}): Row {
  const invocationId = `discussion-r-0001-${worker}-001`;
  return {
    assignmentRef: `initial/${worker}`,
    kind: "initial",
    invocationId,
    dispatchId: dispatchId(invocationId, 1),
    promptPath: `/p/prompts/${worker}.md`,
    attempt: 1,
    status,
    workerResultPath: `worker-results/${worker}.md`,
    ...fields,
  };
}

export function sources(...workerDispatches: readonly Row[]): DispatchSources {
  return sourcesOf({ workerDispatches });
}

export function sourcesOf(teamState: Row): DispatchSources {
  return { teamState, attempts: () => [], recordPath: (path) => path.replace(/^\/p\//, "") };
}

/** Settles the cycle of a run: what the rows say. */
export function settleIn(ledger: Ledger, context: RunContext, ...rows: readonly Row[]) {
  return settle(ledger, context, sources(...rows), []).payload;
}

export function finding(id: string, classification: string, fields: Row = {}) {
  return {
    findingId: id,
    summary: `Fault ${id}`,
    category: "correctness",
    originEvidence: "src/a.ts:1",
    classification,
    originWorker: "alpha",
    discoveredBy: ["alpha"],
    rounds: [],
    ...fields,
  };
}

/** Closes the cycle of a run with these findings; `salt` makes the bytes of the state other ones. */
export function closeIn(
  ledger: Ledger,
  context: RunContext,
  findings: readonly unknown[],
  salt = "",
) {
  const value = {
    taskKey: TASK,
    finalState: "converged",
    round2SkippedReason: "all agree",
    findings,
  };
  return closeCycle(ledger, context, {
    readState: () => ({ value, digest: digestBytes(JSON.stringify(value) + salt) }),
    validateState: () => [],
    recordPath: (path) => path,
  }).payload;
}
