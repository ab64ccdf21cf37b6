// The rows of consumers.jsonl.
import { coveredStages, parseConsumers } from "../../../packages/manifest-io/src/carry.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { JsonSyntaxError, parseJsonText } from "../../../packages/manifest-io/src/json-text.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { damage, makeValue } from "../values.ts";

/** Lines that others write, and the stages that they tell of. */
export const CONSUMERS: Target = target(
  "consumers",
  "lines that are objects or nearly, to the reader of consumers.jsonl",
  (chooser) => ({ lines: chooser.list(4, () => makeLine(chooser)) }),
  checkConsumers,
);

function makeLine(chooser: Chooser): string {
  const { list, number, once, pick } = chooser;
  const stage = () => pick([number(3), "1", null, 1.5]);
  const row = {
    kind: pick(["pr", "other"]),
    ...(once(2) ? { stage: stage() } : { stages: list(3, stage) }),
  };
  const text = JSON.stringify(once(4) ? makeValue(chooser) : row);
  return once(3) ? damage(text, chooser) : text;
}

function checkConsumers({ lines }: { lines: string[] }): string | null {
  const bad = lines.flatMap((line, at) => {
    const answer = attempt(() => parseJsonText(line), (error) => error instanceof JsonSyntaxError);
    const value = "value" in answer ? answer.value : null;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [] : [at + 1];
  });
  const answer = attempt(
    () => parseConsumers("c.jsonl", lines),
    (error) => error instanceof OkstraError,
  );
  if ("refusal" in answer) {
    const told = (answer.refusal as OkstraError).issues.map(({ line }) => line);
    return bad.length > 0 && isSameJson(told, bad) ? null : `lines ${told} are refused, not ${bad}`;
  }
  if (bad.length > 0) return `lines ${bad} are taken`;
  if (!isSameJson(answer.value, lines.map((line) => JSON.parse(line)))) return "rows have changed";
  const stages = coveredStages(answer.value);
  const isOrdered = stages.every((stage, at) => at === 0 || stage > stages[at - 1]!);
  return isOrdered && stages.every(Number.isInteger) ? null : `stages ${stages}`;
}
