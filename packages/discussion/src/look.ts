import type { RunFacts } from "./context.ts";
import type { DispatchSources } from "./dispatch-rows.ts";

/** How far a run is, beyond what the record says. */
export interface RunWork {
  readonly run: RunFacts;
  readonly sources: DispatchSources;
  /** How far its convergence is: whether the findings are collected, and whether it has come to an end. */
  readonly hasGroups: boolean;
  readonly hasFinalState: boolean;
  /** Reads a worker's result as text. */
  readResult(path: string): string;
}

/** Who leads a run and works in it, as `prepare` takes it. */
export interface RunTeam {
  readonly lead: string;
  readonly workers: readonly { readonly workerId: string; readonly spec: string }[];
}

/** A look at the runs of a discussion, for what comes next; nothing is read before it is asked for. */
export interface Look {
  /** Lists the manifests of the runs that are prepared, project-relative, in their order. */
  runs(): readonly string[];
  /** Returns who takes part in a run; `null` if that cannot be read. */
  team(manifest: string): RunTeam | null;
  /** Returns how far a run is; `null` if that cannot be read. */
  work(manifest: string): RunWork | null;
}
