// What all benches share on both runtimes: interleaved rounds, medians, their spread, tables, and where figures are kept.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const at = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share + 0.5)];

/** Returns the middle one of some numbers. */
export const median = (numbers) => at(numbers, 0.5);

/** Returns how far the middle half of some numbers reaches, in percent of their median. */
export const spread = (numbers) => 100 * (at(numbers, 0.75) - at(numbers, 0.25)) / median(numbers);

/** What a column of that name says. */
export const SPREAD_NOTE =
  "Spread: how far the middle half of the rounds reaches, in percent of the median.";

/** Runs each of some named measurements in turn, so many rounds, and returns what each found, by name. */
export async function interleave(rounds, measurements) {
  const names = Object.keys(measurements);
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // A busy moment must not fall on the same one each time.
    const turn = [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
    for (const name of turn) {
      found[name].push(await measurements[name]());
      await heedSignals();
    }
  }
  return found;
}

/**
 * Runs a bench; a failure is told in one line, and the status is 4. If nobody reads on, as behind `| head`, it ends
 * without a word, on Node with the status of a program that SIGPIPE ended.
 */
export async function perform(script, measure) {
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(141);
  });
  try {
    await measure();
  } catch (error) {
    console.error(`${script}: error: ${error.message}`);
    process.exitCode = 4;
  }
}

/** Lets a signal end the process that came while it waited for another one. */
export const heedSignals = () => new Promise((resolve) => setImmediate(resolve));

/** Applies a function to each value. */
export const mapValues = (values, change) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** Formats rows as a table of Markdown whose columns are even; numbers stand right. */
export function formatTable(head, rows) {
  const text = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(3, ...text.map((row) => row[at].length)));
  const isNumber = head.map((_, at) =>
    rows.length > 0 && rows.every((row) => /^[-\d.–]/.test(row[at]))
  );
  const line = (row) => {
    const cells = row.map((cell, at) =>
      isNumber[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at])
    );
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, at) =>
    isNumber[at] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)
  );
  return [line(text[0]), `| ${rule.join(" | ")} |`, ...text.slice(1).map(line)].join("\n");
}

/** Makes a promise of a figure: it is to be on that side ("<=", ">=") of the limit. */
export const makeGoal = (label, value, sign, limit) => ({
  ...{ label, value, limit: `${sign} ${limit}` },
  isReached: sign === "<=" ? value <= limit : value >= limit,
});

/** Prints promises, a line each, and returns whether all are kept. */
export function tellGoals(goals) {
  for (const { label, value, limit, isReached } of goals) {
    console.log(`goal: ${label} ${limit}: ${value.toFixed(2)}${isReached ? "" : "  NOT REACHED"}`);
  }
  return goals.every(({ isReached }) => isReached);
}

/**
 * Adds raw numbers to the file that OKSTRA_BENCH_JSON names, for `scripts/bench/all`; `goals` among them are promises, and
 * stand behind those of an earlier call.
 */
export function keepNumbers(numbers) {
  const path = process.env.OKSTRA_BENCH_JSON;
  if (!path) return;
  const kept = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const goals = [...kept.goals ?? [], ...numbers.goals ?? []];
  writeFileSync(path, `${JSON.stringify({ ...kept, ...numbers, goals }, null, 2)}\n`);
}
