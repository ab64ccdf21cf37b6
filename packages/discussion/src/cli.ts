import type { App } from "@okstra/kit/cli";
import { cycleCommands } from "./cli/cycle.ts";
import { questionCommands } from "./cli/questions.ts";
import { revisionCommands } from "./cli/revisions.ts";
import { sayCommands } from "./cli/say.ts";
import { tellCommands } from "./cli/tell.ts";

/** Command table of `okstra-discussion`. */
export const app: App = {
  name: "okstra-discussion",
  summary: "Keeps the record of a moderated discussion between a user and several workers",
  commands: {
    ...sayCommands,
    ...cycleCommands,
    ...questionCommands,
    ...revisionCommands,
    ...tellCommands,
  },
};
