import { OkstraError } from "@okstra/manifest-io/errors";
import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  sourceRunOf,
} from "./context.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import { type Ledger, refuseWithoutSubject } from "./ledger.ts";
import { requireText } from "./require-text.ts";
import { type ClaimView, viewClaims } from "./views.ts";

/** A decision of the user. */
export interface DecisionInput {
  readonly text: string;
  /** Claims and alternatives that it settles. */
  readonly settles: readonly string[];
}

/**
 * Records what the user decided; the claims that it settles are disputed no longer.
 *
 * @throws {OkstraError} `no-subject`, `cannot-settle`, `blank-text` or `completed`
 */
export function decide(
  ledger: Ledger,
  context: Context,
  input: DecisionInput,
): Outcome<RecordPayload & { readonly remainingDisagreements: readonly ClaimView[] }> {
  refuseWithoutSubject(ledger.draft);
  const settles = [...new Set(input.settles)];
  refuseOthers(ledger.draft, settles);
  const appended = ledger.append({
    kind: "decision",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: { text: requireText("decision", input.text), settles },
  });
  const { draft } = ledger;
  return answerRecord(appended, draft, context, {
    remainingDisagreements: viewClaims(draft, draft.remainingDisagreements),
  });
}

function refuseOthers(draft: Draft, ids: readonly string[]): void {
  const other = ids.filter((id) =>
    draft.claim(id) === null && draft.material(id)?.materialKind !== "alternative"
  );
  if (other.length === 0) return;
  throw new OkstraError(
    "cannot-settle",
    `Cannot settle ${other.join(", ")}: only claims and alternatives can be settled`,
    { hint: "list them: okstra-discussion show" },
  );
}
