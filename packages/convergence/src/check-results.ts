import { isSameTask } from "@okstra/manifest-io/task-key";
import type { Issue } from "@okstra/manifest-io/errors";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { type CheckedOutcome, checkOutcomes, collectIssues, isObject } from "./checks.ts";
import type { Report } from "./checks.ts";
import { resolveWorker } from "./names.ts";
import { digestState } from "./digests.ts";
import { nextRound } from "./stage.ts";
import { INVALID_STATUS, SCHEMA_VERSION } from "./vocabulary.ts";
import { checkVote, show } from "./votes.ts";

/** Lists why a plan is not one that the work state's next round can be applied by; empty if it is. */
export function checkPlan(work: ConvergenceWork, plan: ConvergencePlan): readonly Issue[] {
  const { issues, report } = collectIssues(), next = nextRound(work);
  if (!isSameTask(plan.taskKey, work.taskKey)) {
    report(["taskKey"], `the plan is of task ${plan.taskKey}, the work state of ${work.taskKey}`);
  }
  if (next.skippedReason !== null) {
    report(["round"], `no round is left to apply (${next.skippedReason})`);
  } else if (plan.round !== next.round) {
    report(["round"], `the plan is of round ${plan.round}, the next round is ${next.round}`);
  }
  if ((plan.skippedReason ?? null) !== null) {
    report(["skippedReason"], `the plan skips round ${plan.round} (${plan.skippedReason})`);
  }
  if (plan.workStateDigest !== digestState(work)) {
    report(["workStateDigest"], "the plan is stale: the work state changed after it was made");
  }
  if (issues.length > 0) return issues;
  checkAssignments(next.assignments, plan, report);
  return issues;
}

// A plan may have been cut by hand, never extended: what nobody may be asked must not be voted on.
function checkAssignments(
  expected: readonly { readonly worker: string; readonly findingIds: readonly string[] }[],
  plan: ConvergencePlan,
  report: Report,
): void {
  const allowed = new Map(expected.map((row) => [row.worker, new Set(row.findingIds)]));
  const seen = new Set<string>();
  plan.dispatches.forEach(({ worker, findingIds }, i) => {
    const path = ["dispatches", i];
    if (seen.has(worker)) report([...path, "worker"], `the plan names ${worker} twice`);
    seen.add(worker);
    const ids = findingIds ?? [];
    const foreign = ids.filter((id) => !allowed.get(worker)?.has(id));
    if (foreign.length === 0) return;
    report([...path, "findingIds"], `${worker} is not to be asked about ${foreign.join(", ")}`);
  });
}

/** Lists everything that is wrong with round results made by a plan; empty if they can be applied. */
export function checkResults(plan: ConvergencePlan, value: unknown): readonly Issue[] {
  const { issues, report } = collectIssues();
  if (!isObject(value)) {
    report([], "the document is not an object");
    return issues;
  }
  if (value["schemaVersion"] !== SCHEMA_VERSION) {
    const found = show(value["schemaVersion"]);
    report(["schemaVersion"], `schemaVersion is ${found}, not "${SCHEMA_VERSION}"`);
  }
  if (value["round"] !== plan.round) {
    report(
      ["round"],
      `the results are of round ${show(value["round"])}, the plan of ${plan.round}`,
    );
  }
  const planDigest = value["planDigest"];
  if (planDigest !== undefined && planDigest !== digestState(plan)) {
    report(["planDigest"], "the results were collected by another plan");
  }
  const planned = new Map(
    plan.dispatches.map((row) => [row.worker, new Set(row.findingIds ?? [])]),
  );
  const roster = new Set(planned.keys());
  const resolve = (name: string) => resolveWorker(roster, name);
  const stranger = "was not asked in this plan";
  const outcomes = checkOutcomes(
    value["dispatches"],
    ["dispatches"],
    { resolve, stranger },
    report,
  );
  for (const worker of roster) {
    if (outcomes.some((row) => row.worker === worker)) continue;
    report(["dispatches"], `${worker}: dispatches says nothing about it`);
  }
  const voted = checkVotes(value["votesByFinding"], planned, resolve, report);
  checkCompleteness(outcomes, planned, voted, report);
  return issues;
}

type VotedBy = ReadonlyMap<string, ReadonlySet<string>>;

function checkVotes(
  value: unknown,
  planned: ReadonlyMap<string, ReadonlySet<string>>,
  resolve: (name: string) => string | null,
  report: Report,
): VotedBy {
  const voted = new Map<string, Set<string>>();
  if (!isObject(value)) {
    report(["votesByFinding"], "votesByFinding is not an object");
    return voted;
  }
  for (const findingId of Object.keys(value)) {
    const votes = value[findingId], path = ["votesByFinding", findingId];
    if (!isObject(votes)) {
      report(path, `${findingId}: its votes are not an object`);
      continue;
    }
    for (const name of Object.keys(votes)) {
      const worker = resolve(name);
      const fault = (message: string, field = "") =>
        report(
          [...path, name, ...field === "" ? [] : [field]],
          `${findingId}, ${name}: ${message}`,
        );
      if (worker === null || !planned.get(worker)!.has(findingId)) {
        fault("the plan did not ask for this vote");
        continue;
      }
      const ids = voted.get(worker) ?? new Set();
      if (ids.has(findingId)) fault("the worker votes twice");
      voted.set(worker, ids.add(findingId));
      for (const { field, message } of checkVote(votes[name])) fault(message, field);
    }
  }
  return voted;
}

function checkCompleteness(
  outcomes: readonly CheckedOutcome[],
  planned: ReadonlyMap<string, ReadonlySet<string>>,
  voted: VotedBy,
  report: Report,
): void {
  for (const { worker, status, index } of outcomes) {
    const path = ["dispatches", index], votes = voted.get(worker) ?? new Set();
    if (status === INVALID_STATUS && votes.size > 0) {
      report(path, `${worker}: its answer was invalid, so it has no votes`);
    }
    if (status !== "completed") continue;
    for (const id of planned.get(worker) ?? []) {
      if (!votes.has(id)) report(path, `${id}, ${worker}: it completed without a vote`);
    }
  }
}
