import { OkstraError } from "@okstra/manifest-io/errors";
import type { ItemIdentity } from "@okstra/manifest-io/identity";
import type { RunManifest } from "@okstra/manifest-io/schemas/run-manifest";
import {
  CURRENT_SESSION,
  type ENFORCEMENT_MODES,
  NATIVE_SESSION,
} from "@okstra/manifest-io/vocabulary";

/** How it is held that a worker got the prompt that was prepared for it. */
export type EnforcementMode = typeof ENFORCEMENT_MODES[number];

/** What decides whether a dispatch may be recorded under an enforcement mode. */
export interface GateInput {
  readonly manifest: RunManifest;
  readonly dispatchId: string;
  /** `null` for version 1. */
  readonly identity: ItemIdentity | null;
  /** Of the assignment; blank if it does not say. */
  readonly runner: string;
  readonly enforcementMode: EnforcementMode;
  /** Whether a native session may be recorded as started by the tools. */
  readonly allowNativeCore: boolean;
}

/**
 * Refuses an enforcement mode that does not go with what runs the worker.
 *
 * The link gate is for sessions native to the host, and for the session that leads; the tools' own start is for all
 * others.
 *
 * @throws {OkstraError} `runner-mismatch`
 */
export function checkRunner(input: GateInput): void {
  const { dispatchId, enforcementMode, runner } = input, isNative = runner === NATIVE_SESSION;
  const refuse = (state: string, hint: string) =>
    new OkstraError(
      "runner-mismatch",
      `Cannot record dispatch "${dispatchId}" with ${enforcementMode}: ${state}`,
      { hint },
    );
  const named = `its assignment has the runner "${runner}"`;
  if (enforcementMode === "core-pre-dispatch") {
    if (!isNative || input.allowNativeCore) return;
    throw refuse(
      `${named}, which needs host-native-spec-link-gate`,
      "use --enforcement host-native-spec-link-gate, or --allow-native-core for a lead process that started by code",
    );
  }
  if (isNative || isCurrentSessionLead(input)) return;
  throw refuse(
    `${named}, and only a ${NATIVE_SESSION} or the session that leads can be linked that way`,
    "use --enforcement core-pre-dispatch",
  );
}

/**
 * Tells whether a dispatch is one to the session that leads the run.
 *
 * Its role execution and participant say so; the runner of its assignment could be claimed for any worker.
 */
function isCurrentSessionLead({ manifest, identity }: GateInput): boolean {
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === identity?.roleExecutionRef
  );
  const participant = manifest.participantAssignments.find((row) =>
    row.participantRef === execution?.participantRef
  );
  return execution?.role === "leader" && participant?.["runner"] === CURRENT_SESSION &&
    participant["entryMode"] === CURRENT_SESSION;
}
