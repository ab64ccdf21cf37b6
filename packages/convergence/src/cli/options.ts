import {
  type Call,
  formatJsonLine,
  type Option,
  readInput,
  resolveRunPath,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import type { FileName } from "../io/place.ts";

type Values = Readonly<Record<string, unknown>>;
type RunCall = Call<{ "run-manifest": string | undefined }>;

/** Returns an option that names a document; it defaults to the run's own. */
export const file = (help: string): Option & { readonly type: "string" } => ({
  type: "string",
  value: "FILE",
  help: `${help} (default: the run's)`,
});
/** Names the groups. */
export const groupsFile = file("Findings, each once, with the roster");
/** Names the work state. */
export const workFile = file("Work state");
/** Names the plan of a round. */
export const planFile = file("Plan of the round");
/** Names the final state. */
export const stateFile = file("Final state");
/** Names the results of a round. */
export const resultsFile = file("Results of the round");
/** What commands write that apply an input, for their help. */
export const keptInput = "a copy of an input that has another name than the run's own";
/** Says why round 2 is skipped. */
export const skipReason = {
  type: "string",
  value: "TEXT",
  help: "Why round 2 is skipped although findings are contested",
} as const;
/** Says how a round asks, or that the votes on a critic's gaps are meant. */
export const modeOption = {
  type: "string",
  choices: ["adversarial", "collaborative", "coverage"],
  required: true,
  help: "Try to break each finding, check and complete it, or vote on the critic's gaps",
} as const;

/** Refuses options that belong to a round, beside a mode that is none. */
export function refuseRoundOptions(values: Values, mode: string, names: readonly string[]): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(`--${given} cannot stand beside --mode ${mode}`);
}

/**
 * Opens the place of a command's documents; the run may be left out if every document is named.
 *
 * @param findRun returns the run's manifest where neither option nor environment names it
 */
export async function openPlace(
  call: Call<Values>,
  names: Readonly<Partial<Record<FileName, string>>>,
  needsRun = false,
  findRun: () => Promise<string> = () => resolveRunPath(call as RunCall),
) {
  const { openPlace } = await import("../io/place.ts");
  const given = Object.entries(names).map(([name, option]) => {
    const path = call.values[option] as string | undefined;
    return [name, path === undefined || path === "-" ? path : call.path(path)] as const;
  });
  const isComplete = !needsRun && given.every(([, path]) => path !== undefined);
  const isGiven = call.values["run-manifest"] !== undefined || Boolean(call.io.env("OKSTRA_RUN"));
  const place = openPlace({
    runManifestPath: isGiven
      ? await resolveRunPath(call as RunCall)
      : isComplete
      ? null
      : await findRun(),
    files: Object.fromEntries(given),
    readStdin: () => readInput(call, "-"),
  });
  const remark = place.run?.remark ?? null;
  if (remark !== null) call.io.err(`okstra-convergence: note: ${stripControl(remark)}\n`);
  return place;
}

/** Returns what a change is bound to and how long it waits. */
export const updateOptions = (
  values: { "if-revision": number | undefined; "lock-timeout": number },
) => ({
  ifRevision: values["if-revision"],
  lockTimeoutMs: values["lock-timeout"] * 1000,
});

/** Prints what a command did, or the document itself if it was asked for on standard output. */
export function finish(
  call: Call<Values>,
  { status, document }: { status: { readonly path: string }; document: unknown },
): void {
  if (status.path !== "-") return call.json(status);
  call.json(document);
  call.io.err(formatJsonLine(status));
}
