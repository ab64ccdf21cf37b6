import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-team-state`. */
export const app: App = {
  name: "okstra-team-state",
  summary: "Keeps the shared state document of a run's workers",
  commands: {
    ...commandsOf(["show"], () => import("./cli/show.ts")),
    ...commandsOf(
      ["worker set", "dispatch append", "dispatch settle", "dispatch running", "facts record"],
      () => import("./cli/rows.ts"),
    ),
    ...commandsOf(
      ["ledger record", "result link", "result reject"],
      () => import("./cli/native.ts"),
    ),
    ...commandsOf(["sessions", "usage"], () => import("./cli/usage.ts")),
  },
};
