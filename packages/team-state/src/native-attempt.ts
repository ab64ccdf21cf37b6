import { digestJson } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf } from "@okstra/manifest-io/identity";
import { parseWritePolicy } from "@okstra/manifest-io/parse-write-policy";
import { isSameJson } from "@okstra/manifest-io/same-json";
import type {
  AttemptRecord,
  ExecutionManifest,
  InvocationRecord,
} from "@okstra/manifest-io/schemas/execution-manifest";
import type { LedgerRow } from "@okstra/manifest-io/schemas/team-state";
import type { WritePolicy } from "@okstra/manifest-io/write-policy";

/** What the execution manifest holds about a recorded dispatch. */
export interface RecordedAttempt {
  readonly attempt: AttemptRecord;
  /** Its own policy, and then those of the invocations that ran at any time since it began. */
  readonly policies: readonly [WritePolicy, ...WritePolicy[]];
}

/**
 * Finds the attempt of a recorded dispatch and what bound those who ran meanwhile.
 *
 * @throws {OkstraError} `invocation-unrecorded`, `attempt-unknown`; `policy-drift` or `enforcement-drift` if the ledger
 * and the execution manifest do not say the same
 */
export function findRecordedAttempt(execution: ExecutionManifest, row: LedgerRow): RecordedAttempt {
  const refuse = (code: string, state: string) =>
    new OkstraError(code, `Cannot close the attempt of dispatch "${row.dispatchId}": ${state}`, {
      hint: "dispatch the work anew",
    });
  const { invocations, attempts } = execution, reference = row.invocationRef ?? "";
  const invocation = invocations.find((each) => each.invocationRef === reference);
  if (invocation === undefined) {
    throw refuse(
      "invocation-unrecorded",
      `the execution manifest has no invocation "${reference}"`,
    );
  }
  if (row.writePolicyDigest !== invocation.writePolicyDigest || !isIntact(invocation)) {
    throw refuse("policy-drift", "its write policy changed since it was recorded");
  }
  if (!isSameJson(row.writeEnforcement, invocation.writeEnforcement)) {
    throw refuse(
      "enforcement-drift",
      "the enforcement of its write policy changed since it was recorded",
    );
  }
  const number = attemptOf(row);
  const attempt = attempts.find((each) =>
    each.invocationRef === reference && each.attempt === number
  );
  if (attempt === undefined) throw refuse("attempt-unknown", "it was never opened");
  const others = invocations.filter((each) =>
    each !== invocation && isIntact(each) &&
    attempts.some((other) => other.invocationRef === each.invocationRef && overlaps(other, attempt))
  );
  const policyOf = (each: InvocationRecord) =>
    parseWritePolicy(each.invocationRef, each.writePolicy);
  return { attempt, policies: [policyOf(invocation), ...others.map(policyOf)] };
}

function isIntact({ writePolicy, writePolicyDigest }: InvocationRecord): boolean {
  return digestJson(writePolicy) === writePolicyDigest;
}

/** Tells whether an attempt ran at any time since another one began. */
function overlaps(other: AttemptRecord, attempt: AttemptRecord): boolean {
  return other.finishedAt === null || other.finishedAt >= attempt.startedAt;
}

/**
 * Tells whether an attempt that has ended lets this file be linked.
 *
 * @param resultPath project-relative
 * @throws {OkstraError} `attempt-drift` if it ended with another result; `mutation-violation` or
 * `mutation-unverifiable`, with each violation, if it did not end well
 */
export function checkEnd(row: LedgerRow, attempt: AttemptRecord, resultPath: string): void {
  const name = `Cannot link "${resultPath}" to dispatch "${row.dispatchId}"`;
  if (attempt.status === "ok") {
    if (attempt.resultPath === resultPath) return;
    const state = attempt.resultPath === null ? "no result" : `the result "${attempt.resultPath}"`;
    throw new OkstraError(
      "attempt-drift",
      `${name}: its attempt ended at ${attempt.finishedAt} with ${state}`,
      { hint: "a closed attempt keeps its result; dispatch the work anew" },
    );
  }
  const { violations } = attempt.changeSummary;
  const found = Array.isArray(violations) ? violations.map(String) : [];
  const [first = `its attempt ended as "${attempt.status}"`] = found;
  const isMutation = attempt.status === "violation" || attempt.status === "unverifiable";
  throw new OkstraError(
    isMutation ? `mutation-${attempt.status}` : "attempt-failed",
    `${name}: ${
      attempt.status === "unverifiable"
        ? "it cannot be told what was changed meanwhile"
        : attempt.status === "violation"
        ? "something was changed that its write policy does not allow"
        : first
    }`,
    {
      issues: found.map((message) => ({ message })),
      hint: "okstra-manifest-io attempt list; the attempt is closed, so dispatch the work anew",
    },
  );
}
