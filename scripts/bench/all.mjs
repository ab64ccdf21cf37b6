// Runs the benches one after another: each is a command of its own that prints its tables, and leaves its numbers where
// it is told to. See scripts/bench/all.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTable, machineFacts, root } from "./lib.mjs";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";

const { values } = need(parseWords("bench/all", {
  options: {
    only: { type: "string" },
    node: { type: "string", default: "20,22,24" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
}));

/** The benches: title, words, and those of a quick run. */
const BENCHES = {
  startup: ["What a start costs", ["--node", values.node], ["--runs", "9"]],
  updates: ["Changes of one document", [], ["--rounds", "3", "--updates", "3"]],
  dispatch: ["Dispatching workers", [], ["--workers", "40", "--parallel", "20", "--only", "cpu"]],
  "team-state": ["Growth: team state", ["size"], []],
  discussion: ["Growth: discussion", [], ["100", "1000"]],
  convergence: ["Growth: convergence", [], ["500"]],
  "mutation-audit": ["Mutation audit", [], ["1000"]],
};

function runBench(name, scratch) {
  const [, usual, quick] = BENCHES[name], json = join(scratch, `${name}.json`);
  const words = [...usual, ...values.quick ? quick : []];
  console.error(`bench: ${name} ${words.join(" ")}`.trim());
  const { status, stdout, stderr } = spawnSync(join(root, "scripts/bench", name), words, {
    cwd: root,
    env: { ...process.env, OKSTRA_BENCH_JSON: json },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  // One that ends with 1 did not keep a promise, which its output says.
  if (status !== 0 && status !== 1) throw new Error(`${name} ended with ${status}\n${stderr}`);
  const numbers = existsSync(json) ? JSON.parse(readFileSync(json, "utf8")) : {};
  return { name, words, output: stdout.trimEnd(), ...numbers };
}

function formatReport(machine, results) {
  const goals = results.flatMap((result) => result.goals ?? []);
  const facts = formatTable(["machine", ""], Object.entries(machine));
  const summary = formatTable(
    ["promise", "limit", "measured", ""],
    goals.map(({ label, value, limit, isReached }) => [
      ...[label, limit, value.toFixed(2), isReached ? "kept" : "not kept"],
    ]),
  );
  const parts = results.map(({ name, words, output }) => {
    // What is a table already needs no frame, and the promises stand above.
    const told = output.replace(/^goal: .*\n?/gm, "").trimEnd();
    const text = /^\|/m.test(told) ? told : `\`\`\`text\n${told}\n\`\`\``;
    return `### ${BENCHES[name][0]}\n\n\`scripts/bench/${[name, ...words].join(" ")}\`\n\n${text}`;
  });
  return [facts, ...goals.length > 0 ? [summary] : [], ...parts].join("\n\n");
}

const all = Object.keys(BENCHES);
const names = need(parseNames("bench/all", values.only?.split(",") ?? all, all));
const scratch = mkdtempSync(join(tmpdir(), "okstra-bench-"));
try {
  const machine = machineFacts();
  const results = names.map((name) => runBench(name, scratch));
  const report = formatReport(machine, results);
  console.log(report);
  if (values.json) {
    writeFileSync(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  }
  if (values.write) {
    const path = join(root, "PERFORMANCE.md"), text = readFileSync(path, "utf8");
    const marks = /(<!-- measured -->\n)[^]*(\n<!-- end -->)/;
    if (!marks.test(text)) throw new Error("Cannot write PERFORMANCE.md: its marks are missing");
    writeFileSync(path, text.replace(marks, (_, start, end) => `${start}\n${report}\n${end}`));
    spawnSync(join(root, "scripts/deno"), ["fmt", "--quiet", path]);
  }
} catch (error) {
  console.error(`bench: error: ${error.message}`);
  process.exitCode = 4;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
