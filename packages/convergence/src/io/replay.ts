import { stat } from "@okstra/kit/host";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { readBytes } from "@okstra/manifest-io/io/document";
import { formatJson } from "@okstra/manifest-io/json-text";
import { convergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import {
  type ConvergenceWork,
  convergenceWork,
} from "@okstra/manifest-io/schemas/convergence-work";
import { recoverWork } from "../final-state.ts";
import { listDifferences, replayConvergence, type Replayed } from "../replay.ts";
import { checkFinalState } from "../validate.ts";
import { MAX_ROUNDS } from "../vocabulary.ts";
import { readOwned } from "./documents.ts";
import { openInputs } from "./inputs.ts";
import { type Place, requireTask, runFields, type Source } from "./place.ts";

/**
 * Goes through a convergence again and compares work state and final state with what that gives; the answer is yes if `issues`
 * is empty.
 *
 * @param inputs further inputs
 * @throws {OkstraError} `not-found` if there is neither a work state nor a final state
 */
export function replay(place: Place, inputs: readonly Source[]) {
  const work = readIfThere(place, "work-state"), state = readIfThere(place, "state");
  if (work === null && state === null) {
    throw new OkstraError("not-found", "Cannot replay: there is no work state and no final state", {
      hint: "start with okstra-convergence seed",
    });
  }
  const issues: Issue[] = [];
  const recorded = work?.value ?? recoverState(state!.value, issues);
  const findInput = openInputs(place, inputs, MAX_ROUNDS);
  let replayed: Replayed | null = null;
  if (recorded !== null) {
    try {
      replayed = replayConvergence(recorded, findInput);
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      issues.push({ pointer: "", message: error.message });
      for (const issue of error.issues) issues.push(issue);
    }
  }
  if (replayed !== null) {
    if (work !== null) {
      // The number of writes is no content.
      const { revision: _, ...content } = work.value, { revision: __, ...right } = replayed.work;
      issues.push(...tell(work.path, listDifferences("the work state", content, right)));
    }
    if (state !== null) issues.push(...tell(state.path, compareState(state, replayed)));
  }
  return {
    action: replayed === null ? "not-replayed" : issues.length === 0 ? "replayed" : "differs",
    path: (state ?? work)!.path,
    ...runFields(place),
    compared: [...(work === null ? [] : ["work-state"]), ...(state === null ? [] : ["state"])],
    rounds: recorded?.rounds.length ?? null,
    finalState: replayed?.state?.finalState ?? null,
    issues,
  };
}

function readIfThere<N extends "work-state" | "state">(place: Place, name: N) {
  if (place.run === null && !place.isNamed(name)) return null;
  const source = place.source(name), { path } = source;
  if (source.bytes === null && !place.isNamed(name) && stat(path) === null) return null;
  const kind = name === "work-state" ? convergenceWork : convergenceState;
  const bytes = source.bytes ?? readBytes(kind.label, path);
  const value = readOwned(kind as typeof convergenceWork, { path, bytes }, null);
  requireTask(place, value.taskKey, kind.label, path);
  return { path, bytes, value: value as unknown as N extends "state" ? State : ConvergenceWork };
}

type State = Parameters<typeof recoverWork>[0];
type Read = { readonly path: string; readonly bytes: Uint8Array; readonly value: State };

// Without its work state a final state has to tell what it was made from.
function recoverState(state: State, issues: Issue[]): ConvergenceWork | null {
  const faults = checkFinalState(state);
  if (faults.length === 0 && state.workStateDigest !== undefined) return recoverWork(state);
  for (const fault of faults) issues.push(fault);
  if (faults.length === 0) {
    const message = "the final state does not say what it was made from";
    issues.push({ pointer: "/workStateDigest", message });
  }
  return null;
}

function compareState({ bytes, value }: Read, { state }: Replayed): readonly Issue[] {
  if (state === null) {
    return [{
      pointer: "",
      message: "there is a final state, but the inputs leave a round pending",
    }];
  }
  const issues = listDifferences("the final state", value, state);
  if (issues.length > 0 || new TextDecoder().decode(bytes) === formatJson(state)) return issues;
  return [{ pointer: "", message: "the final state has the right content in other bytes" }];
}

function tell(file: string, issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => ({ file, ...issue }));
}
