import { OkstraError } from "../errors.ts";
import type { AttemptRecord } from "../schemas/execution-manifest.ts";
import { runNames } from "../run-names.ts";
import { readExecutionManifest } from "./attempts.ts";
import { indexPrompts } from "./prompt-history.ts";
import type { Run } from "./run.ts";

/**
 * Lists the attempts of one invocation; one whose prompt is prepared and that was never begun has none.
 *
 * @throws {OkstraError} `invocation-unknown`
 */
export function listInvocationAttempts(run: Run, invocation: string): readonly AttemptRecord[] {
  const { invocations, attempts } = readExecutionManifest(run);
  if (!invocations.some((each) => each.invocationRef === invocation)) {
    const { promptsDirectory } = runNames(run.taskKey, run.taskType, run.seq);
    if (!indexPrompts(run.at(promptsDirectory)).has(invocation)) throw unknown(invocation);
  }
  return attempts.filter((row) => row.invocationRef === invocation);
}

function unknown(invocation: string): OkstraError {
  return new OkstraError(
    "invocation-unknown",
    `Cannot list the attempts of ${JSON.stringify(invocation)}: the run has no such invocation`,
    { hint: "list all attempts: okstra-manifest-io attempt list" },
  );
}
