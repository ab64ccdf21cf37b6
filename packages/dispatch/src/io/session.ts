import type { EventFacts } from "@okstra/manifest-io/io/events";
import { appendEvents } from "@okstra/manifest-io/io/events";
import type { Run } from "@okstra/manifest-io/io/run";
import type { CrashPoint } from "../crash-points.ts";
import { type Drivers, findDrivers } from "./backends/find-driver.ts";
import { Sidebar } from "./sidebar.ts";
import { cachedSidecars, type SidecarReader } from "./sidecar-cache.ts";
import type { Surroundings } from "./surroundings.ts";

/** One call of the tool on one run: the run, what surrounds the call, and the backends as they can be reached from here. */
export interface Session extends Omit<Surroundings, "reach"> {
  readonly run: Run;
  readonly drivers: Drivers;
  readonly sidebar: Sidebar;
  reach(point: CrashPoint): void;
  readonly readSidecar: SidecarReader;
}

/** Opens a session on a run. */
export function openSession(run: Run, surroundings: Surroundings): Session {
  const { reach = () => {}, env } = surroundings;
  const isRelayed = run.manifest.terminalBackend === "cmux-pane";
  return {
    ...surroundings,
    run,
    reach,
    readSidecar: cachedSidecars(),
    drivers: findDrivers(surroundings, run.manifestPath),
    sidebar: new Sidebar(env, isRelayed, run.taskType),
  };
}

/** Appends events to the run, and only then shows them where people see them. */
export function announce(session: Session, events: readonly EventFacts[]): void {
  appendEvents(session.run, events, session.now(), session.lockTimeoutMs);
  for (const event of events) session.sidebar.relay(event);
}
