import { type Call, resolveRunPath, stripControl } from "@okstra/kit/cli";

/** Returns how long a command waits for a lock, in milliseconds. */
export const lockTimeoutMs = (values: { "lock-timeout": number }) => values["lock-timeout"] * 1000;

/** Returns what a change is bound to and how long it waits. */
export const updateOptions = (
  values: { "if-revision": number | undefined; "lock-timeout": number },
) => ({ ifRevision: values["if-revision"], lockTimeoutMs: lockTimeoutMs(values) });

/** Opens the run that a call names, and says on standard error what was noticed. */
export async function openRunOf(call: Call<{ "run-manifest": string | undefined }>) {
  const path = await resolveRunPath(call);
  const { openRun } = await import("../io/run.ts");
  const run = openRun(path);
  if (run.remark !== null) call.io.err(`okstra-manifest-io: note: ${stripControl(run.remark)}\n`);
  return run;
}
