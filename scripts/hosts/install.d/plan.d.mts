import type { Hooks } from "./hooks.mjs";

/** A file of an installation. */
export type Wanted =
  | { kind: "file" | "section"; path: string; content: string }
  | { kind: "hooks"; path: string; content: Hooks };

/** What `look` tells of a file, or why it cannot be looked at. */
export type State = { problem: string } | {
  problem?: undefined;
  real: string;
  link: string | null;
  bytes: Uint8Array | null;
  mode: number | null;
  missing: string[];
  name: string;
  leadsHere(name: string): boolean;
  lock: string | null;
};

/** A change of one file, `null`: no file. */
export interface Change {
  path: string;
  real: string;
  link: string | null;
  before: Uint8Array | null;
  after: Uint8Array | null;
  oldMode: number | null;
  mode: number | null;
  folders: number;
}

export function planChanges(
  items: readonly { wanted: Wanted; state: State }[],
  options: { host: string; isRemoval: boolean; isForced: boolean },
): {
  changes: Change[];
  kept: { path: string; reason: string }[];
  problems: { path: string; problem: string }[];
};
