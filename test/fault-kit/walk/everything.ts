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
}

/** Walks through every command of every tool. */
export const WAYS: readonly Way[] = [
  { tools: ["okstra-manifest-io"], walk: walkManifestIo },
  { tools: ["okstra-team-state"], walk: walkTeamState },
  { tools: ["okstra-wrapper-status"], walk: walkWrapperStatus },
  { tools: ["okstra-dispatch"], walk: walkDispatch },
  { tools: ["okstra-discussion", "okstra-convergence"], walk: walkDiscussion },
];
