import { type App, loadCommands } from "../../../packages/kit/src/cli.ts";
import { app as convergence } from "../../../packages/convergence/src/cli.ts";
import { app as discussion } from "../../../packages/discussion/src/cli.ts";
import { app as dispatch } from "../../../packages/dispatch/src/cli.ts";
import { app as manifestIo } from "../../../packages/manifest-io/src/cli.ts";
import { app as teamState } from "../../../packages/team-state/src/cli.ts";
import { app as wrapperStatus } from "../../../packages/wrapper-status/src/cli.ts";

/** The command tables of the six tools. */
export const APPS: readonly App[] = [
  ...[manifestIo, teamState, wrapperStatus, dispatch, convergence, discussion],
];

/** Their commands by name, by the name of the tool. */
export const COMMANDS = Object.fromEntries(
  await Promise.all(APPS.map(async (app) => [app.name, await loadCommands(app)] as const)),
);

/** Lists every command as it is written: `okstra-team-state worker set`. */
export function listCommands(): string[] {
  return APPS.flatMap((app) => Object.keys(app.commands).map((name) => `${app.name} ${name}`));
}
