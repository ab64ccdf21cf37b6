import type { App } from "@okstra/kit/cli";
import { attemptsCommands } from "./cli/attempts.ts";
import { carryCommands } from "./cli/carry.ts";
import { checksCommands } from "./cli/checks.ts";
import { documentsCommands } from "./cli/documents.ts";
import { eventsCommands } from "./cli/events.ts";
import { prepareCommands } from "./cli/prepare.ts";
import { promptsCommands } from "./cli/prompts.ts";

/** Command table of `okstra-manifest-io`. */
export const app: App = {
  name: "okstra-manifest-io",
  summary: "Prepares a run and reads, checks and atomically writes every artifact",
  commands: {
    ...prepareCommands,
    ...documentsCommands,
    ...promptsCommands,
    ...attemptsCommands,
    ...eventsCommands,
    ...carryCommands,
    ...checksCommands,
  },
};
