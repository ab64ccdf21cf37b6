import { drawTable } from "./text-table.ts";
import type { TokenCounts, UsageSum } from "./usage.ts";

/** A worker's usage with its name. */
interface NamedUsage extends UsageSum {
  readonly workerId: string;
  readonly attempts: readonly unknown[];
}

/**
 * Formats what the workers of a run used as a table for people, with the sum as last line.
 *
 * `-` is a count that nobody knows; a count that leaves attempts out, since they are not known, has a `+` behind it.
 *
 * @param clean removes from a text what could harm a terminal, before the columns are measured
 */
export function formatUsage(
  { workers, total }: { readonly workers: readonly NamedUsage[]; readonly total: UsageSum },
  clean: (text: string) => string = (text) => text,
): string {
  const attempts = workers.reduce((sum, worker) => sum + worker.attempts.length, 0);
  return drawTable(
    [
      ["WORKER", "ATTEMPTS", "INPUT", "CACHED", "OUTPUT", "REASONING", "SOURCE"],
      ...workers.map((worker) => formatLine(worker.workerId, worker.attempts.length, worker)),
      formatLine("total", attempts, total),
    ],
    clean,
    { rightFrom: 1, rightTo: 6 },
  );
}

function formatLine(
  name: string,
  attempts: number,
  { usage, unknownAttempts, sources }: UsageSum,
): string[] {
  const count = (key: keyof TokenCounts) => {
    const tokens = usage?.[key] ?? null;
    return tokens === null ? "-" : `${tokens}${unknownAttempts > 0 ? "+" : ""}`;
  };
  const unknown = unknownAttempts === 0 ? [] : [`${unknownAttempts} unknown`];
  return [
    name,
    String(attempts),
    count("inputTokens"),
    count("cachedInputTokens"),
    count("outputTokens"),
    count("reasoningOutputTokens"),
    [...sources, ...unknown].join(", "),
  ];
}
