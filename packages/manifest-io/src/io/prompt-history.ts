import { readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { executionManifest } from "../schemas/execution-manifest.ts";
import { invocationMetadata } from "../schemas/invocation-metadata.ts";
import { teamState } from "../schemas/team-state.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";

/**
 * Tells whether an invocation was handed to a worker in any attempt, by the run's rows and its attempts.
 *
 * @param promptPath absolute
 */
export function isDispatched(run: Run, invocationId: string, promptPath: string): boolean {
  const state = readDocument(teamState, run.at(run.manifest.teamStatePath));
  const rows = [...state.workerDispatches ?? [], ...state.agentDispatches ?? []];
  const inRows = rows.some((row) =>
    row.invocationId === invocationId || row.invocationRef === invocationId ||
    (row.promptPath !== undefined && row.promptPath !== "" && run.at(row.promptPath) === promptPath)
  );
  if (inRows) return true;
  const path = run.at(run.manifest.executionManifestPath);
  return stat(path) !== null &&
    readDocument(executionManifest, path).attempts.some((row) =>
      row.invocationRef === invocationId
    );
}

/** Prepared prompts, project-relative, by invocation id. */
export type PromptIndex = ReadonlyMap<string, readonly string[]>;

/** Lists the prompts that were prepared in a directory; one that does not exist has none. */
export function indexPrompts(directory: string): PromptIndex {
  const index = new Map<string, readonly string[]>();
  if (stat(directory) === null) return index;
  for (const { name } of readDir(directory)) {
    if (!name.endsWith(".meta.json")) continue;
    const { invocationId, prompt } = readDocument(invocationMetadata, join(directory, name));
    index.set(invocationId, [...index.get(invocationId) ?? [], prompt.path]);
  }
  return index;
}
