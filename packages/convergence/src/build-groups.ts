import { OkstraError } from "@okstra/manifest-io/errors";
import type {
  ConvergenceGroup,
  ConvergenceGroups,
} from "@okstra/manifest-io/schemas/convergence-groups";
import type { EvidenceItem, ParsedFinding } from "./finding-text.ts";
import { resolveWorker } from "./names.ts";
import { SCHEMA_VERSION } from "./vocabulary.ts";

/** A worker of the roster. */
export interface RosterRow {
  readonly worker: string;
  readonly provider: string;
}

/** The findings of one worker, in the order of its result. */
export interface WorkerFindings {
  readonly worker: string;
  readonly resultPath: string;
  readonly findings: readonly ParsedFinding[];
}

/** What groups are made from. */
export interface GroupInput {
  readonly taskKey: string;
  readonly workers: readonly RosterRow[];
  /** Results of the workers, in any order. */
  readonly reports: readonly WorkerFindings[];
  /** Workers of the roster that have no result. */
  readonly absent: readonly string[];
  /** Values of `--join`: findings that are one, as `<worker>:<local id>`, comma-separated. */
  readonly joins: readonly string[];
}

interface Member {
  readonly worker: string;
  readonly resultPath: string;
  readonly finding: ParsedFinding;
}

/**
 * Numbers the findings of all workers in roster order, then in the order of each result, and joins those that a caller
 * says are one.
 *
 * @throws {OkstraError} `bad-join`
 */
export function buildGroups(input: GroupInput): ConvergenceGroups {
  const roster = input.workers.map(({ worker }) => worker);
  const members = roster.flatMap((worker) =>
    input.reports.filter((report) => report.worker === worker).flatMap((report) =>
      report.findings.map((finding): Member => ({
        worker,
        resultPath: report.resultPath,
        finding,
      }))
    )
  );
  const joined = readJoins(input.joins, members, roster);
  const groups: ConvergenceGroup[] = [], done = new Set<Member>();
  for (const member of members) {
    if (done.has(member)) continue;
    const same = joined.get(member) ?? [member];
    for (const other of same) done.add(other);
    groups.push(toGroup(`F-${String(groups.length + 1).padStart(3, "0")}`, same, roster));
  }
  const absent = roster.filter((worker) => input.absent.includes(worker));
  return {
    schemaVersion: SCHEMA_VERSION,
    taskKey: input.taskKey,
    workers: input.workers.map(({ worker, provider }) => ({ worker, provider })),
    ...(absent.length > 0 ? { absentWorkers: absent } : {}),
    groups,
  };
}

// Every joined member → all that are one with it, in roster and file order. Joins that share a member are one.
function readJoins(
  joins: readonly string[],
  members: readonly Member[],
  roster: readonly string[],
): ReadonlyMap<Member, readonly Member[]> {
  const known = new Set(roster), joined = new Map<Member, Set<Member>>();
  const byName = new Map(members.map((row) => [`${row.worker}:${row.finding.localId}`, row]));
  for (const join of joins) {
    const same = new Set<Member>();
    for (const member of readJoin(join, byName, known)) {
      for (const other of joined.get(member) ?? [member]) same.add(other);
    }
    for (const member of same) joined.set(member, same);
  }
  const order = new Map(members.map((member, i) => [member, i]));
  const sorted = new Map([...new Set(joined.values())].map((same) => [
    same,
    [...same].sort((a, b) => order.get(a)! - order.get(b)!),
  ]));
  return new Map([...joined].map(([member, same]) => [member, sorted.get(same)!]));
}

function readJoin(
  join: string,
  byName: ReadonlyMap<string, Member>,
  roster: ReadonlySet<string>,
): ReadonlySet<Member> {
  const refuse = (state: string) =>
    new OkstraError("bad-join", `Cannot join ${JSON.stringify(join)}: ${state}`, {
      hint: "write it as --join <worker>:F-001,<worker>:F-002, with the ids of the results",
    });
  const found = new Set<Member>();
  for (const name of join.split(",").map((part) => part.trim())) {
    const at = name.lastIndexOf(":"),
      worker = resolveWorker(roster, name.slice(0, Math.max(at, 0)));
    const member = at < 0 ? undefined : byName.get(`${worker}:${name.slice(at + 1)}`);
    if (member === undefined) throw refuse(`no result has a finding ${JSON.stringify(name)}`);
    if (found.has(member)) throw refuse(`it names ${name} twice`);
    found.add(member);
  }
  if (found.size < 2) throw refuse("it names fewer than two findings");
  return found;
}

function toGroup(
  findingId: string,
  members: readonly Member[],
  roster: readonly string[],
): ConvergenceGroup {
  const { worker, finding } = members[0]!;
  const workers = new Set(members.map((member) => member.worker));
  return {
    findingId,
    ...(finding.title === "" ? {} : { title: finding.title }),
    summary: finding.summary,
    category: finding.category,
    ticketIds: [...new Set(members.flatMap((member) => member.finding.ticketIds))],
    originEvidence: finding.evidence.map(({ excerpt }) => excerpt).join("\n"),
    evidenceArtifacts: uniqueEvidence(members.flatMap((member) => member.finding.evidence)),
    originWorker: worker,
    discoveredBy: roster.filter((name) => workers.has(name)),
    sources: members.map((member) => ({
      worker: member.worker,
      localId: member.finding.localId,
      resultPath: member.resultPath,
      line: member.finding.line,
    })),
  };
}

function uniqueEvidence(items: readonly EvidenceItem[]): ConvergenceGroup["evidenceArtifacts"] {
  const byText = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...byText.values()].map(({ path, locator, excerpt }) => ({ path, locator, excerpt }));
}
