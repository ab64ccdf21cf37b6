// What the scripted model does with a prompt of these tools: it plays an analyser, a critic, a verifier, or one that is asked.
import { callWriter } from "./tool-calls.ts";
import type { ModelAnswer, ModelRequest } from "./wire.ts";

const done = (text: string): ModelAnswer => ({ kind: "text", text });

/** Answers a request so that the worker writes its result and ends. */
export function playPart({ prompt, tools, toolResults }: ModelRequest): ModelAnswer {
  if (toolResults.length > 0) {
    return done(`I called a tool, and it said: ${toolResults.at(-1)!.slice(0, 80)}`);
  }
  const path = lastMatch(prompt, /^\*\*Worker Result Path:\*\* (.+)$/gm);
  if (path === null) return done("A title");
  return callWriter(tools, path, writeResult(prompt)) ?? done("A title");
}

function lastMatch(text: string, pattern: RegExp): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[1] ?? null;
}

/** Writes the result that a prompt asks for. */
export function writeResult(prompt: string): string {
  const worker = lastMatch(prompt, /^# (\S+)-worker: \S+$/gm) ?? "somebody";
  const question = lastMatch(prompt, /^# Question (Q-\d+) to \S+$/gm);
  if (question !== null) {
    return `# Answer to ${question}\n\nThe caller may pass an empty list; \`src/cart.js:3\` shows it.\n`;
  }
  const round = lastMatch(prompt, /^# Verification round (\d+): \S+$/gm);
  const isAboutGaps = /^# Votes on the gaps: \S+$/m.test(prompt);
  if (round !== null || isAboutGaps) return writeVerdicts(worker, prompt);
  if (/^# Critique of the findings: \S+$/m.test(prompt)) return writeCritique(prompt);
  return writeFindings(worker);
}

/** A claim about the sample project: place, category, title. */
type Claim = readonly [place: string, category: string, title: string];

const EMPTY: Claim = ["src/cart.js:3", "correctness", "An empty cart has no first item"];
const ROUNDING: Claim = ["src/cart.js:8", "correctness", "Money is rounded too early"];
const TYPO: Claim = ["src/cart.js:12", "style", "The name says nothing"];
const PHANTOM: Claim = ["src/cart.js:40", "security", "A password stands in the source"];

/** Who finds what; anybody else finds the first claim. */
const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  codex: [EMPTY, PHANTOM],
  claude: [EMPTY, ROUNDING],
  pi: [ROUNDING, TYPO],
};

function writeFindings(worker: string): string {
  const blocks = (CLAIMS[worker] ?? [EMPTY]).map(([place, category, title], index) =>
    [
      `### F-00${index + 1}: ${title}`,
      `Category: ${category}`,
      "Evidence:",
      `- \`${place}\` — ${title.toLowerCase()}`,
      "Tickets: none",
      `Summary: ${title}, as ${worker} sees it.`,
      "",
    ].join("\n")
  );
  const questions = worker === "pi"
    ? "# Questions for the user\n\n- May a cart be empty at all?\n"
    : "";
  return `# Findings\n\n${blocks.join("\n")}\n${questions}`;
}

function writeVerdicts(worker: string, prompt: string): string {
  const [holds, fails] = /`UPHELD`/.test(prompt) ? ["UPHELD", "REFUTED"] : ["AGREE", "DISAGREE"];
  const blocks = readData(prompt).map(({ findingId, evidence }) => {
    const isPhantom = evidence?.[0]?.locator === "40" && worker !== "codex";
    return [
      `### ${findingId}`,
      `Verdict: ${isPhantom ? fails : holds}`,
      ...(isPhantom ? ["Basis: evidence-missing"] : []),
      `Explanation: ${worker} opened ${evidence?.[0]?.path}:${evidence?.[0]?.locator}.`,
      "",
    ].join("\n");
  });
  return `# Verdicts\n\n${blocks.join("\n")}`;
}

interface Datum {
  readonly findingId?: string;
  readonly evidence?: readonly { readonly path: string; readonly locator: string | null }[];
}

/** Reads the last block of data in a prompt: the assignment. */
function readData(prompt: string): readonly Datum[] {
  const text = lastMatch(prompt, /^```json\n([\s\S]*?)\n```$/gm);
  return text === null ? [] : [JSON.parse(text)].flat() as Datum[];
}

/** Writes the document `critic-results`, in the form that the prompt shows. */
function writeCritique(prompt: string): string {
  const [form] = readData(prompt);
  const candidate = {
    gapId: "G-001",
    summary: "Nobody looked at what happens with two currencies.",
    category: "coverage",
    ticketIds: [],
    originEvidence: "prices are added without a look at their currency",
    evidenceArtifacts: [{ path: "src/cart.js", locator: "6-8", excerpt: null }],
  };
  return `${JSON.stringify({ ...form, candidates: [candidate] }, null, 2)}\n`;
}
