import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-convergence`. */
export const app: App = {
  name: "okstra-convergence",
  summary: "Takes the findings of several workers through rounds of verification to a final state",
  commands: {
    ...commandsOf(["example", "collect-findings", "seed"], () => import("./cli/start.ts")),
    ...commandsOf(
      ["plan-round", "prompts", "collect-results", "apply-round"],
      () => import("./cli/round.ts"),
    ),
    ...commandsOf(["apply-critic-gaps", "finalize", "validate"], () => import("./cli/end.ts")),
    ...commandsOf(["status", "report", "replay"], () => import("./cli/tell.ts")),
  },
};
