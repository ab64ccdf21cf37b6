// Answers of workers, to the parser of verdicts.
import { parseVerdictText } from "../../../packages/convergence/src/verdict-text.ts";
import {
  DISAGREE_BASES,
  type Mode,
  MODES,
  type Verdict,
  VERDICT_WORDS,
} from "../../../packages/convergence/src/vocabulary.ts";
import type { Chooser } from "../chooser.ts";
import {
  checkPlaces,
  type GrammarCase,
  makeField,
  makeGrammarCase,
  makeProse,
  makeSentence,
  makeTemplate,
  quoteLines,
  readLines,
} from "../grammar.ts";
import { target } from "../target.ts";

/** A vote that a text was made to say. */
interface ExpectedVote {
  readonly verdict: string;
  readonly disagreeBasis: string | null;
  readonly explanation: string;
}

/** Votes by finding. */
type VerdictCase = GrammarCase<Record<string, ExpectedVote>> & { readonly mode: Mode };

/** The parser of verdicts. */
export const VERDICTS = target(
  "verdicts",
  "answers of workers, to the parser of verdicts",
  makeVerdictCase,
  checkVerdictCase,
);

function makeVerdictCase(chooser: Chooser): VerdictCase {
  const { pick, number } = chooser, mode = pick(MODES);
  const expected: Record<string, ExpectedVote> = {};
  const ids = ["F-001", "F-002", "F-1003", "G-001", "ABC-012"].filter(() => number(3) > 0);
  const made = makeGrammarCase(
    chooser,
    expected,
    () => [
      ...makeNoisePart(chooser),
      ...quoteLines(makeTemplate(chooser, "F-001"), chooser),
    ],
    () => [
      ...ids.flatMap((id) => [
        ...makeNoisePart(chooser),
        ...makeBlock(id, mode, chooser, expected),
      ]),
      ...makeNoisePart(chooser),
    ],
  );
  return { mode, ...made };
}

// Prose, other headings with fields below them, and quoted templates: nothing of it is an answer.
function makeNoisePart(chooser: Chooser): readonly string[] {
  const { pick, once } = chooser;
  if (once(2)) return [""];
  return pick<() => readonly string[]>([
    () => [`# ${makeSentence(chooser)}`, "", makeSentence(chooser)],
    () => ["### Summary", "Verdict: AGREE", "Explanation: of everything"],
    () => ["## See F-001", "- Verdict: UPHELD"],
    () => ["# F-002", "Verdict: DISAGREE"],
    () => ["### Example", "", ...quoteLines(makeTemplate(chooser, "F-001"), chooser), ""],
  ])();
}

function makeBlock(
  id: string,
  mode: Mode,
  chooser: Chooser,
  expected: Record<string, ExpectedVote>,
): readonly string[] {
  const { pick, once } = chooser;
  const [word, verdict] = pick([...VERDICT_WORDS[mode]]);
  const isDisagreement = verdict === "disagree", basis = pick(DISAGREE_BASES);
  const prose = makeProse(chooser, id);
  const explanation = prose.map((line) => line.trimEnd()).join("\n").trim();
  expected[id] = { verdict, disagreeBasis: isDisagreement ? basis : null, explanation };
  const [first, ...others] = prose;
  const fields = [
    [makeField("Verdict", writeWord(word, chooser), chooser)],
    isDisagreement
      ? [makeField(pick(["Basis", "Disagree basis"]), writeWord(basis, chooser), chooser)]
      : once(3)
      ? [makeField("Basis", pick(["none", "-", "n/a", ""]), chooser)]
      : [],
    [makeField("Explanation", first!, chooser), ...others],
  ];
  if (once(4)) fields.reverse();
  return [
    makeHeading(id, chooser),
    ...once(4) ? [makeSentence(chooser), ""] : [],
    ...fields.flat(),
  ];
}

function makeHeading(id: string, { pick, number }: Chooser): string {
  const lead = pick(["", "", " ", "   "]) + "#".repeat(2 + number(5));
  const word = pick(["", "", "Verdict ", "VERDICT  ", "verdict "]);
  return `${lead} ${word}${id}${pick(["", "", ": title", " — title", ".", " ###", ") x", "\t"])}`;
}

function writeWord(word: string, { pick }: Chooser): string {
  const cased = pick([word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]);
  const spaced = pick([cased, cased.replaceAll("-", " "), cased.replaceAll("-", "_")]);
  return pick([
    spaced,
    spaced,
    `\`${spaced}\``,
    `**${spaced}**`,
    `${spaced}.`,
    `**\`${spaced}\`**.`,
  ]);
}

/** Returns what is wrong with how a case is parsed; `null` if nothing is. */
function checkVerdictCase({ mode, text, expected, isCut }: VerdictCase): string | null {
  const { votes, findingIds, problems } = parseVerdictText(text, mode);
  const reading = readLines(text), { lines, normal } = reading;
  const misplaced = checkPlaces(problems, reading);
  if (misplaced !== null) return misplaced;
  for (const [id, { verdict, disagreeBasis, explanation, line }] of votes) {
    if (!findingIds.has(id) || !lines[line - 1]?.includes(id)) {
      return `a vote on ${id} from nowhere`;
    }
    if ((disagreeBasis !== null) !== (verdict === "disagree")) return `a bad basis of ${id}`;
    if (explanation.trim() === "" || !normal.includes(explanation)) {
      return `words of its own for ${id}`;
    }
    if (!saysVerdict(lines.slice(line), verdict, mode)) {
      return `a verdict on ${id} that is not there`;
    }
  }
  if (expected === null) return null;
  for (const [id, vote] of votes) {
    const right = Object.hasOwn(expected, id) ? expected[id]! : null;
    if (right === null) return `a vote on ${id}, which the text does not give`;
    const isSame = right.verdict === vote.verdict && right.disagreeBasis === vote.disagreeBasis &&
      (right.explanation === vote.explanation || isCut);
    if (!isSame) return `another vote on ${id}: ${JSON.stringify(vote)}`;
  }
  if (isCut) return null;
  const count = Object.keys(expected).length;
  if (votes.size !== count) return `${votes.size} of ${count} votes`;
  return count > 0 && problems.length > 0 ? `a problem: ${problems[0]!.message}` : null;
}

function saysVerdict(lines: readonly string[], verdict: Verdict, mode: Mode): boolean {
  const words = [...VERDICT_WORDS[mode]].filter(([, meaning]) => meaning === verdict);
  return lines.some((line) =>
    /verdict/i.test(line) && words.some(([word]) => line.toLowerCase().includes(word))
  );
}
