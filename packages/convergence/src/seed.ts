import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { validateShape } from "@okstra/manifest-io/document-kind";
import {
  type ConvergenceGroup,
  type ConvergenceGroups,
  convergenceGroups,
} from "@okstra/manifest-io/schemas/convergence-groups";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { count } from "./count.ts";
import { checkGroups } from "./check-groups.ts";
import { classifyFinding, tallyVotes } from "./classify.ts";
import { digestIfPossible } from "./digests.ts";
import { resolveWorker } from "./names.ts";
import { digestProtocol } from "./protocol.ts";
import { MAX_ROUNDS, SCHEMA_VERSION } from "./vocabulary.ts";

/**
 * Returns the work state that a convergence starts from: roster, number of rounds and the digest of the groups are
 * frozen in it.
 *
 * @param workerIds ids of the run's workers: a roster name that is one of them plus `-worker` is stored bare
 * @throws {OkstraError} `bad-groups`, with every problem
 */
export function seedWorkState(
  value: unknown,
  workerIds: ReadonlySet<string> = new Set(),
): ConvergenceWork {
  const groupsDigest = digestIfPossible(value);
  let issues = [...checkGroups(value)];
  if (issues.length === 0) issues = [...validateShape(convergenceGroups, value)];
  if (issues.length === 0) issues = listTwins(value as ConvergenceGroups, workerIds);
  if (issues.length === 0 && groupsDigest === null) {
    issues.push({ pointer: "", message: "a number in the groups is not a whole number" });
  }
  if (issues.length > 0) {
    throw new OkstraError(
      "bad-groups",
      `Cannot start from these groups: ${count(issues.length, "problem")}`,
      {
        issues,
        hint: "correct the groups; okstra-convergence example --kind groups shows a good document",
      },
    );
  }
  const groups = value as ConvergenceGroups;
  const workers = groups.workers.map((row) => ({
    ...row,
    worker: resolveWorker(workerIds, row.worker) ?? row.worker,
  }));
  const roster = workers.map(({ worker }) => worker), known = new Set(roster);
  const { absentWorkers } = groups;
  const protocol = {
    taskKey: groups.taskKey,
    workers,
    ...(absentWorkers === undefined
      ? {}
      : { absentWorkers: absentWorkers.map((name) => resolveWorker(known, name)!) }),
    groupsDigest: groupsDigest!,
    maxRounds: MAX_ROUNDS,
  };
  return {
    schemaVersion: SCHEMA_VERSION,
    revision: 1,
    ...protocol,
    protocolDigest: digestProtocol(protocol),
    rounds: [],
    round2SkippedReason: null,
    findings: groups.groups.map((group) => seedFinding(group, roster)),
    coverage: null,
  };
}

// A run knows `claude-worker` as `claude`: a roster with both would have one worker twice.
function listTwins({ workers }: ConvergenceGroups, workerIds: ReadonlySet<string>): Issue[] {
  const seen = new Map<string, string>();
  return workers.flatMap(({ worker }, i) => {
    const name = resolveWorker(workerIds, worker) ?? worker, twin = seen.get(name);
    seen.set(name, worker);
    if (twin === undefined) return [];
    const message = `${worker}: the run knows it and ${twin} as one worker, ${name}`;
    return [{ pointer: `/workers/${i}/worker`, message }];
  });
}

function seedFinding(group: ConvergenceGroup, roster: readonly string[]): JudgedFinding {
  const known = new Set(roster), rename = (name: string) => resolveWorker(known, name) ?? name;
  const discoveredBy = group.discoveredBy.map(rename);
  return judgeFinding(
    {
      ...group,
      originWorker: rename(group.originWorker),
      discoveredBy,
      rounds: [],
      classification: "",
      tally: { support: [], oppose: [], silent: [] },
    },
    roster,
  );
}

/** Returns a finding with the classification and tally that follow from its votes. */
export function judgeFinding(finding: JudgedFinding, roster: readonly string[]): JudgedFinding {
  const tally = tallyVotes(roster, new Set(finding.discoveredBy), finding.rounds);
  return { ...finding, tally: { ...tally }, classification: classifyFinding(tally) };
}
