#!/usr/bin/env node
// A worker that is no model: `lint-worker.mjs deno|oxlint|biome` reads its prompt from standard input, asks
// its linter, and writes its result where OKSTRA_WORKER_RESULT_PATH says. It either reviews the project or
// judges the findings of others, as the prompt's first line tells. `--check` says whether the linter is there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { denoPath } from "../tools/deno-path.mjs";

const require = createRequire(import.meta.url);
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const SKIPPED = new Set(["node_modules", ".git", ".okstra", "dist"]);
const FILES_PER_CALL = 400;

/**
 * The linters: how each is called, how its report is read, and where it sees a line end. Deno counts line
 * feeds; the others count a lone carriage return as well, so that they name lines which Deno does not have.
 */
const LINTERS = {
  deno: {
    command: () => [denoPath(), "lint", "--json"],
    lineEnd: /\n/,
    read: ({ diagnostics, errors }) => [
      ...diagnostics.map((item) => ({
        rule: item.code,
        message: item.message,
        places: [{ file: fileURLToPath(item.filename), line: item.range.start.line, note: "" }],
      })),
      ...errors.map((item) => ({
        rule: "syntax",
        message: item.message.split("\n")[0],
        places: [{
          file: item.file_path,
          line: Number(/:(\d+):\d+\s*$/.exec(item.message)?.[1] ?? 1),
          note: "",
        }],
      })),
    ],
  },
  oxlint: {
    command: () => [process.execPath, programOf("oxlint"), "--format=json"],
    lineEnd: /\r\n?|\n/,
    read: ({ diagnostics }) =>
      diagnostics.map((item) => ({
        rule: item.code ?? "syntax",
        message: item.message,
        places: item.labels.map(({ span, label }) => ({
          file: item.filename,
          line: span.line,
          note: label ?? "",
        })),
      })),
  },
  biome: {
    command: () => [
      process.execPath,
      programOf("@biomejs/biome"),
      ...[
        "lint",
        "--reporter=json",
        "--colors=off",
        "--diagnostic-level=warn",
        "--max-diagnostics=none",
      ],
    ],
    lineEnd: /\r\n?|\n/,
    read: ({ diagnostics }) =>
      diagnostics.filter((item) => item.location?.start !== undefined).map((item) => ({
        rule: item.category === "parse" ? "syntax" : item.category,
        message: item.message,
        places: [{ file: item.location.path, line: item.location.start.line, note: "" }],
      })),
  },
};

/** Finds the script that an npm package installs as its command. */
function programOf(name) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return join(dirname(manifest), typeof bin === "string" ? bin : Object.values(bin)[0]);
}

/** Rules that the linters give different names. */
const SAME_RULE = {
  "no-assign-in-expressions": "no-cond-assign",
  "no-double-equals": "eqeqeq",
  "no-duplicate-object-keys": "no-dupe-keys",
  "no-empty-block-statements": "no-empty",
  "no-global-eval": "no-eval",
  "no-unused-variables": "no-unused-vars",
  "use-valid-typeof": "valid-typeof",
};

/** Gives one word for a rule, whichever linter names it: `eslint(no-eval)` and `lint/security/noGlobalEval`. */
function categoryOf(rule) {
  const name = /\(([^)]+)\)$/.exec(rule)?.[1] ?? rule.split("/").at(-1);
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return SAME_RULE[words] ?? words;
}

function listSources(folder) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (SKIPPED.has(entry.name)) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listSources(path);
      return entry.isFile() && SOURCE.test(entry.name) ? [path] : [];
    });
}

/** Runs the linter over the project's sources; each row of the report has its places relative to the project. */
function lint(linter, root, files) {
  const rows = [];
  for (let start = 0; start < files.length; start += FILES_PER_CALL) {
    const [program, ...args] = [...linter.command(), ...files.slice(start, start + FILES_PER_CALL)];
    const env = { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
    const child = spawnSync(program, args, {
      cwd: root,
      env,
      encoding: "utf8",
      maxBuffer: 1 << 30,
    });
    if (child.error) throw child.error;
    const report = /^\s*\{/.test(child.stdout) ? JSON.parse(child.stdout) : null;
    // A configuration of the project may leave out every file; then there is no report, which is no fault.
    if (report === null && !/no (?:target )?files/i.test(child.stderr)) {
      throw new Error(child.stderr || child.stdout);
    }
    if (report !== null) rows.push(...linter.read(report));
  }
  const inProject = (
    file,
  ) => (file.startsWith("/") ? relative(root, file) : file.replace(/^\.\//, ""));
  return rows.map(({ rule, message, places }) => ({
    rule,
    category: categoryOf(rule),
    message: oneLine(message),
    places: places.map(({ file, line, note }) => ({
      path: inProject(file),
      line,
      note: oneLine(note),
    })),
  })).sort((a, b) =>
    compare(a.places[0].path, b.places[0].path) || a.places[0].line - b.places[0].line
  );
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

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
  const linter = LINTERS[name];
  if (linter === undefined) throw new Error(`there is no linter "${name}"`);
  const program = linter.command().find((word) =>
    word.startsWith("/") && word !== process.execPath
  );
  if (!existsSync(program)) throw new Error(`${program} does not exist`);
  if (option === "--check") return;

  const prompt = readFileSync(0, "utf8");
  const root = process.cwd();
  const files = listSources(root).map((file) => relative(root, file));
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
