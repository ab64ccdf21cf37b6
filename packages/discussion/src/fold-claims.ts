import type { Fact } from "./fact.ts";
import { findCycle, type Research } from "./fold-research.ts";
import { ownList } from "./own-list.ts";
import { parseRecordId } from "./record-ids.ts";

/** What follows for claims; plain data. */
export interface Claims {
  /** Claims of cycles that are not closed yet. */
  waiting: WaitingClaim[];
  /** Claims of closed cycles that are disputed unless they were revisited; less those that were decided. */
  disputed: DisputedClaim[];
  /** The claims of closed cycles that name an earlier claim, by that claim. */
  readonly revisits: Record<string, Revisit[]>;
  /** The claims that a decision settled. */
  readonly decided: Record<string, true>;
}

interface WaitingClaim {
  readonly recordId: string;
  readonly cycleId: string;
  readonly classification: string;
  /** The claims that its text names. */
  readonly named: readonly string[];
}

interface DisputedClaim {
  readonly recordId: string;
  readonly cycleId: string;
  readonly classification: string;
}

/** A claim that names another one. */
export interface Revisit {
  readonly recordId: string;
  readonly cycleId: string;
}

/** What a claim counts for now, which decisions and later research may have changed. */
export type Standing =
  | "decided"
  | "revisited"
  | "disputed"
  | "established"
  | "supported"
  | "single-source"
  | "refuted"
  | "withdrawn";

const STANDING_BY_CLASSIFICATION = new Map<string, Standing>([
  ["contested", "disputed"],
  ["full-consensus", "established"],
  ["partial-consensus", "supported"],
  ["worker-unique", "single-source"],
  ["refuted", "refuted"],
  ["withdrawn", "withdrawn"],
]);

/** Opens the claims of a discussion without records. */
export function openClaims(): Claims {
  return { waiting: [], disputed: [], revisits: {}, decided: {} };
}

/** Adds a fact to the claims; the cycles must know of it already. */
export function foldClaims(claims: Claims, research: Research, fact: Fact): void {
  const { kind, recordId, field } = fact;
  switch (kind) {
    case "claim": {
      const claim = {
        recordId,
        cycleId: field("cycleId") as string,
        classification: field("classification") as string,
        named: findClaimIds(field("summary") as string, field("evidence") as string),
      };
      const isClosed = (findCycle(research, claim.cycleId)?.close ?? null) !== null;
      if (isClosed) enter(claims, claim);
      else claims.waiting.push(claim);
      break;
    }
    case "close": {
      const cycleId = field("cycleId");
      for (const claim of claims.waiting) if (claim.cycleId === cycleId) enter(claims, claim);
      claims.waiting = claims.waiting.filter((claim) => claim.cycleId !== cycleId);
      break;
    }
    case "decision":
      decide(claims, field("settles") as readonly string[]);
  }
}

function decide(claims: Claims, ids: readonly string[]): void {
  for (const id of ids) {
    // A key of the table must be a name of ours; alternatives are settled too, but have no standing.
    if (parseRecordId(id)?.kind === "claim") claims.decided[id] = true;
  }
  claims.disputed = claims.disputed.filter(({ recordId }) =>
    !Object.hasOwn(claims.decided, recordId)
  );
}

function enter(claims: Claims, { recordId, cycleId, classification, named }: WaitingClaim): void {
  const isDecided = Object.hasOwn(claims.decided, recordId);
  if (plainStanding(classification) === "disputed" && !isDecided) {
    claims.disputed.push({ recordId, cycleId, classification });
  }
  for (const id of named) {
    claims.revisits[id] = [...ownList(claims.revisits, id), { recordId, cycleId }];
  }
}

/** What is known of a claim to tell its standing. */
export interface ClaimPosition {
  readonly classification: string;
  readonly isDecided: boolean;
  readonly isRevisited: boolean;
}

/**
 * Tells what a claim counts for.
 *
 * A classification that is not known counts as disputed, so that nothing is hidden that was not understood.
 */
export function standingOf({ classification, isDecided, isRevisited }: ClaimPosition): Standing {
  if (isDecided) return "decided";
  if (classification === "contested" && isRevisited) return "revisited";
  return plainStanding(classification);
}

function plainStanding(classification: string): Standing {
  return STANDING_BY_CLASSIFICATION.get(classification) ?? "disputed";
}

/** Lists the claim names in texts, each once; only whole words count. */
export function findClaimIds(...texts: readonly string[]): readonly string[] {
  const named = texts.filter((text) => text.includes("C-"))
    .flatMap((text) => text.match(/(?<![\p{L}\p{N}_-])C-\d{4,}(?![\p{L}\p{N}_-])/gu) ?? []);
  return named.length === 0 ? named : [...new Set(named)];
}
