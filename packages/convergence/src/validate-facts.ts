import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import type { DocumentPath } from "./checks.ts";
import type { Classification } from "./vocabulary.ts";

/** What a worker was asked in a round, and what became of it. */
export interface Asked {
  readonly status: string;
  readonly findingIds: ReadonlySet<string>;
  readonly path: DocumentPath;
}

/** The rounds of a final state: whom each asked. */
export type AskedByRound = ReadonlyMap<number, ReadonlyMap<string, Asked>>;

/** What a final state's findings need to know of its coverage. */
export interface CoverageFacts {
  /** Blank if the coverage does not say it. */
  readonly provider: string;
  /** Workers that may vote on gaps: those of other providers, in roster order. */
  readonly voters: readonly string[];
  /** Whether some gap was refuted, so that somebody voted. */
  readonly hasRefusedGap: boolean;
  /** Workers that were asked to vote. */
  readonly asked: ReadonlySet<string>;
}

/** One well-formed round of a finding. */
export interface CheckedRound {
  readonly round: number | "coverage";
  readonly votes: Readonly<Record<string, Vote>>;
}

/** What a finding's votes make of it. */
export interface JudgedWord {
  readonly classification: Classification;
  readonly hasVotes: boolean;
}
