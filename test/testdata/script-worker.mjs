#!/usr/bin/env node
// A worker without a model: `script-worker.mjs NAME` reports the findings that NAME always has, and judges
// those of others by what stands at their place: a line with BUG in it is a fault.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const FINDINGS = {
  alpha: [["src/a.txt", 2, "fault"], ["src/a.txt", 9, "fault"], ["src/b.txt", 1, "style"]],
  beta: [["src/a.txt", 2, "fault"], ["src/b.txt", 3, "fault"]],
};
const WORDS = {
  adversarial: ["UPHELD", "REFUTED", "UNPROVEN"],
  collaborative: ["AGREE", "DISAGREE", "UNVERIFIED"],
};

const name = process.argv[2];
const prompt = readFileSync(0, "utf8");
const result = process.env.OKSTRA_WORKER_RESULT_PATH;

function review() {
  const blocks = FINDINGS[name].map(([path, line, category], i) =>
    `### F-00${
      i + 1
    }: ${category} in ${path}\nCategory: ${category}\nEvidence:\n- \`${path}:${line}\` — line ${line}\n` +
    `Tickets: none\nSummary: ${name} says that ${path} has a ${category} at line ${line}\n`
  );
  return `# Findings\n\n${blocks.join("\n")}`;
}

function judge(words) {
  const data = /^## The same findings as data\n+```json\n([\s\S]*?)\n```$/m.exec(prompt)[1];
  const blocks = JSON.parse(data).map(({ findingId, evidence }) => {
    const [{ path, locator }] = evidence;
    const line = existsSync(path)
      ? readFileSync(path, "utf8").trimEnd().split("\n")[Number(locator) - 1]
      : undefined;
    const verdict = line === undefined ? 1 : line.includes("BUG") ? 0 : 2;
    return `### ${findingId}\nVerdict: ${words[verdict]}\nBasis: ${
      verdict === 1 ? "evidence-missing" : "none"
    }\n` +
      `Explanation: ${path}:${locator} reads ${JSON.stringify(line ?? null)}\n`;
  });
  return `# Verdicts\n\n${blocks.join("\n")}`;
}

mkdirSync(dirname(result), { recursive: true });
const isReview = prompt.split("\n", 1)[0].endsWith(": discussion-analysis");
writeFileSync(
  result,
  isReview ? review() : judge(/\bUPHELD\b/.test(prompt) ? WORDS.adversarial : WORDS.collaborative),
);
