// Turns what the two test runners wrote into one form.

/** What one test, check or step came to. */
export interface Result {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  /** The error with its stack, or the output of the step; empty if there is nothing to say. */
  readonly text: string;
}

/** Reads the lines of `node-reporter.mjs`; null if the run broke off. */
export function parseNodeReport(text: string): Result[] | null {
  const rows = text.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as Result & { end?: true }
  );
  return rows.at(-1)?.end === true ? rows.slice(0, -1) : null;
}

/** Reads the JUnit file of `deno test`; null if it is not whole. Of nested tests only the innermost count. */
export function parseJunit(text: string): Result[] | null {
  if (!text.trimEnd().endsWith("</testsuites>")) return null;
  const results: Result[] = [];
  for (const [, attributes, body] of text.matchAll(/<testcase ([^>]*)>([\s\S]*?)<\/testcase>/g)) {
    const name = unescape(/name="([^"]*)"/.exec(attributes!)?.[1] ?? "");
    const failure = /<failure message="([^"]*)">([\s\S]*?)<\/failure>/.exec(body!);
    const status = failure !== null
      ? "failed"
      : body!.includes("<skipped/>")
      ? "skipped"
      : "passed";
    results.push({
      name,
      status,
      text: failure === null ? "" : unescape(failure[2] || failure[1]!),
    });
  }
  const isParent = (result: Result): boolean =>
    results.some((other) => other.name.startsWith(`${result.name} > `)) &&
    (result.status !== "failed" || /^\d+ test steps? failed\.?$/.test(result.text));
  return results.filter((result) => !isParent(result));
}

function unescape(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(
    /&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([0-9a-f]+));/gi,
    (_, name, decimal, hex) =>
      name !== undefined
        ? named[name as string]!
        : String.fromCodePoint(decimal !== undefined ? Number(decimal) : parseInt(hex, 16)),
  );
}

/** The counts over many results. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts results by status. */
export function countResults(results: readonly Result[]): Counts {
  const count = (status: Result["status"]): number =>
    results.filter((result) => result.status === status).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** Writes counts as the closing line of a run: `3 passed, 0 failed`, with skipped tests named if there are any. */
export function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
