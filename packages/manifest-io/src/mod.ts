/**
 * Prepares a run and reads, checks and atomically writes every artifact that the okstra tools share.
 *
 * @example
 * ```ts
 * import { openRun, readDocument } from "@okstra/manifest-io";
 * import { teamState } from "@okstra/manifest-io/schemas/team-state";
 *
 * const run = openRun(".okstra/tasks/demo/review/src/runs/discussion/manifests/run-manifest-discussion-001.json");
 * const state = readDocument(teamState, run.at(run.manifest.teamStatePath));
 * ```
 *
 * @module
 */
export { canonicalJson } from "./canonical-json.ts";
export { digestBytes, digestJson } from "./digest.ts";
export { type DocumentKind, validateShape } from "./document-kind.ts";
export { type Issue, OkstraError } from "./errors.ts";
export { attemptOf, dispatchId, workerKey } from "./identity.ts";
export { readDocument, updateDocument, writeDocument } from "./io/document.ts";
export { readExternalJson, readExternalText } from "./io/external.ts";
export { type PrepareOptions, type PrepareResult, prepareRun } from "./io/prepare.ts";
export { openRun, type Run } from "./io/run.ts";
export { findKind, KIND_NAMES } from "./registry.ts";
