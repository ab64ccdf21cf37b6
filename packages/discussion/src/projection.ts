import { EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import { RECORD_KINDS, type RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import type { Fact } from "./fact.ts";
import { type Claims, foldClaims, openClaims } from "./fold-claims.ts";
import { dropQuestion, foldQuestions, openQuestions, type Questions } from "./fold-questions.ts";
import { cycleStatus, foldResearch, openResearch, type Research } from "./fold-research.ts";
import { USER } from "./reserved-authors.ts";
import { sampleText } from "./sample-text.ts";

/**
 * What follows from the records of a discussion, less their texts: all that decides what may happen next.
 *
 * It is folded from the records in their order, one by one, and is plain data, so that it can be kept in a file.
 */
export interface Projection {
  /** The kind of each record, as one letter of {@linkcode kindLetter}. */
  kinds: string;
  /** For each record `1` if research would read it as input if it were opened now, else `0`. */
  inputs: string;
  /** Digest of the last record. */
  recordsDigest: string;
  readonly research: Research;
  readonly questions: Questions;
  readonly claims: Claims;
  /** A sample of the text of each material, by which one that is brought again is found. */
  readonly materials: number[];
}

/** Opens the projection of a discussion without records. */
export function openProjection(): Projection {
  return {
    kinds: "",
    inputs: "",
    recordsDigest: EMPTY_DIGEST,
    research: openResearch(),
    questions: openQuestions(),
    claims: openClaims(),
    materials: [],
  };
}

/** Adds the next record and its digest. */
export function foldFact(projection: Projection, fact: Fact, digest: string): void {
  const { research, questions, claims } = projection;
  const isInput = isInputAtOnce(projection, fact);
  projection.kinds += kindLetter(fact.kind);
  projection.inputs += isInput ? "1" : "0";
  projection.recordsDigest = digest;
  if (fact.kind === "material") projection.materials.push(sampleText(fact.field("text") as string));
  const { cycle, dropped } = foldResearch(research, fact);
  if (cycle !== undefined) markResults(projection, cycle);
  foldQuestions(questions, fact);
  if (dropped !== undefined) dropQuestion(questions, dropped);
  foldClaims(claims, research, fact);
}

function isInputAtOnce({ kinds }: Projection, { kind, field }: Fact): boolean {
  if (kind === "answer") return field("author") === USER;
  return kind === "material" || kind === "subject" && kinds.includes(kindLetter("subject"));
}

// The results of a cycle become input when it is superseded.
function markResults(projection: Projection, cycle: Research["cycles"][number]): void {
  const mark = cycleStatus(cycle) === "superseded" ? "1" : "0";
  for (const place of cycle.results) {
    const { inputs } = projection;
    if (inputs[place] === mark) continue;
    projection.inputs = inputs.slice(0, place) + mark + inputs.slice(place + 1);
  }
}

/** Returns the letter that stands for a kind. */
export function kindLetter(kind: RecordKind): string {
  return LETTERS.get(kind) as string;
}

/** Returns the kind that a letter stands for. */
export function kindOf(letter: string | undefined): RecordKind {
  const kind = letter === undefined ? undefined : KINDS.get(letter);
  if (kind === undefined) throw new Error(`no kind has the letter ${letter}`);
  return kind;
}

const LETTERS = new Map(RECORD_KINDS.map((kind, at) => [kind, String.fromCharCode(97 + at)]));
const KINDS = new Map([...LETTERS].map(([kind, letter]) => [letter, kind]));
