import { areSameRefs, type CycleRow, lastClosedCycle } from "./cycles.ts";

/** Where a discussion stands. */
export type Phase =
  | "completed"
  | "no-subject"
  | "awaiting-recovery"
  | "researching"
  | "awaiting-user"
  | "awaiting-participant"
  | "options"
  | "ready";

/** What the phase is derived from. */
export interface PhaseFacts {
  readonly completedRevision: string | null;
  readonly subject: unknown;
  readonly unrecoveredFailures: readonly string[];
  readonly cycles: readonly CycleRow[];
  readonly pendingForUser: readonly string[];
  readonly pendingForParticipants: readonly string[];
  readonly inputRefs: readonly string[];
}

/** The phases by priority, each with the condition under which it is the one. */
const PHASES: readonly (readonly [Phase, (facts: PhaseFacts) => boolean])[] = [
  ["completed", (facts) => facts.completedRevision !== null],
  ["no-subject", (facts) => facts.subject === null],
  ["awaiting-recovery", (facts) => facts.unrecoveredFailures.length > 0],
  ["researching", (facts) => facts.cycles.some(({ status }) => status === "open")],
  ["awaiting-user", (facts) => facts.pendingForUser.length > 0],
  ["awaiting-participant", (facts) => facts.pendingForParticipants.length > 0],
  ["options", hasNoNewInput],
  ["ready", () => true],
];

/** Returns the first phase whose condition holds. */
export function derivePhase(facts: PhaseFacts): Phase {
  return PHASES.find(([, applies]) => applies(facts))?.[0] ?? "ready";
}

function hasNoNewInput({ cycles, inputRefs }: PhaseFacts): boolean {
  const last = lastClosedCycle(cycles);
  return last !== null && areSameRefs(last.inputRefs, inputRefs);
}
