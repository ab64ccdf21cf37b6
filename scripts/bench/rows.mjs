/** A dispatch row as the tool writes it, with what a bench has of its own. */
export function makeRow(n, own) {
  return {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    participantRef: "p/alpha",
    roleExecutionRef: "re/alpha/analyser",
    executionLabel: "alpha",
    dutyId: "analysis",
    invocationRef: `look-${n}`,
    dispatchId: `look-${n}:attempt-1`,
    assignmentRef: "initial/alpha",
    attempt: 1,
    ...own,
  };
}
