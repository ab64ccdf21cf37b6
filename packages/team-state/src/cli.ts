import type { App } from "@okstra/kit/cli";
import { nativeCommands } from "./cli/native.ts";
import { rowsCommands } from "./cli/rows.ts";
import { showCommands } from "./cli/show.ts";
import { usageCommands } from "./cli/usage.ts";

/** Command table of `okstra-team-state`. */
export const app: App = {
  name: "okstra-team-state",
  summary: "Keeps the shared state document of a run's workers",
  commands: {
    ...showCommands,
    ...rowsCommands,
    ...nativeCommands,
    ...usageCommands,
  },
};
