import { isBlank } from "@okstra/manifest-io/blank";
import { DISAGREE_BASES, VERDICTS } from "./vocabulary.ts";

/** A problem of a vote: the field it is in, and what is wrong with it. */
export interface VoteProblem {
  readonly field: "" | "verdict" | "disagreeBasis" | "explanation";
  readonly message: string;
}

const BASES = DISAGREE_BASES.join(", ");

/** Lists everything that is wrong with a vote; empty if it is well formed. */
export function checkVote(value: unknown): readonly VoteProblem[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ field: "", message: "the vote is not an object" }];
  }
  const { verdict, disagreeBasis = null, explanation } = value as Record<string, unknown>;
  const problems: VoteProblem[] = [];
  const isKnown = (VERDICTS as readonly unknown[]).includes(verdict);
  if (!isKnown) {
    const message = `verdict ${show(verdict)} is not one of ${VERDICTS.join(", ")}`;
    problems.push({ field: "verdict", message });
  }
  if (verdict === "disagree" && !(DISAGREE_BASES as readonly unknown[]).includes(disagreeBasis)) {
    const message = disagreeBasis === null
      ? `a disagreement needs a disagreeBasis: ${BASES}`
      : `disagreeBasis ${show(disagreeBasis)} is not one of ${BASES}`;
    problems.push({ field: "disagreeBasis", message });
  } else if (isKnown && verdict !== "disagree" && disagreeBasis !== null) {
    const message = `disagreeBasis must be null beside verdict ${show(verdict)}`;
    problems.push({ field: "disagreeBasis", message });
  }
  if (typeof explanation !== "string" || isBlank(explanation)) {
    problems.push({ field: "explanation", message: "the explanation is blank" });
  }
  return problems;
}

/** Shows a value of a document in a message. */
export function show(value: unknown): string {
  const text = value === undefined ? "(missing)" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
