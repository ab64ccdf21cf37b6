import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { Report } from "./checks.ts";
import { digestState } from "./digests.ts";
import { makeFinalState, recoverWork } from "./final-state.ts";
import { show } from "./votes.ts";

const DIGESTS = ["groupsDigest", "workStateDigest"] as const;

/**
 * Checks that a final state is what `finalize` makes of the work state that it names, to the last text.
 *
 * A state that names none was written by hand, so that nothing but the other rules can be said of it.
 *
 * @param state a final state that keeps every other rule
 */
export function checkOrigin(state: Readonly<Record<string, unknown>>, report: Report): void {
  const missing = DIGESTS.filter((name) => !Object.hasOwn(state, name));
  if (missing.length === DIGESTS.length) return;
  for (const name of missing) {
    report([name], `${name} is missing beside ${DIGESTS.find((other) => other !== name)}`);
  }
  if (missing.length > 0) return;
  const origin = findOrigin(state as ConvergenceState), found = state["workStateDigest"];
  if (origin === null || origin.digest !== found) {
    return report(["workStateDigest"], `the content is not that of the work state ${show(found)}`);
  }
  const right = makeFinalState(origin.work, origin.digest) as Readonly<Record<string, unknown>>;
  for (const name of new Set([...Object.keys(state), ...Object.keys(right)])) {
    if (isSame(state[name], right[name])) continue;
    report([name], `${name} is ${show(state[name])}, but finalize writes ${show(right[name])}`);
  }
}

function findOrigin(state: ConvergenceState) {
  try {
    const work = recoverWork(state);
    return { work, digest: digestState(work) };
  } catch (error) {
    // A number that has no digest stands somewhere, which no command writes.
    if (error instanceof OkstraError) return null;
    throw error;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);
}
