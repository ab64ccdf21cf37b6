import { command, formatJsonLine, runOptions, stripControl } from "@okstra/kit/cli";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { openRunOf, reads } from "./options.ts";

/** Command that shows the team. */
export const commands = {
  show: command({
    summary: "Print the team state of a run",
    options: {
      ...runOptions,
      format: {
        type: "string",
        choices: ["json", "text"],
        default: "json",
        help: "The document, or a table of its workers",
      },
      watch: { type: "boolean", help: "Print again on every change, until interrupted" },
    },
    details:
      "The document is printed as it is on disk, but for runManifestPath, which is absolute. " +
      "With --watch, JSON is one document per line, and the table replaces the one before on a terminal.",
    example: "okstra-team-state show --format text",
    reads,
    run: async (call) => {
      const run = await openRunOf(call);
      const { readTeamState, teamStatePath } = await import("../io/team-state.ts");
      const isJson = call.values.format === "json";
      const document = (state: TeamState) => ({ ...state, runManifestPath: run.manifestPath });
      if (isJson && !call.values.watch) return call.json(document(readTeamState(run)));
      const { formatTeam } = await import("../format-team.ts");
      const table = (state: TeamState) => formatTeam(state, call.io.now(), stripControl);
      if (!call.values.watch) return call.io.out(table(readTeamState(run)));
      const { watchTeamState } = await import("../io/watch.ts");
      const clear = call.io.isTerminal(1) ? "\u001b[H\u001b[J" : "";
      await watchTeamState(
        teamStatePath(run),
        (state) => call.io.out(isJson ? formatJsonLine(document(state)) : clear + table(state)),
      );
    },
  }),
};
