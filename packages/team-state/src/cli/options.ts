import {
  type Call,
  mutationOptions,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";

type RunCall = Call<{ "run-manifest": string | undefined }>;
type MutationCall = Call<{
  "run-manifest": string | undefined;
  "if-revision": number | undefined;
  "lock-timeout": number;
}>;

/** Opens the run that a call names, and says on standard error what was noticed. */
export async function openRunOf(call: RunCall) {
  const { openRun } = await import("@okstra/manifest-io/io/run");
  const run = openRun(await resolveRunPath(call));
  if (run.remark !== null) call.io.err(`okstra-team-state: note: ${stripControl(run.remark)}\n`);
  return run;
}

/** Returns what a change is bound to and how long it waits. */
export const updateOptions = ({ values }: MutationCall) => ({
  ifRevision: values["if-revision"],
  lockTimeoutMs: values["lock-timeout"] * 1000,
});

/** What every command reads, for its help. */
export const reads = ["the run manifest", "its team state"];
/** What the commands write that change rows, for their help. */
export const writes = ["the team state of the run, under its lock"];
/** Options of every command that changes the document. */
export const mutation = { ...runOptions, ...mutationOptions };

/** Names a dispatch. */
export const dispatchIdOption = {
  type: "string",
  value: "ID",
  required: true,
  help: "Dispatch, as its row names it",
} as const;
