import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-wrapper-status`. */
export const app: App = {
  name: "okstra-wrapper-status",
  summary: "Runs one worker's command line, watches it, and says truthfully what became of it",
  commands: {
    ...commandsOf(["run"], () => import("./cli/run.ts")),
    ...commandsOf(
      ["read", "paths", "liveness", "explain", "follow"],
      () => import("./cli/workers.ts"),
    ),
    ...commandsOf(["providers"], () => import("./cli/providers.ts")),
  },
};
