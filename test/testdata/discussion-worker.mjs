#!/usr/bin/env node
// A worker without a model, for the stories of a discussion: `discussion-worker.mjs NAME` does what its prompt asks.
// In the first cycle beta fails; in the second alpha and gamma each find a fault, and gamma refutes that of alpha.
import { readFileSync, writeFileSync } from "node:fs";

const name = process.argv[2];
const prompt = readFileSync(0, "utf8");

const FINDINGS = {
  "R-0001 alpha": [["fault", 2, "the reader drops the last line"]],
  "R-0002 alpha": [["fault", 2, "the reader drops the last line, as RS-0001 has it"]],
  "R-0002 gamma": [["style", 4, "a name says nothing"]],
  "R-0003 alpha": [],
  "R-0003 gamma": [["fault", 3, "the writer forgets to close, which C-0002 leads to"]],
};
const QUESTIONS = { "R-0002 alpha": "Is the old format still in use?" };

function research(key) {
  const findings = FINDINGS[key];
  if (findings === undefined) throw new Error(`${key} cannot work`);
  const blocks = findings.map(([category, line, text], i) =>
    `### F-00${
      i + 1
    }: ${text}\nCategory: ${category}\nEvidence:\n- \`src/reader.txt:${line}\` — ${text}\n` +
    `Tickets: none\nSummary: ${name} says: ${text}\n`
  );
  const questions = QUESTIONS[key] === undefined
    ? ""
    : `\n# Questions for the user\n\n- ${QUESTIONS[key]}\n`;
  return `# Findings\n\n${blocks.join("\n") || "No findings\n"}${questions}`;
}

function judge() {
  const isFirst = /\bUPHELD\b/.test(prompt);
  const [good, bad] = isFirst ? ["UPHELD", "REFUTED"] : ["AGREE", "DISAGREE"];
  const data = /^## The same findings as data\n+```json\n([\s\S]*?)\n```$/m.exec(prompt)[1];
  const blocks = JSON.parse(data).map(({ findingId, evidence }) => {
    const isRefuted = name === "gamma" && evidence[0].locator === "2";
    return `### ${findingId}\nVerdict: ${isRefuted ? bad : good}\n` +
      `Basis: ${isRefuted ? "counter-evidence" : "none"}\nExplanation: ${name} looked at ${
        evidence[0].path
      }:${evidence[0].locator}\n`;
  });
  return `# Verdicts\n\n${blocks.join("\n")}`;
}

function work() {
  const cycle = /^# Research for cycle (R-\d+)$/m.exec(prompt)?.[1];
  if (cycle !== undefined) return research(`${cycle} ${name}`);
  const question = /^# Question (Q-\d+) to/m.exec(prompt)?.[1];
  return question === undefined
    ? judge()
    : `# Answer to ${question}\n\nLine 2 is the last one only in \`src/reader.txt\`.\n`;
}

writeFileSync(process.env.OKSTRA_WORKER_RESULT_PATH, work());
