import type { DocumentPath, Report } from "./checks.ts";
import { checkOutcomes, isObject, isText } from "./checks.ts";
import type { Asked, AskedByRound } from "./validate-facts.ts";
import { MAX_ROUNDS } from "./vocabulary.ts";
import { show } from "./votes.ts";

/** Checks the rounds of a final state and returns whom each asked about what. */
export function checkRounds(
  value: unknown,
  roster: readonly string[],
  report: Report,
): AskedByRound {
  const rounds = new Map<number, ReadonlyMap<string, Asked>>();
  if (!Array.isArray(value)) {
    report(["rounds"], "rounds is not an array");
    return rounds;
  }
  if (value.length > MAX_ROUNDS) {
    report(["rounds"], `there are ${value.length} rounds, at most ${MAX_ROUNDS} are made`);
  }
  const known = new Set(roster);
  value.forEach((row: unknown, i) => {
    if (!isObject(row)) return report(["rounds", i], `round ${i + 1} is not an object`);
    if (row["round"] !== i + 1) {
      report(
        ["rounds", i, "round"],
        `round ${show(row["round"])} stands where round ${i + 1} belongs`,
      );
    }
    rounds.set(i + 1, checkAsked(row["dispatches"], ["rounds", i, "dispatches"], known, report));
  });
  return rounds;
}

function checkAsked(
  value: unknown,
  path: DocumentPath,
  roster: ReadonlySet<string>,
  report: Report,
): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  const resolve = (name: string) => roster.has(name) ? name : null;
  const outcomes = checkOutcomes(value, path, { resolve, stranger: "is not in workers" }, report);
  for (const { worker, status, index } of outcomes) {
    const place = [...path, index];
    const ids = ((value as unknown[])[index] as Record<string, unknown>)["findingIds"];
    const isList = Array.isArray(ids) && ids.every(isText);
    if (!isList) report([...place, "findingIds"], `${worker}: findingIds is not an array of ids`);
    asked.set(worker, { status, path: place, findingIds: new Set(isList ? ids as string[] : []) });
  }
  return asked;
}
