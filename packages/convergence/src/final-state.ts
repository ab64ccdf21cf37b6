import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { chooseFinalState, countClassifications } from "./classify.ts";
import { digestState } from "./digests.ts";
import { digestProtocol } from "./protocol.ts";
import { hasRefusedGap, hasVotes, nextRound } from "./stage.ts";
import { MAX_ROUNDS, SCHEMA_VERSION } from "./vocabulary.ts";

/**
 * Returns the final state of a work state, whatever stage it is in.
 *
 * @param workStateDigest digest of what {@linkcode recoverWork} returns for it
 */
export function makeFinalState(
  work: ConvergenceWork,
  workStateDigest: string | null = null,
): ConvergenceState {
  const classifications = work.findings.map(({ classification }) => classification);
  const state: ConvergenceState = {
    schemaVersion: SCHEMA_VERSION,
    taskKey: work.taskKey,
    finalState: chooseFinalState({
      classifications,
      hasVotes: hasVotes(work.findings) || hasRefusedGap(work.coverage),
    }),
    round2SkippedReason: chooseSkipReason(work),
    workers: work.workers,
    ...(work.absentWorkers === undefined ? {} : { absentWorkers: work.absentWorkers }),
    groupsDigest: work.groupsDigest,
    rounds: work.rounds,
    findings: work.findings,
    coverage: work.coverage,
    counts: countClassifications(classifications),
  };
  return { ...state, workStateDigest: workStateDigest ?? digestState(recoverWork(state)) };
}

/**
 * Returns the work state that a final state was made from, but for its revision.
 *
 * @param state a final state whose content is well formed
 */
export function recoverWork(state: ConvergenceState): ConvergenceWork {
  const protocol = {
    taskKey: state.taskKey,
    workers: state.workers,
    ...(state.absentWorkers === undefined ? {} : { absentWorkers: state.absentWorkers }),
    groupsDigest: state.groupsDigest!,
    maxRounds: MAX_ROUNDS,
  };
  const work: ConvergenceWork = {
    schemaVersion: state.schemaVersion,
    ...protocol,
    protocolDigest: digestProtocol(protocol),
    rounds: state.rounds as ConvergenceWork["rounds"],
    round2SkippedReason: null,
    findings: state.findings,
    coverage: state.coverage,
  };
  // What follows from the work state was not stored in it; any other reason is the lead's.
  const isStored = state.round2SkippedReason !== chooseSkipReason(work);
  return isStored ? { ...work, round2SkippedReason: state.round2SkippedReason } : work;
}

function chooseSkipReason(work: ConvergenceWork): string | null {
  if (work.rounds.length >= MAX_ROUNDS) return null;
  return work.round2SkippedReason ?? nextRound(work).skippedReason;
}
