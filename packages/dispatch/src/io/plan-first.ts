import { quoteWord } from "@okstra/kit/command-line";
import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { teamStatePath } from "@okstra/team-state/io/team-state";
import { workerRow } from "@okstra/team-state/rows";
import { defaultProvider, firstJob, firstRole } from "../first-job.ts";
import type { Job } from "../job.ts";
import { bareIds, selectWorkers, type SkippedWorker } from "../worker-selection.ts";
import { checkPrompts } from "./check-prompts.ts";
import { knownProviders } from "./known-providers.ts";
import {
  checkInitialKind,
  type CommonFacts,
  type PlanOptions,
  requiredResult,
  WHOLE_RUN,
} from "./plan-facts.ts";

/**
 * Plans the roster of a run of version 1 from its team state. Prompts of such a run are written by its lead, so they must
 * be there.
 *
 * @throws {OkstraError} naming every worker that lacks something
 */
export function planFirstRoster(
  run: Run,
  state: TeamState,
  options: PlanOptions,
  facts: CommonFacts,
): { readonly jobs: readonly Job[]; readonly skipped: readonly SkippedWorker[] } {
  const { manifest } = run, roster = manifest.recommendedWorkers;
  checkInitialKind(options.dispatchKind);
  const providers = knownProviders(run);
  const providerOf = (id: string) =>
    manifest.workerAssignments.find((row) => row.workerId === id)?.provider ?? defaultProvider(id);
  const { selected, skipped } = selectWorkers({
    roster,
    requested: bareIds(options.workerIds, roster),
    supported: roster.filter((id) => providers.includes(providerOf(id))),
    isReportWriterEnabled: options.isReportWriterEnabled,
  });
  const jobs = selected.map((id) => {
    const row = workerRow(state, id, teamStatePath(run));
    const model = row.modelExecutionValue?.trim() ?? "";
    if (model === "") {
      throw new OkstraError(
        "model-missing",
        `Cannot plan a dispatch for ${id}: its row in ${
          JSON.stringify(teamStatePath(run))
        } has no modelExecutionValue`,
        {
          hint: `okstra-team-state worker set --worker ${
            quoteWord(id)
          } --status not-run --reason TEXT --model-execution-value MODEL`,
        },
      );
    }
    return firstJob({
      workerId: id,
      provider: providerOf(id),
      modelExecutionValue: model,
      promptPath: promptOf(run, id),
      workerResultPath: requiredResult(run, state, id),
      role: firstRole(
        manifest.workerAssignments.find((each) => each.workerId === id)?.role,
        row.role,
      ),
    }, facts);
  });
  checkPrompts(run, jobs, "initial");
  return { jobs, skipped };
}

function promptOf(run: Run, workerId: string): string {
  const prompts = run.manifest.workerPromptPathByWorkerId;
  const named = Object.hasOwn(prompts, workerId) ? prompts[workerId]!.trim() : "";
  const refuse = (code: string, state: string, hint: string) =>
    new OkstraError(code, `Cannot plan a dispatch for ${workerId}: ${state}`, { hint });
  if (named === "") {
    const state = "workerPromptPathByWorkerId of the run does not name it";
    throw refuse("prompt-path-missing", state, WHOLE_RUN);
  }
  if (stat(run.at(named)) !== null) return named;
  throw refuse(
    "prompt-missing",
    `its prompt ${
      JSON.stringify(named)
    } is not there, and that of a run of version 1 is the lead's to write`,
    `write it to ${run.at(named)}`,
  );
}
