#!/usr/bin/env node
// A worker without a model, for the tests of the host adapters: `host-worker.mjs NAME CONTROL` does what its prompt
// asks. A file CONTROL/fail-NAME makes it fail, CONTROL/hang-NAME makes it work until it is ended; CONTROL/broken-NAME
// makes it write what does not parse, CONTROL/broken-critic so as the critic, and is gone then.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const [name, control] = process.argv.slice(2);
const prompt = readFileSync(0, "utf8");
const isCritic = /^# Critique of the findings: \S+$/m.test(prompt);

const FINDINGS = {
  alpha: [["src/a.txt", 2]],
  beta: [["src/a.txt", 2], ["src/b.txt", 3]],
};

function research() {
  const blocks = (FINDINGS[name] ?? []).map(([path, line], i) =>
    `### F-00${
      i + 1
    }: a fault in ${path}\nCategory: fault\nEvidence:\n- \`${path}:${line}\` — line ${line}\n` +
    `Tickets: none\nSummary: ${name} says that line ${line} is wrong\n`
  );
  const question = name === "alpha" ? "\n# Questions for the user\n\n- Is Windows in scope?\n" : "";
  return `# Findings\n\n${blocks.join("\n") || "No findings\n"}${question}`;
}

// Nobody believes what beta found in b.txt.
function judge() {
  const [good, bad] = /\bUPHELD\b/.test(prompt) ? ["UPHELD", "REFUTED"] : ["AGREE", "DISAGREE"];
  const data = /^## The same findings as data\n+```json\n([\s\S]*?)\n```$/m.exec(prompt)[1];
  const blocks = JSON.parse(data).map(({ findingId, evidence: [{ path }] }) => {
    const isBad = path === "src/b.txt" && name !== "beta";
    return `### ${findingId}\nVerdict: ${isBad ? bad : good}\nBasis: ${
      isBad ? "overstated" : "none"
    }\n` +
      `Explanation: ${name} looked at ${path}\n`;
  });
  return `# Verdicts\n\n${blocks.join("\n")}`;
}

/** The only gap that anybody ever sees, in the form that the prompt shows. */
function criticize() {
  const form = JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(prompt)[1]);
  const [gap] = form.candidates;
  const evidenceArtifacts = [{ path: "src/a.txt", locator: "3", excerpt: null }];
  return JSON.stringify({ ...form, candidates: [{ ...gap, evidenceArtifacts }] });
}

function report() {
  const pointer = /^\*\*Worker Result Path:\*\* (.+)$/m.exec(prompt)[1];
  writeFileSync(pointer, "The report is in the data file.\n");
  return JSON.stringify({ title: "The report" });
}

function work() {
  if (/^# report-writer-worker: report-authoring$/m.test(prompt)) return report();
  if (isCritic) return criticize();
  if (/^# Research for cycle R-\d+$/m.test(prompt)) return research();
  const question = /^# Question (Q-\d+) to/m.exec(prompt)?.[1];
  return question === undefined
    ? judge()
    : `# Answer to ${question}\n\n${name} saw it in \`src/b.txt\`.\n`;
}

if (existsSync(`${control}/fail-${name}`)) throw new Error("no credit left");
if (existsSync(`${control}/hang-${name}`)) setInterval(() => {}, 1000);
else {
  const broken = [name, ...isCritic ? ["critic"] : []].map((who) => `${control}/broken-${who}`)
    .find((path) => existsSync(path));
  const isBroken = broken !== undefined;
  writeFileSync(process.env.OKSTRA_WORKER_RESULT_PATH, isBroken ? "All is well.\n" : work());
  if (isBroken) rmSync(broken);
}
