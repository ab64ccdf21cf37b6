// How a scenario and an outcome are shown: a block of lines in a terminal, an object for programs.
import { stripVTControlCharacters } from "node:util";
import type { Fault, Scenario } from "../../test/fault-kit/scenario.ts";

/** What came of a fault. */
export interface Outcome {
  readonly result: "passed" | "failed" | "impossible";
  readonly seen: string;
}

const WIDTH = 96;

/** Shows an outcome below the number of its scenario: injected, expected, seen, and passed or failed in front. */
export function formatRow(fault: Fault, { result, seen }: Outcome): string {
  const lines = stripVTControlCharacters(seen).trim().split("\n");
  const rows: [string, string[]][] = [
    ["injected", wrap(fault.injected)],
    ["expected", wrap(fault.expected)],
    ["seen", result === "failed" ? lines.slice(0, 40) : lines.flatMap(wrap)],
  ];
  return rows.flatMap(([name, texts], row) =>
    texts.map((text, at) =>
      `  ${(row === 0 && at === 0 ? result : "").padEnd(10)}  ${
        (at === 0 ? name : "").padEnd(8)
      }  ${text}`
        .trimEnd()
    )
  ).join("\n");
}

/** The same as one JSON object. */
export function toJson({ number }: Scenario, fault: Fault, outcome: Outcome): string {
  const { injected, expected } = fault;
  return JSON.stringify({ number, injected, expected, ...outcome });
}

/** Says which scenario it is: a line of a list, or a JSON object with the number of its faults. */
export function formatScenario({ number, reported, faults }: Scenario, isJson: boolean): string {
  if (!isJson) return `${number.padEnd(5)} ${reported}`;
  return JSON.stringify({ number, reported, faults: faults.length });
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
