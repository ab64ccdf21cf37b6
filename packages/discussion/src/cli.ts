import { type App, commandsOf } from "@okstra/kit/cli";

/** Command table of `okstra-discussion`. */
export const app: App = {
  name: "okstra-discussion",
  summary: "Keeps the record of a moderated discussion between a user and several workers",
  commands: {
    ...commandsOf(
      ["confirm-subject", "add-material", "ask", "answer", "decide", "address", "drop"],
      () => import("./cli/say.ts"),
    ),
    ...commandsOf(
      ["cycle-open", "settle", "recover", "cycle-close"],
      () => import("./cli/cycle.ts"),
    ),
    ...commandsOf(
      ["question-prompt", "collect-answer", "collect-questions"],
      () => import("./cli/questions.ts"),
    ),
    ...commandsOf(["complete", "reopen"], () => import("./cli/revisions.ts")),
    ...commandsOf(["status", "show", "verify", "replay", "log"], () => import("./cli/tell.ts")),
  },
};
