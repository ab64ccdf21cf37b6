// The three linters of the quickstart: how each is called on a project, and how its report is read.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
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
export const LINTERS = {
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

/**
 * Lists the sources below a folder, relative to it, that every linter can read and a finding can name: text in UTF-8,
 * and no control character or backtick in the path.
 */
export function listSources(folder) {
  const files = listFiles(folder).map((file) => relative(folder, file));
  return files.filter((file) => !/[\p{Cc}`]/u.test(file) && isText(join(folder, file)));
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (SKIPPED.has(entry.name)) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFiles(path);
      return entry.isFile() && SOURCE.test(entry.name) ? [path] : [];
    });
}

function isText(path) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    return true;
  } catch {
    return false;
  }
}

/** Runs the linter over the project's sources; each row of the report has its places relative to the project. */
export function lint(linter, root, files) {
  const rows = [];
  for (let start = 0; start < files.length; start += FILES_PER_CALL) {
    const paths = files.slice(start, start + FILES_PER_CALL).map((file) => `./${file}`);
    const [program, ...args] = [...linter.command(), ...paths];
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
      line: Math.max(1, line),
      note: oneLine(note),
    })),
  })).filter(({ places }) => places.length > 0).sort((a, b) =>
    compare(a.places[0].path, b.places[0].path) || a.places[0].line - b.places[0].line
  );
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
