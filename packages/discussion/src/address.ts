import { OkstraError } from "@okstra/manifest-io/errors";
import { type QuestionOutcome, recordQuestion } from "./ask.ts";
import type { RunContext } from "./context.ts";
import { USER } from "./reserved-authors.ts";
import { type Ledger, refuseWithoutSubject } from "./ledger.ts";

/** A question of the user to one participant. */
export interface AddressInput {
  readonly to: string;
  readonly text: string;
}

/**
 * Records a question of the user to one participant of the run.
 *
 * @throws {OkstraError} `no-subject`, `not-a-participant`, `blank-text` or `completed`
 */
export function address(
  ledger: Ledger,
  context: RunContext,
  { to, text }: AddressInput,
): QuestionOutcome {
  refuseWithoutSubject(ledger.draft);
  refuseStranger(to, context);
  return recordQuestion(ledger, context, { author: USER, to, text });
}

/**
 * Refuses a worker that is no analyser of the run.
 *
 * @throws {OkstraError} `not-a-participant`
 */
export function refuseStranger(worker: string, { run }: RunContext): void {
  const workers = run.participants.map((participant) => participant.worker);
  if (workers.includes(worker)) return;
  throw new OkstraError(
    "not-a-participant",
    `Cannot ask ${JSON.stringify(worker)}: it is no participant of ${run.manifest}`,
    {
      hint: `ask one of ${workers.join(", ")}: okstra-discussion address --to WORKER --text TEXT`,
    },
  );
}
