import type { Environment } from "@okstra/manifest-io/io/detect-backend";
import type { Backend } from "@okstra/manifest-io/vocabulary";
import type { BackendDriver } from "./backend.ts";
import { cliWrapper } from "./cli-wrapper.ts";
import { cmuxPane } from "./cmux-pane.ts";
import { tmuxPane } from "./tmux-pane.ts";

/** The backends of one call, each made when it is first asked for. */
export type Drivers = (backend: Backend) => BackendDriver;

/**
 * Returns the backends as they can be reached from here.
 *
 * @param runKey what tells the run's places from those of other runs
 */
export function findDrivers(env: Environment, runKey: string): Drivers {
  const made = new Map<Backend, BackendDriver>([["cli-wrapper", cliWrapper]]);
  return (backend) => {
    const driver = made.get(backend) ??
      (backend === "tmux-pane" ? tmuxPane(env, runKey) : cmuxPane(env));
    made.set(backend, driver);
    return driver;
  };
}
