import { OkstraError } from "@okstra/manifest-io/errors";
import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  sourceRunOf,
} from "./context.ts";
import { USER } from "./reserved-authors.ts";
import type { Ledger } from "./ledger.ts";
import { requireText } from "./require-text.ts";

/** Why a completed discussion goes on. */
export interface ReopenInput {
  readonly reason: string;
  /** The revision that is reopened; the completed one if left out. */
  readonly revision?: string | undefined;
}

/**
 * Opens a completed discussion again; all earlier records stay in force.
 *
 * @throws {OkstraError} `not-completed`, `other-revision`, `blank-text` or `record-conflict`
 */
export function reopen(ledger: Ledger, context: Context, input: ReopenInput): Outcome<
  RecordPayload & { readonly basedOn: { readonly revisionId: string; readonly reason: string } }
> {
  const { completedRevision, basedOn } = ledger.draft;
  const reason = requireText("reason", input.reason);
  const standing = completedRevision ?? basedOn?.revisionId;
  if (standing === undefined) {
    throw new OkstraError("not-completed", "Cannot reopen the discussion: it is not completed", {
      hint: "it is open; see how to go on: okstra-discussion status",
    });
  }
  const revisionId = input.revision ?? standing;
  if (revisionId !== standing) {
    throw new OkstraError(
      "other-revision",
      `Cannot reopen ${JSON.stringify(revisionId)}: the latest completed revision is ${standing}`,
      { hint: "leave out --revision" },
    );
  }
  if (completedRevision === null && basedOn?.reason !== reason) {
    throw new OkstraError(
      "not-completed",
      `Cannot reopen ${revisionId}: it was reopened already (${basedOn?.recordId})`,
      { hint: "it is open; see how to go on: okstra-discussion status" },
    );
  }
  const appended = ledger.append({
    kind: "reopen",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: { revisionId, reason },
  });
  return answerRecord(appended, ledger.draft, context, { basedOn: { revisionId, reason } });
}
