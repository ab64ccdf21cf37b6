import { stat, SystemError } from "@okstra/kit/host";
import { formatTime } from "@okstra/manifest-io/time";
import { dirname } from "@std/path";
import { findPromptWord } from "../prompt-word.ts";
import { RefusedRunError, type RunContext, type RunWords, trimmed } from "../run-request.ts";
import { refuseSidecar } from "../sidecar-content.ts";
import { identifyWrapper } from "./process-facts.ts";
import { isWorkedOn } from "./run-record.ts";
import { readSidecar, writeSidecar } from "./sidecar.ts";

/**
 * Leaves a terminal sidecar where the prompt is known, so that nobody waits for a worker that never started (W-015).
 *
 * The sidecar of a wrapper that still works, or of another dispatch, stays as it is.
 */
export function recordRefusal(
  error: RefusedRunError,
  words: RunWords,
  context: RunContext & { now(): Date },
): void {
  const { promptPath } = error;
  const variable = (name: string) =>
    words.positionals.length > 0 ? trimmed(context.env(name)) : null;
  const dispatchId = variable("OKSTRA_DISPATCH_ID");
  if (promptPath === null || isTaken(promptPath, dispatchId)) return;
  const attempt = Number(variable("OKSTRA_ATTEMPT") ?? 1);
  const reason = error.issues.length === 0
    ? error.message
    : `${error.message}: ${error.issues.map((issue) => issue.message).join("; ")}`;
  const basis = {
    dispatchId,
    workerId: variable("OKSTRA_WORKER_ID"),
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1,
    sessionId: trimmed(words.options["session-id"]),
    promptPath,
    promptDigest: null,
    completionPaths: [],
    argv: [],
    cwd: null,
    envNames: [],
    ...identifyWrapper(),
    mark: null,
  };
  try {
    if (stat(dirname(promptPath))?.kind !== "directory") return;
    writeSidecar(refuseSidecar(basis, reason, formatTime(context.now())));
  } catch {
    // The refusal itself is what has to be told; it goes to standard error and into the exit status.
  }
}

/**
 * Records the refusal of words that could not be taken apart, as {@linkcode recordRefusal} does; returns the exit status.
 */
export function refuseWords(
  words: readonly string[],
  message: string,
  context: RunContext & { now(): Date },
): number {
  const { prompt, positionals } = findPromptWord(words);
  const isKnown = prompt !== null && !prompt.includes("\ufffd");
  const error = new RefusedRunError([message], isKnown ? context.absolute(prompt) : null);
  recordRefusal(error, { positionals, command: [], options: {} }, context);
  return error.exitCode;
}

/** Returns a reader of variables to which one that is not UTF-8 is a refused argument. */
export function refusingEnv(env: RunContext["env"]): RunContext["env"] {
  return (name) => {
    try {
      return env(name);
    } catch (error) {
      if (!(error instanceof SystemError) || error.code !== "EILSEQ") throw error;
      throw new RefusedRunError([`${name} is not UTF-8`], null, error.hint);
    }
  };
}

function isTaken(promptPath: string, dispatchId: string | null): boolean {
  const owner = readSidecar(promptPath)?.dispatchId ?? null;
  return (owner !== null && owner !== dispatchId) || isWorkedOn(promptPath);
}
