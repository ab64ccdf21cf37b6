import { walkDiscussion } from "./discussion.ts";
import { walkDispatch } from "./dispatch.ts";
import { walkManifestIo } from "./manifest-io.ts";
import { walkTeamState } from "./team-state.ts";
import type { Walk } from "./walk.ts";
import { walkWrapperStatus } from "./wrapper-status.ts";

/** A walk, and the tools whose commands it calls all of. */
export interface Way {
  readonly tools: readonly string[];
  readonly walk: (walk: Walk) => Promise<void>;
  /** Kinds of documents that it changes. */
  readonly revises: readonly string[];
}

/** Walks through every command of every tool. */
export const WAYS: readonly Way[] = [
  {
    tools: ["okstra-manifest-io"],
    walk: walkManifestIo,
    revises: ["execution-manifest", "task-manifest.json", "team-state"],
  },
  { tools: ["okstra-team-state"], walk: walkTeamState, revises: ["run-manifest", "team-state"] },
  { tools: ["okstra-wrapper-status"], walk: walkWrapperStatus, revises: [] },
  {
    tools: ["okstra-dispatch"],
    walk: walkDispatch,
    revises: ["execution-manifest", "team-state"],
  },
  {
    tools: ["okstra-discussion", "okstra-convergence"],
    walk: walkDiscussion,
    revises: ["convergence-work"],
  },
];
