// A discussion as long discussions are: cycles of some hundred records, most of them claims that several workers judged,
// with materials, questions, answers and now and then a failure. Nothing in it is random.
import type { Ledger } from "../../packages/discussion/src/ledger.ts";

const WORKERS = ["claude", "codex", "gemini"];
const CLAIMS = 60, MATERIALS = 25, QUESTIONS = 12;
const SENTENCE =
  "The parser takes the empty input for a document, which the caller does not expect; ";

/** Appends records until there are as many as wanted; the last cycle stays open. */
export function fillLedger(ledger: Ledger, count: number): void {
  const user = { author: "user", sourceRun: "" };
  const isFull = () => ledger.lines.length >= count;
  let number = 0;
  const text = (sentences: number) => `${++number}. ${SENTENCE.repeat(sentences)}`;
  ledger.append({ kind: "subject", ...user, fields: { subject: "src", question: text(1) } });
  const first = { to: "user", text: "Is Windows in scope?", cycleId: "" };
  ledger.append({ kind: "question", author: "lead", sourceRun: "", fields: first });
  ledger.append({ kind: "answer", ...user, fields: { questionId: "Q-0001", text: "No" } });
  for (let cycle = 1; !isFull(); cycle++) {
    const cycleId = `R-${String(cycle).padStart(4, "0")}`, seq = String(cycle).padStart(3, "0");
    const directory = ".okstra/tasks/bench/of/discussion/runs/discussion";
    const sourceRun = `${directory}/manifests/run-manifest-discussion-${seq}.json`;
    const digest = ledger.draft.recordsDigest;
    for (let i = 0; i < MATERIALS && !isFull(); i++) {
      const fields = {
        materialKind: i % 5 === 0 ? "alternative" : "evidence",
        text: text(3 + i % 4),
        location: `src/file-${i}.ts:${number}`,
      } as const;
      ledger.append({ kind: "material", ...user, fields });
    }
    if (isFull()) return;
    ledger.append({
      kind: "cycle",
      author: "lead",
      sourceRun,
      fields: {
        inputRefs: [...ledger.draft.inputRefs],
        roster: WORKERS.map((worker) => ({ worker, model: `${worker}/large` })),
        instructionPath: `${directory}/prompts/discussion-research-discussion-${seq}.md`,
        instructionDigest: digest,
      },
    });
    for (const worker of WORKERS) {
      if (isFull()) return;
      const dispatch = `discussion-${cycleId.toLowerCase()}-${worker}-${seq}:attempt-1`;
      if (cycle % 4 === 0 && worker === "codex") {
        ledger.append({
          kind: "failure",
          author: worker,
          sourceRun,
          fields: {
            cycleId,
            dispatch,
            stage: "after-retries",
            attempts: 2,
            status: "timeout",
            reason: "no output for 600 seconds",
          },
        });
        const failureId = `FL-${String(cycle / 4).padStart(4, "0")}`;
        const fields = { failureId, choice: "reduce", worker, cycleId, questionId: "" } as const;
        if (isFull()) return;
        ledger.append({ kind: "recovery", ...user, fields });
      } else {
        const resultPath = `${directory}/worker-results/${worker}-worker-discussion-${seq}.md`;
        ledger.append({
          kind: "result",
          author: worker,
          sourceRun,
          fields: { cycleId, dispatch, resultPath },
        });
      }
    }
    for (let i = 0; i < CLAIMS && !isFull(); i++) {
      const verdicts = [1, 2].slice(0, 1 + i % 2).flatMap((round) =>
        WORKERS.slice(1).map((worker) => ({
          round,
          worker,
          verdict: i % 7 === 0 ? "disagree" : "agree",
          disagreeBasis: i % 7 === 0 ? "overstated" : null,
          explanation: SENTENCE.repeat(3),
        }))
      );
      const earlier = cycle > 1 && i % 10 === 0 ? ` See C-${String(i + 1).padStart(4, "0")}.` : "";
      ledger.append({
        kind: "claim",
        author: WORKERS[i % 3] as string,
        sourceRun,
        fields: {
          cycleId,
          findingId: `F-${String(i + 1).padStart(3, "0")}`,
          summary: text(4) + earlier,
          category: "correctness",
          discoveredBy: WORKERS.slice(0, 1 + i % 3),
          evidence: `src/file-${i}.ts:${i}-${i + 9}: ${text(3)}`,
          classification: i % 7 === 0 ? "contested" : "full-consensus",
          verdicts,
        },
      });
    }
    if (isFull()) return;
    ledger.append({
      kind: "close",
      author: "lead",
      sourceRun,
      fields: {
        cycleId,
        convergenceState: `${directory}/state/convergence-discussion-${seq}.json`,
        stateDigest: digest,
        finalState: "converged",
        stopReason: null,
      },
    });
    const { remainingDisagreements: settles } = ledger.draft;
    if (!isFull()) {
      ledger.append({
        kind: "decision",
        ...user,
        fields: { text: text(1), settles: [...settles] },
      });
    }
    for (let i = 0; i < QUESTIONS && !isFull(); i++) {
      const to = i % 3 === 0 ? "user" : "claude";
      const { record } = ledger.append({
        kind: "question",
        author: "lead",
        sourceRun,
        fields: { to, text: text(1), cycleId: "" },
      });
      if (isFull()) return;
      const questionId = record.recordId,
        resultPath = `${directory}/worker-results/${questionId}.md`;
      ledger.append(
        to === "user" ? { kind: "answer", ...user, fields: { questionId, text: text(1) } } : {
          kind: "answer",
          author: to,
          sourceRun,
          fields: { questionId, text: `# Answer\n\n${text(40)}\n`, resultPath },
        },
      );
    }
  }
}
