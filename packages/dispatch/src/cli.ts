import type { App } from "@okstra/kit/cli";
import { endsCommands } from "./cli/ends.ts";
import { plansCommands } from "./cli/plans.ts";
import { reportsCommands } from "./cli/reports.ts";
import { workersCommands } from "./cli/workers.ts";

/** Command table of `okstra-dispatch`. */
export const app: App = {
  name: "okstra-dispatch",
  summary: "Plans, starts, retries, awaits and tears down workers",
  commands: {
    ...plansCommands,
    ...workersCommands,
    ...endsCommands,
    ...reportsCommands,
  },
};
