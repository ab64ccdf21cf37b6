import { type Call, readInput, resolveRunPath, stripControl, UsageError } from "@okstra/kit/cli";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import type { PlanVerb } from "../start-hint.ts";
import { lockTimeoutMs } from "./options.ts";

interface PlanValues {
  readonly worker: string[];
  readonly batch: string | undefined;
  readonly "jobs-file": string | undefined;
  readonly "dispatch-kind": string | undefined;
  readonly "enable-report-writer": boolean;
  readonly "idle-timeout": number | undefined;
  readonly "total-timeout": number | undefined;
}

const namedFile = (call: Call<PlanValues>, name: "batch" | "jobs-file") => {
  const given = call.values[name];
  if (given === undefined) return null;
  return {
    given,
    path: given === "-" ? given : call.path(given),
    readStdin: () => readInput(call, "-"),
  };
};

/** What a call asks to be dispatched. */
export const dispatchRequest = (call: Call<PlanValues>, verb: PlanVerb) => ({
  verb,
  workerIds: call.values.worker,
  batch: namedFile(call, "batch"),
  jobsFile: checkOneFile(call.values, namedFile(call, "jobs-file")),
  dispatchKind: call.values["dispatch-kind"]?.trim() || null,
  isReportWriterEnabled: call.values["enable-report-writer"],
  idleTimeoutSeconds: call.values["idle-timeout"] ?? null,
  totalTimeoutSeconds: call.values["total-timeout"] ?? null,
});

function checkOneFile<T>(values: PlanValues, file: T): T {
  if (values.batch === undefined || values["jobs-file"] === undefined) return file;
  throw new UsageError("--batch and --jobs-file cannot be given together");
}

interface SurroundingCall {
  readonly io: Call["io"];
  readonly values: object;
}

/** What a command takes from the process that it is part of. */
export const surroundings = ({ io, values }: SurroundingCall) => ({
  now: () => io.now(),
  env: (name: string) => io.env(name),
  environment: () => io.environment(),
  say: (line: string) => io.err(`${stripControl(line)}\n`),
  lockTimeoutMs: lockTimeoutMs(values),
  screen: null,
});

/** As {@linkcode surroundings}, for a command that a person may watch. */
export const watchedSurroundings = (call: SurroundingCall) => {
  const { io } = call, isDumb = (io.env("TERM") ?? "dumb") === "dumb";
  if (!io.isTerminal(2) || isDumb) return surroundings(call);
  return { ...surroundings(call), screen: { write: io.err, size: io.terminalSize } };
};

/** Finds the run of a call, and loads what commands do. */
export const openRun = async (call: Call) => ({
  path: await resolveRunPath(call),
  ...await import("../io/commands.ts"),
});

/** Prints what a wait came to, and returns the exit status that says so too. */
export const tell = async (
  { json, values }: Pick<Call<{ readonly "fail-on-violation": boolean }>, "json" | "values">,
  summary: AwaitSummary,
): Promise<number> => {
  const { summaryExitCode } = await import("../summary.ts");
  json(summary);
  return summaryExitCode(summary, values["fail-on-violation"]);
};

/** Files that whoever plans reads, for help. */
export const RUN_FILES = [
  "the run manifest, team state, active run context and providers of the run",
  "the batch or jobs file, instructions, prompts and invocation metadata",
];
/** Files that whoever starts or settles writes, for help. */
export const WRITTEN_FILES = [
  "prompts and metadata that are not there yet",
  "team state, execution manifest, lead events, holds of providers",
  "<prompt>.launch-<n>: who carries an attempt out; <prompt>.surface-<n>.sh: its start in cmux",
  "<file>.before-<n>: status, log and results of an earlier attempt",
];
/** What exit status 1 of a wait means, for help. */
export const WORKERS_FAILED =
  "an awaited worker did not complete; the summary on standard output says why";
