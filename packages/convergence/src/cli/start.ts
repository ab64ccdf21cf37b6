import { command, mutationOptions, runOptions } from "@okstra/kit/cli";
import { finish, groupsFile, keptInput, openPlace, updateOptions, workFile } from "./options.ts";

/** Commands that begin a convergence. */
export const commands = {
  example: command({
    summary: "Print a good document of a kind that people write by hand",
    options: {
      kind: {
        type: "string",
        choices: ["groups", "round-results", "critic-results", "coverage-batch"],
        required: true,
        help: "Kind of the document",
      },
    },
    details:
      "groups feeds seed --groups; round-results feeds apply-round --results; coverage-batch feeds " +
      "apply-critic-gaps --results. critic-results feeds nothing and is refused by design: it is the " +
      "critic's own list, from which the lead builds a coverage-batch with the votes of the others. " +
      "Together the examples tell one story.",
    example: "okstra-convergence example --kind groups",
    run: async (call) => {
      const { EXAMPLES } = await import("../examples.ts");
      call.json(EXAMPLES[call.values.kind]);
    },
  }),

  "collect-findings": command({
    summary: "Collect the findings of the run's analysers into groups",
    options: {
      ...runOptions,
      result: {
        type: "string",
        value: "WORKER=FILE",
        multiple: true,
        help: "Result of a worker, instead of the one on record",
      },
      absent: {
        type: "string",
        value: "WORKER",
        multiple: true,
        help: "Worker whose result is not there, or not taken; it stays in the roster",
      },
      join: {
        type: "string",
        value: "W:F-001,W:F-002",
        multiple: true,
        help: "Findings of the results that are one and the same",
      },
      "on-invalid": {
        type: "string",
        choices: ["refuse", "absent"],
        default: "refuse",
        help: "Refuse a result that does not parse, or go on without it",
      },
      groups: groupsFile,
    },
    details:
      "A result without --result is that of the worker's last completed dispatch of kind initial, or the one " +
      "that is linked to the host's own. " +
      "near[] of the output lists findings of different workers that cite the same place in the same " +
      "category; only --join makes them one. invalid[] lists workers whose result does not parse, and again " +
      "of each how it is asked once more. Once seeded, the groups cannot change.",
    example: "okstra-convergence collect-findings --join alpha:F-001,beta:F-003",
    reads: ["the run manifest", "its team state", "the results of the workers"],
    writes: ["the groups"],
    run: async (call) => {
      const place = await openPlace(call, { groups: "groups" }, true);
      const { collectFindings } = await import("../io/collect-findings.ts");
      const { result, absent, join } = call.values, onInvalid = call.values["on-invalid"];
      const input = { results: result, absent, joins: join, onInvalid, resolve: call.path };
      finish(call, collectFindings(place, input));
    },
  }),

  seed: command({
    summary: "Start a convergence from its groups",
    options: { ...runOptions, ...mutationOptions, groups: groupsFile, "work-state": workFile },
    details:
      "Roster, number of rounds and the digest of the groups are frozen. The same groups again change " +
      "nothing, others are refused.",
    example: "okstra-convergence seed",
    reads: ["the groups"],
    writes: ["the work state, under its lock", keptInput],
    run: async (call) => {
      const place = await openPlace(call, { groups: "groups", "work-state": "work-state" });
      const { seed } = await import("../io/seed.ts");
      call.json(seed(place, updateOptions(call.values)));
    },
  }),
};
