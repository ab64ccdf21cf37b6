import { digestJson } from "./digest.ts";
import { compareText } from "./json-text.ts";
import type { Role } from "./roles.ts";

/** Where one invocation may write. */
export interface WritePolicy {
  readonly role: string;
  /** Absolute. */
  readonly projectRoot: string;
  readonly sourcePolicy: {
    /** Directory whose files the worker may change, absolute; null: no source file at all. */
    readonly allowedRoot: string | null;
    readonly plannedPaths: readonly string[];
    /** Whether `plannedPaths` is known to be complete. */
    readonly plannedPathsDeclared: boolean;
  };
  /** Files that the worker owes or may leave, absolute, sorted. */
  readonly artifactPaths: readonly string[];
  readonly auxiliaryRoots: readonly string[];
  /** How exactly the provider can keep the worker inside its border; `none`: not at all. */
  readonly precision: string;
}

/** How a policy is held: by comparing the tree before and after, or not at all. */
export interface WriteEnforcement {
  readonly mutationAudit: "batch" | "none";
  readonly boundary: string;
}

/** A policy with its digest and how it is held. */
export interface WriteContract {
  readonly writePolicy: WritePolicy;
  readonly writePolicyDigest: string;
  readonly writeEnforcement: WriteEnforcement;
}

/** What decides the write contract of an invocation. */
export interface WriteContractInput {
  readonly role: Role;
  readonly projectRoot: string;
  /** Absolute, or blank if there is none. */
  readonly worktree: string;
  readonly artifactPaths: readonly string[];
  /** Source files that an implementation declared beforehand; undefined: it declared none. */
  readonly plannedPaths?: readonly string[] | undefined;
  readonly precision: string;
  /** Whether the operating system keeps the provider's process inside its border. */
  readonly isSandboxed: boolean;
}

const CHANGES_SOURCE: readonly Role[] = ["implementer", "executor"];

/** Builds the write contract of an invocation. */
export function buildWriteContract(input: WriteContractInput): WriteContract {
  const changesSource = CHANGES_SOURCE.includes(input.role);
  const writePolicy: WritePolicy = {
    role: input.role,
    projectRoot: input.projectRoot,
    sourcePolicy: {
      allowedRoot: changesSource && input.worktree !== "" ? input.worktree : null,
      plannedPaths: input.role === "implementer" ? input.plannedPaths ?? [] : [],
      plannedPathsDeclared: input.role !== "implementer" || input.plannedPaths !== undefined,
    },
    artifactPaths: [...new Set(input.artifactPaths)].sort(compareText),
    auxiliaryRoots: [],
    precision: input.precision,
  };
  const isAudited = input.role !== "leader" && !input.isSandboxed;
  return {
    writePolicy,
    writePolicyDigest: digestJson(writePolicy),
    writeEnforcement: { mutationAudit: isAudited ? "batch" : "none", boundary: input.precision },
  };
}
