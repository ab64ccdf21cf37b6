import type { UpdateOptions } from "@okstra/manifest-io/io/document";
import { type ApplyResult, applyRound as apply } from "../apply-round.ts";
import { countRoundVotes } from "../vote-counts.ts";
import { readRaw } from "./documents.ts";
import { keepInput } from "./inputs.ts";
import { type Place, runFields } from "./place.ts";
import { readPlan, requireAsked, updateWork } from "./rounds.ts";

/**
 * Applies the results of the round under way to the work state.
 *
 * @throws {OkstraError} `bad-round` with every problem, `round-applied`
 */
export function applyRound(place: Place, options: UpdateOptions) {
  let result: ApplyResult | null = null, round = 0;
  const work = updateWork(place, options, (current) => {
    const { plan } = readPlan(place, current);
    round = plan.round;
    requireAsked("apply", plan);
    const results = readRaw(
      "convergence round results",
      place.source("results", round),
      "status",
    );
    result = apply(current, plan, results);
    if (result.action !== "applied") return null;
    keepInput(place, "plan", plan, round);
    keepInput(place, "results", results, round);
    return result.work;
  });
  const contested = work.findings.filter(({ classification }) => classification === "contested");
  return {
    action: result!.action,
    path: place.file("work-state"),
    ...runFields(place),
    round,
    revision: work.revision,
    votes: countRoundVotes(work, (number) => number === round),
    contested: contested.map(({ findingId }) => findingId),
  };
}
