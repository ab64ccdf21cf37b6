import { BACKENDS } from "@okstra/manifest-io/vocabulary";
import { detectBackend } from "@okstra/manifest-io/io/detect-backend";
import { findDrivers } from "./backends/find-driver.ts";
import type { Surroundings } from "./surroundings.ts";

/** What `backends` prints. */
export interface BackendsPayload {
  /** What `prepare --backend auto` would choose here. */
  readonly detected: string;
  readonly backends: readonly {
    readonly backend: string;
    readonly usable: boolean;
    readonly reason: string;
  }[];
}

/** Lists the backends, and of each whether it can be used from here. */
export async function reportBackends(
  surroundings: Pick<Surroundings, "env" | "environment">,
): Promise<BackendsPayload> {
  const drivers = findDrivers(surroundings, "");
  const checks = await Promise.all(BACKENDS.map((backend) => drivers(backend).check()));
  return {
    detected: await detectBackend(surroundings.env),
    backends: checks.map(({ backend, isUsable, reason }) => ({
      backend,
      usable: isUsable,
      reason,
    })),
  };
}
