import type { Draft } from "./draft.ts";

/** Says in one sentence where a discussion stands and who is waited for. */
export function describePhase(draft: Draft): string {
  const list = (ids: readonly string[]) => ids.join(", ");
  const open = draft.cycles.filter(({ status }) => status === "open")
    .map(({ recordId }) => recordId);
  switch (draft.phase) {
    case "completed":
      return `The user completed the discussion with ${draft.completedRevision}.`;
    case "no-subject":
      return "The user has to confirm subject and question.";
    case "awaiting-recovery":
      return `The user has to decide about ${list(draft.unrecoveredFailures)}.`;
    case "researching":
      return `The workers of ${list(open)} are at their research.`;
    case "awaiting-user":
      return `The user has to answer ${draft.nextForUser}.`;
    case "awaiting-participant":
      return `A participant has to answer: ${list(draft.pendingForParticipants)}.`;
    case "options":
      return "Everything on record was researched; the user has to choose how to go on.";
    case "ready":
      return "A research cycle can be opened, in a run that has had none.";
  }
}
