import type { Context } from "./context.ts";
import type { Draft } from "./draft.ts";
import { suggest, type Suggestion } from "./suggest-commands.ts";
import { type ClaimView, type FailureView, viewClaims, viewFailures } from "./views.ts";

/** What `status` answers. */
export interface StatusPayload extends Suggestion {
  readonly phase: string;
  readonly draftVersion: string;
  /** Number of records; what `--if-revision` compares with. */
  readonly revision: number;
  readonly completedRevision: string | null;
  readonly revisions: readonly { readonly revisionId: string; readonly contentDigest: string }[];
  readonly basedOn: { readonly revisionId: string; readonly reason: string } | null;
  /** The one question that the user is to answer now. */
  readonly nextForUser:
    | { readonly recordId: string; readonly author: string; readonly text: string }
    | null;
  readonly pendingForUser: readonly string[];
  readonly pendingForParticipants: readonly string[];
  readonly unrecoveredFailures: readonly FailureView[];
  readonly remainingDisagreements: readonly ClaimView[];
  readonly cycles: readonly {
    readonly recordId: string;
    readonly status: string;
    readonly run: string;
    readonly participants: Draft["cycles"][number]["roster"];
  }[];
}

/** Tells where a discussion stands and what can be done next. */
export function showStatus(draft: Draft, context: Context): StatusPayload {
  const next = draft.nextForUser === null ? null : draft.question(draft.nextForUser);
  const { basedOn } = draft;
  return {
    phase: draft.phase,
    draftVersion: draft.recordsDigest,
    revision: draft.recordCount,
    completedRevision: draft.completedRevision,
    revisions: draft.revisions.map(({ revisionId, contentDigest }) => ({
      revisionId,
      contentDigest,
    })),
    basedOn: basedOn === null ? null : { revisionId: basedOn.revisionId, reason: basedOn.reason },
    nextForUser: next === null
      ? null
      : { recordId: next.recordId, author: next.author, text: next.text },
    pendingForUser: draft.pendingForUser,
    pendingForParticipants: draft.pendingForParticipants,
    unrecoveredFailures: viewFailures(draft, draft.unrecoveredFailures),
    remainingDisagreements: viewClaims(draft, draft.remainingDisagreements),
    cycles: draft.cycles.map(({ recordId, status, sourceRun, roster }) => ({
      recordId,
      status,
      run: sourceRun,
      participants: roster,
    })),
    ...suggest(draft, context),
  };
}
