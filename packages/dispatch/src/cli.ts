import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-dispatch`. */
export const app: App = {
  name: "okstra-dispatch",
  summary: "Plans, starts, retries, awaits and tears down workers",
  commands: {
    ...commandsOf(["plan", "jobs"], () => import("./cli/plans.ts")),
    ...commandsOf(["start", "await", "run", "resume"], () => import("./cli/workers.ts")),
    ...commandsOf(["teardown", "reclaim"], () => import("./cli/ends.ts")),
    ...commandsOf(["backends", "why"], () => import("./cli/reports.ts")),
  },
};
