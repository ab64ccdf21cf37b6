import type { App } from "@okstra/kit/cli";
import { endCommands } from "./cli/end.ts";
import { roundCommands } from "./cli/round.ts";
import { startCommands } from "./cli/start.ts";
import { tellCommands } from "./cli/tell.ts";

/** Command table of `okstra-convergence`. */
export const app: App = {
  name: "okstra-convergence",
  summary: "Takes the findings of several workers through rounds of verification to a final state",
  commands: { ...startCommands, ...roundCommands, ...endCommands, ...tellCommands },
};
