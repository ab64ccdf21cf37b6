#!/usr/bin/env node
// A worker that is no model: `lint-worker.mjs deno|oxlint|biome` reads its prompt from standard input, asks
// its linter, and writes its result where OKSTRA_WORKER_RESULT_PATH says. It either reviews the project or
// judges the findings of others, as the prompt's first line tells. `--check` says whether the linter is there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lint, LINTERS, listSources } from "./linters.mjs";

/** Leaves out a place that stands in the list already. */
function distinct(places) {
  const isFirst = ({ path, line }, i) =>
    places.findIndex((each) => each.path === path && each.line === line) === i;
  return places.filter(isFirst);
}

/** Writes what the linter found as a findings file. */
function formatReview(name, rows) {
  if (rows.length === 0) return "# Findings\n\nNo findings\n";
  const blocks = rows.map(({ rule, category, message, places }, i) => {
    const evidence = distinct(places).map(({ path, line, note }) =>
      `- \`${path}:${line}\` — ${note || message}\n`
    ).join("");
    return `### F-${String(i + 1).padStart(3, "0")}: ${category} in ${places[0].path}\n` +
      `Category: ${category}\nEvidence:\n${evidence}Tickets: none\n` +
      `Summary: ${name} reports ${rule} here: ${message}\n`;
  });
  return `# Findings\n\n${blocks.join("\n")}`;
}

/** Reads the findings that a verification prompt asks about; it holds them as data for workers that are programs. */
function parseAssignments(prompt) {
  const data = /^## The same findings as data\n+```json\n([\s\S]*?)\n```$/m.exec(prompt)?.[1];
  if (data === undefined) throw new Error("the prompt holds no findings as data");
  return JSON.parse(data).map(({ findingId, category, evidence }) => ({
    id: findingId,
    category,
    places: evidence.map(({ path, locator }) => {
      const [from, to] = (locator ?? "1").split("-").map(Number);
      return { path, from, to: to ?? from };
    }),
  }));
}

/** Judges one finding by the linter's own report at the place that the finding names. */
function judge(name, linter, root, rows, { category, places }) {
  const existing = places.filter(({ path, to }) => {
    const file = join(root, path);
    return existsSync(file) &&
      to <= readFileSync(file, "utf8").replace(/[\r\n]+$/, "").split(linter.lineEnd).length;
  });
  const text = [...new Set(places.map(({ path, from }) => `${path}:${from}`))].join(", ");
  if (existing.length === 0) {
    return { verdict: "refuted", explanation: `as ${name} counts lines there is no place ${text}` };
  }
  const here = rows.filter((row) =>
    row.places.some(({ path, line }) =>
      existing.some((place) => place.path === path && place.from <= line && line <= place.to)
    )
  );
  const same = here.find((row) => row.category === category);
  if (same !== undefined) {
    return {
      verdict: "upheld",
      explanation: `${name} reports ${same.rule} at ${text}: ${same.message}`,
    };
  }
  const other = here.length === 0
    ? "nothing"
    : `only ${[...new Set(here.map((row) => row.rule))].join(", ")}`;
  return { verdict: "unproven", explanation: `${name} reports ${other} at ${text}` };
}

/** The words for a verdict in the two kinds of round. */
const WORDS = {
  adversarial: { upheld: "UPHELD", refuted: "REFUTED", unproven: "UNPROVEN" },
  collaborative: { upheld: "AGREE", refuted: "DISAGREE", unproven: "UNVERIFIED" },
};

function formatVerdicts(name, linter, root, rows, prompt) {
  const words = /\bUPHELD\b/.test(prompt) ? WORDS.adversarial : WORDS.collaborative;
  const blocks = parseAssignments(prompt).map((finding) => {
    const { verdict, explanation } = judge(name, linter, root, rows, finding);
    const basis = verdict === "refuted" ? "evidence-missing" : "none";
    return `### ${finding.id}\nVerdict: ${
      words[verdict]
    }\nBasis: ${basis}\nExplanation: ${explanation}\n`;
  });
  return `# Verdicts\n\n${blocks.join("\n")}`;
}

function main() {
  const [name, option] = process.argv.slice(2);
  const linter = Object.hasOwn(LINTERS, name) ? LINTERS[name] : undefined;
  if (linter === undefined) throw new Error(`there is no linter "${name}"`);
  const program = linter.command().find((word) =>
    word.startsWith("/") && word !== process.execPath
  );
  if (!existsSync(program)) throw new Error(`${program} does not exist`);
  if (option === "--check") return;

  const prompt = readFileSync(0, "utf8");
  const root = process.cwd();
  const files = listSources(root);
  const rows = lint(linter, root, files);
  const isReview = /^# .*: *discussion-analysis\s*$/m.test(prompt.split("\n", 1)[0]);
  const result = process.env.OKSTRA_WORKER_RESULT_PATH;
  mkdirSync(dirname(result), { recursive: true });
  writeFileSync(
    result,
    isReview ? formatReview(name, rows) : formatVerdicts(name, linter, root, rows, prompt),
  );
  console.log(`${name}: ${files.length} files, ${rows.length} reports`);
}

try {
  main();
} catch (error) {
  console.error(`lint-worker: ${error.message}`);
  process.exitCode = error.code === "MODULE_NOT_FOUND" || /does not exist/.test(error.message)
    ? 127
    : 1;
}
