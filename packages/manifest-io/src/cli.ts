import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-manifest-io`. */
export const app: App = {
  name: "okstra-manifest-io",
  summary: "Prepares a run and reads, checks and atomically writes every artifact",
  commands: {
    ...commandsOf(["prepare"], () => import("./cli/prepare.ts")),
    ...commandsOf(
      ["show", "get", "validate", "schema", "write", "update", "with-lock"],
      () => import("./cli/documents.ts"),
    ),
    ...commandsOf(["prompt materialize", "prompt verify"], () => import("./cli/prompts.ts")),
    ...commandsOf(
      ["attempt open", "attempt finish", "attempt list"],
      () => import("./cli/attempts.ts"),
    ),
    ...commandsOf(["event append", "event list"], () => import("./cli/events.ts")),
    ...commandsOf(["carry backfill", "carry covered"], () => import("./cli/carry.ts")),
    ...commandsOf(["context-cost", "validate-run"], () => import("./cli/checks.ts")),
  },
};
