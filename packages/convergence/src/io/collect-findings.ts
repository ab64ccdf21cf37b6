import { stat } from "@okstra/kit/host";
import { formatCommand, quoteWord } from "@okstra/kit/command-line";
import { OkstraError } from "@okstra/manifest-io/errors";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readDocument } from "@okstra/manifest-io/io/document";
import { recordPath, type Run } from "@okstra/manifest-io/io/run";
import { digestJson } from "@okstra/manifest-io/digest";
import {
  type ConvergenceGroups,
  convergenceGroups,
} from "@okstra/manifest-io/schemas/convergence-groups";
import { teamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { count } from "../count.ts";
import { buildGroups, type RosterRow, type WorkerFindings } from "../build-groups.ts";
import { type AnswerProblem, type InvalidText, toIssue } from "../collect-results.ts";
import { type ParsedFinding, parseFindingText } from "../finding-text.ts";
import { findInitialResults } from "../initial-results.ts";
import { resolveWorker } from "../names.ts";
import { findNearPlaces } from "../near-places.ts";
import { parsePair } from "../outcome-options.ts";
import { tryWorkerText } from "./answers.ts";
import { writeProduct } from "./documents.ts";
import { type Place, runFields } from "./place.ts";
import { readRepeatable, tellRepeat } from "./repeat.ts";
import { readWork } from "./rounds.ts";

/** Which results are collected and which findings are one. */
export interface FindingsInput {
  /** Values of `--result`. */
  readonly results: readonly string[];
  /** Values of `--absent`. */
  readonly absent: readonly string[];
  /** Values of `--join`. */
  readonly joins: readonly string[];
  /** What becomes of a worker whose result does not parse: refuse all, or go on without it. */
  readonly onInvalid: "refuse" | "absent";
  /** Makes a path of the command line absolute. */
  readonly resolve: (path: string) => string;
}

/**
 * Collects the findings of the run's analysers into groups.
 *
 * @throws {OkstraError} `bad-findings` with every problem of every result, `missing-results`, `bad-join`,
 * `still-running`, `two-results`, or `seeded` if a convergence runs with other groups
 */
export function collectFindings(place: Place, input: FindingsInput) {
  const { run } = place;
  if (run === null) {
    throw new OkstraError("no-run", "Cannot collect findings: their roster is that of a run", {
      hint: "give --run-manifest PATH, or set OKSTRA_RUN",
    });
  }
  const workers = readRoster(run), found = findResults(run, workers, input);
  const reports: WorkerFindings[] = [], invalid: InvalidText[] = [];
  for (const [worker, path] of found.paths) {
    const { findings, problems } = readFindings(place, path);
    if (problems.length > 0) invalid.push({ worker, problems });
    else reports.push({ worker, resultPath: recordPath(run.projectRoot, path), findings });
  }
  if (invalid.length > 0 && input.onInvalid === "refuse") {
    throw badFindings(place, invalid, found, input.joins);
  }
  const joins = input.joins;
  const isLeftOut = (name: string) => invalid.some(({ worker }) => worker === name);
  const absent = workers.map(({ worker }) => worker)
    .filter((worker) => found.absent.includes(worker) || isLeftOut(worker));
  const groups = buildGroups({ taskKey: run.taskKey, workers, reports, absent, joins });
  requireUnseeded(place, groups);
  const path = place.file("groups");
  writeProduct(convergenceGroups, path, groups);
  const status = {
    action: "collected",
    path,
    ...runFields(place),
    workers: workers.map(({ worker }) => ({
      worker,
      findings: reports.find((row) => row.worker === worker)?.findings.length ?? null,
    })),
    absent,
    invalid: readRepeatable(place, INITIAL_KIND, invalid),
    findings: groups.groups.length,
    near: findNearPlaces(groups.groups),
  };
  return { status, document: groups };
}

function readFindings(
  place: Place,
  path: string,
): { readonly findings: readonly ParsedFinding[]; readonly problems: readonly AnswerProblem[] } {
  const answer = tryWorkerText(place, path, "worker result");
  if (!("unreadable" in answer)) return parseFindingText(answer.text);
  return { findings: [], problems: [{ line: null, column: null, message: answer.unreadable }] };
}

function readRoster(run: Run): readonly RosterRow[] {
  const analysers = run.manifest.workerAssignments.filter(({ role }) => role === "analyser");
  if (analysers.length > 0) {
    return analysers.map(({ workerId, provider }) => ({ worker: workerId, provider }));
  }
  throw new OkstraError("no-analyser", "Cannot collect findings: the run has no analyser", {
    hint: "prepare a run with one: okstra-manifest-io prepare --worker ID,role=analyser",
  });
}

function findResults(run: Run, workers: readonly RosterRow[], input: FindingsInput) {
  const roster = new Set(workers.map(({ worker }) => worker));
  const require = (option: string, name: string): string => {
    const worker = resolveWorker(roster, name);
    if (worker !== null) return worker;
    throw new OkstraError(
      "unknown-worker",
      `Cannot take ${option} for ${name}: it is no analyser`,
      {
        hint: `the run has ${[...roster].join(", ")}`,
      },
    );
  };
  const absent = new Set(input.absent.map((name) => require("--absent", name)));
  const named = new Map<string, string>();
  for (const given of input.results) {
    const [name, path] = parsePair("--result", given), worker = require("--result", name);
    if (named.has(worker) || absent.has(worker)) {
      const state = named.has(worker) ? "it is given twice" : "--absent names it too";
      throw new OkstraError("bad-pair", `Cannot take --result for ${name}: ${state}`, {
        hint: "name each worker once, in --result or in --absent",
      });
    }
    named.set(worker, input.resolve(path));
  }
  const open = [...roster].filter((worker) => !absent.has(worker) && !named.has(worker));
  const recorded = open.length === 0 ? new Map<string, string>() : findInitialResults({
    team: readDocument(teamState, run.at(run.manifest.teamStatePath)),
    attempts: () => listAttempts(run),
  }, open);
  const missing = open.filter((worker) => !recorded.has(worker));
  if (missing.length > 0) {
    throw new OkstraError(
      "missing-results",
      `Cannot collect findings: no result of ${missing.join(", ")} is on record`,
      {
        hint: missing.map((worker) => `okstra-dispatch why --worker ${quoteWord(worker)}`)
          .join("; or: ") +
          `; or go on without: ${collectCommand(named, absent, missing, input.joins)}`,
      },
    );
  }
  const paths = [...roster].filter((worker) => !absent.has(worker)).map((worker) =>
    [worker, named.get(worker) ?? run.at(recorded.get(worker)!)] as const
  );
  return {
    absent: [...roster].filter((worker) => absent.has(worker)),
    named,
    paths: new Map(paths),
  };
}

function badFindings(
  place: Place,
  invalid: readonly InvalidText[],
  { absent, named, paths }: ReturnType<typeof findResults>,
  joins: readonly string[],
): OkstraError {
  const issues = invalid.flatMap(({ worker, problems }) =>
    problems.map((problem) => toIssue(worker, paths.get(worker), problem))
  );
  const message = `Cannot collect findings: ${count(issues.length, "problem")}`;
  const without = collectCommand(named, absent, invalid.map(({ worker }) => worker), joins);
  const after = place.run?.taskType === "discussion" ? ["okstra-discussion settle"] : [];
  const hint = invalid.some(({ worker }) => named.has(worker))
    ? `correct the file that --result names; or go on without: ${without}`
    : tellRepeat(place, INITIAL_KIND, invalid, after, without);
  return new OkstraError("bad-findings", message, { issues, hint });
}

/** Formats the command that collects the same without some workers. */
function collectCommand(
  named: ReadonlyMap<string, string>,
  absent: Iterable<string>,
  without: readonly string[],
  joins: readonly string[],
): string {
  const words = [
    ...[...named].filter(([worker]) => !without.includes(worker))
      .flatMap(([worker, path]) => ["--result", `${worker}=${path}`]),
    ...[...absent, ...without].flatMap((worker) => ["--absent", worker]),
    ...joins.filter((join) => !namesOneOf(without, join)).flatMap((join) => ["--join", join]),
  ];
  return formatCommand(["okstra-convergence", "collect-findings", ...words]);
}

function namesOneOf(workers: readonly string[], join: string): boolean {
  const known = new Set(workers);
  return join.split(",").some((part) => {
    const name = part.trim();
    return resolveWorker(known, name.slice(0, Math.max(name.lastIndexOf(":"), 0))) !== null;
  });
}

// Once seeded, the groups are frozen: their digest is in the work state.
function requireUnseeded(place: Place, groups: ConvergenceGroups): void {
  if (stat(place.file("work-state")) === null) return;
  if (readWork(place).groupsDigest === digestJson(groups)) return;
  throw new OkstraError(
    "seeded",
    "Cannot collect findings: the convergence was seeded with other groups",
    { hint: "a changed artifact is a new run" },
  );
}
