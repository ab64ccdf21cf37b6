// Final states of a convergence, and the lines that texts of workers are made of.
import { parseEvidenceItem } from "../../../packages/convergence/src/evidence-line.ts";
import { finalizeWork, skipSecondRound } from "../../../packages/convergence/src/finalize.ts";
import {
  parseField,
  parseHeading,
  splitMarkdown,
} from "../../../packages/convergence/src/markdown-lines.ts";
import { planRound } from "../../../packages/convergence/src/plan.ts";
import { testConverge, testWork } from "../../../packages/convergence/src/testing.ts";
import { checkFinalState, validateState } from "../../../packages/convergence/src/validate.ts";
import { VERDICTS } from "../../../packages/convergence/src/vocabulary.ts";
import { parsePointer } from "../../../packages/manifest-io/src/json-pointer.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import type { Chooser } from "../chooser.ts";
import { makeField, makeNoise, makeSentence } from "../grammar.ts";
import { isSameJson, type Target, target } from "../target.ts";
import { damage, makeText, mutate } from "../values.ts";

/** What judges whole states, and what reads single lines. */
export const STATE_TARGETS: readonly Target[] = [
  target("final-state", "final states, whole and damaged, to their rules", makeState, checkState),
  target("evidence-line", "lines of evidence and lines like them", makeEvidence, checkEvidence),
  target("markdown-line", "lines that are headings, fields or nearly", (chooser) => ({
    text: chooser.once(3) ? makeNoise(chooser) : damage(
      [
        `${"#".repeat(chooser.number(8))}${chooser.pick([" ", "\t", ""])}${makeSentence(chooser)}`,
        makeField(chooser.pick(NAMES), makeText(chooser), chooser),
      ].join("\n"),
      chooser,
    ),
  }), checkLines),
];

interface StateCase {
  /** As it was made. */
  readonly good: JsonValue;
  readonly state: JsonValue;
}

function makeState(chooser: Chooser): StateCase {
  const { list, pick, number, once } = chooser, workers = ["a", "b", "c"].slice(0, 2 + number(2));
  const found = list(3, () => workers.filter((_, at) => at === 0 || once(2)));
  const votes = () =>
    Object.fromEntries(workers.map((worker) => [worker, pick([...VERDICTS, null])]));
  let work = testWork(workers, ...found);
  // A second round that somebody disputes may be skipped, with a reason.
  while (planRound(work).skippedReason === null) {
    if (work.rounds.length > 0 && once(3)) {
      work = skipSecondRound(work, "finalize", makeSentence(chooser));
    } else work = testConverge(work, votes());
  }
  const good = JSON.parse(JSON.stringify(finalizeWork(work))) as JsonValue;
  let state = good;
  for (let i = number(3); i > 0; i--) state = mutate(state, chooser);
  return { good, state };
}

function checkState({ good, state }: StateCase): string | null {
  const before = JSON.stringify(state), messages = validateState(state);
  if (JSON.stringify(state) !== before) return "the state was changed";
  const issues = checkFinalState(state);
  if (!isSameJson(issues.map(({ message }) => message), messages)) return "two answers";
  for (const { pointer = "", message } of issues) {
    if (message === "" || parsePointer(pointer) === null) {
      return `an issue ${message} at ${pointer}`;
    }
  }
  if (isSameJson(state, good)) return issues.length === 0 ? null : `it is good: ${messages[0]}`;
  // Only a state that names its work state can be held against it.
  const isBound = typeof state === "object" && state !== null && "workStateDigest" in state;
  return isBound && issues.length === 0 ? "it was changed, and nothing is said" : null;
}

interface EvidenceCase {
  readonly line: string;
  /** `null`: not known. */
  readonly expected: JsonValue;
}

function makeEvidence(chooser: Chooser): EvidenceCase {
  const { pick, number, once } = chooser;
  const path = pick([
    "src/a.ts",
    "a b/c.ts",
    "C:\\x.ts",
    "a:b",
    "https://e.org/y",
    "x\u2028y",
    "é#L",
  ]);
  const from = 1 + number(2000), to = from + number(3), text = makeSentence(chooser);
  const [written, locator] = pick<readonly [string, string | null]>([
    ["", null],
    [`:${from}`, `${from}`],
    [`:L${from}-L${to}`, from === to ? `${from}` : `${from}-${to}`],
    [`#L${from}-${to}`, from === to ? `${from}` : `${from}-${to}`],
    [`:${from}:7`, `${from}`],
  ]);
  const mark = pick(["- ", "* ", "12) ", ""]), dash = pick([" — ", " - ", " – ", ": ", " -- "]);
  const line = `${pick(["", "  "])}${mark}\`${path}${written}\`${dash}${text}`;
  if (once(2)) return { line, expected: { path, locator, text: text.trim() } };
  return { line: once(3) ? makeText(chooser, 8) : damage(line, chooser), expected: null };
}

function checkEvidence({ line, expected }: EvidenceCase): string | null {
  const item = parseEvidenceItem(line);
  if (expected !== null) {
    return isSameJson(item, expected) ? null : `read as ${JSON.stringify(item)}`;
  }
  if (item === null) return /^\s*(?:[-*+][ \t]+\S|`)/.test(line) ? "a list item is none" : null;
  if ("problem" in item) return item.problem === "" ? "a problem without words" : null;
  const { path, locator, text } = item;
  if (path === "" || text === "" || !line.includes(path) || !line.includes(text)) {
    return `words of its own: ${JSON.stringify(item)}`;
  }
  const [from, to = from] = (locator ?? "1").split("-").map(Number);
  return from! >= 1 && to! >= from! ? null : `lines ${locator}`;
}

const NAMES = ["Verdict", "Explanation", "Disagree basis", "Tickets"];

function checkLines({ text }: { text: string }): string | null {
  const { lines, unclosedQuote } = splitMarkdown(text);
  if (lines.some(({ number }, at) => number !== at + 1)) return "a line is missing";
  if (unclosedQuote !== null && !lines[unclosedQuote - 1]?.isCode) return "no quotation there";
  for (const line of lines) {
    const heading = parseHeading(line), field = parseField(line, NAMES);
    if ((heading !== null || field !== null) && line.isCode) return "a quotation says something";
    if (heading === null && !line.isCode && /^#{1,6}(?:[ \t]|$)/.test(line.text)) {
      return "no heading";
    }
    if (heading !== null) {
      const { level, title } = heading, rest = line.text.trimStart();
      const told = rest.slice(level).replace(/^[ \t]+/, ""), closing = told.slice(title.length);
      const isThere = level >= 1 && level <= 6 && rest.startsWith("#".repeat(level)) &&
        rest[level] !== "#" && told.startsWith(title) &&
        (title === "" ? /^#*$/ : /^(?:[ \t]+#+)?$/).test(closing);
      if (!isThere) return `a heading ${JSON.stringify(heading)}`;
    }
    if (field === null) continue;
    const { name, value, column } = field, points = [...line.text];
    if (!NAMES.includes(name)) return `a field ${name}`;
    if (points.slice(column - 1).join("") !== value) return `its value is not at column ${column}`;
    const told = points.slice(0, column - 1).join("").toLowerCase();
    const isNamed = told.includes(":") &&
      told.replace(/[\s_-]+/g, " ").includes(name.toLowerCase());
    if (!isNamed) return `${name} is not there: ${told}`;
  }
  return null;
}
