import type { Backend } from "@okstra/manifest-io/vocabulary";
import type { Surroundings } from "../surroundings.ts";
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
export function findDrivers(
  { env, environment }: Pick<Surroundings, "env" | "environment">,
  runKey: string,
): Drivers {
  const make: Readonly<Record<Backend, () => BackendDriver>> = {
    "cli-wrapper": () => cliWrapper(environment),
    "tmux-pane": () => tmuxPane(env, runKey),
    "cmux-pane": () => cmuxPane(env),
  };
  const made = new Map<Backend, BackendDriver>();
  return (backend) => {
    const driver = made.get(backend) ?? make[backend]();
    made.set(backend, driver);
    return driver;
  };
}
