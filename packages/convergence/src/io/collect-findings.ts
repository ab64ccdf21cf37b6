import { stat } from "@okstra/kit/host";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { digestJson } from "@okstra/manifest-io/digest";
import {
  type ConvergenceGroups,
  convergenceGroups,
} from "@okstra/manifest-io/schemas/convergence-groups";
import { teamState } from "@okstra/manifest-io/schemas/team-state";
import { count } from "../count.ts";
import { buildGroups, type RosterRow, type WorkerFindings } from "../build-groups.ts";
import { parseFindingText } from "../finding-text.ts";
import { findInitialResults } from "../initial-results.ts";
import { resolveWorker } from "../names.ts";
import { findNearPlaces } from "../near-places.ts";
import { parsePair } from "../outcome-options.ts";
import { tryWorkerText } from "./answers.ts";
import { writeProduct } from "./documents.ts";
import { type Place, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

/** Which results are collected and which findings are one. */
export interface FindingsInput {
  /** Values of `--result`. */
  readonly results: readonly string[];
  /** Values of `--absent`. */
  readonly absent: readonly string[];
  /** Values of `--join`. */
  readonly joins: readonly string[];
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
  const workers = readRoster(run), { absent, paths } = findResults(run, workers, input);
  const issues: Issue[] = [];
  const reports = [...paths].map(([worker, path]): WorkerFindings => {
    const answer = tryWorkerText(place, path, "worker result");
    if ("unreadable" in answer) {
      issues.push({ file: path, message: `${worker}: ${answer.unreadable}` });
      return { worker, resultPath: path, findings: [] };
    }
    const { findings, problems } = parseFindingText(answer.text);
    for (const { message, ...at } of problems) {
      issues.push({ file: path, ...at, message: `${worker}: ${message}` });
    }
    return { worker, resultPath: nameResult(run, path), findings };
  });
  if (issues.length > 0) throw badFindings(issues);
  const joins = input.joins;
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
    findings: groups.groups.length,
    near: findNearPlaces(groups.groups),
  };
  return { status, document: groups };
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
        hint: `dispatch again, name the file with --result ${missing[0]}=FILE, or go on without ` +
          `with --absent ${missing[0]}`,
      },
    );
  }
  const paths = [...roster].filter((worker) => !absent.has(worker)).map((worker) =>
    [worker, named.get(worker) ?? run.at(recorded.get(worker)!)] as const
  );
  return { absent: [...roster].filter((worker) => absent.has(worker)), paths: new Map(paths) };
}

function nameResult(run: Run, path: string): string {
  try {
    return run.relative(path);
  } catch (error) {
    // A result that a caller named elsewhere is recorded as it was given.
    if (error instanceof OkstraError && error.code === "outside") return path;
    throw error;
  }
}

function badFindings(issues: readonly Issue[]): OkstraError {
  return new OkstraError(
    "bad-findings",
    `Cannot collect findings: ${count(issues.length, "problem")}`,
    {
      issues,
      hint: "let the worker correct its result, or go on without it with --absent WORKER",
    },
  );
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
