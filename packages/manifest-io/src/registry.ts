import type { DocumentKind } from "./document-kind.ts";
import { OkstraError } from "./errors.ts";

type Loader = () => Promise<DocumentKind<unknown>>;

/** Every kind of document, loaded when it is asked for so that no command pays for the others. */
const KINDS: Readonly<Record<string, Loader>> = {
  "active-run-context": async () =>
    (await import("./schemas/active-run-context.ts")).activeRunContext,
  "await-summary": async () => (await import("./schemas/await-summary.ts")).awaitSummary,
  "convergence-groups": async () =>
    (await import("./schemas/convergence-groups.ts")).convergenceGroups,
  "convergence-plan": async () => (await import("./schemas/convergence-plan.ts")).convergencePlan,
  "convergence-results": async () =>
    (await import("./schemas/convergence-results.ts")).convergenceResults,
  "convergence-state": async () =>
    (await import("./schemas/convergence-state.ts")).convergenceState,
  "convergence-work": async () => (await import("./schemas/convergence-work.ts")).convergenceWork,
  "coverage-batch": async () => (await import("./schemas/coverage-batch.ts")).coverageBatch,
  "critic-results": async () => (await import("./schemas/critic-results.ts")).criticResults,
  "discussion-anchor": async () =>
    (await import("./schemas/discussion-anchor.ts")).discussionAnchor,
  "discussion-record": async () =>
    (await import("./schemas/discussion-record.ts")).discussionRecord,
  "execution-manifest": async () =>
    (await import("./schemas/execution-manifest.ts")).executionManifest,
  "invocation-batch": async () => (await import("./schemas/invocation-batch.ts")).invocationBatch,
  "invocation-metadata": async () =>
    (await import("./schemas/invocation-metadata.ts")).invocationMetadata,
  "jobs-file": async () => (await import("./schemas/jobs-file.ts")).jobsFile,
  "lead-event": async () => (await import("./schemas/lead-event.ts")).leadEvent,
  "mutation-snapshot": async () =>
    (await import("./schemas/mutation-snapshot.ts")).mutationSnapshot,
  "provider-hold": async () => (await import("./schemas/provider-hold.ts")).providerHold,
  "providers": async () => (await import("./schemas/providers.ts")).providers,
  "run-manifest": async () => (await import("./schemas/run-manifest.ts")).runManifest,
  "status-sidecar": async () => (await import("./schemas/status-sidecar.ts")).statusSidecar,
  "task-manifest": async () => (await import("./schemas/task-manifest.ts")).taskManifest,
  "team-state": async () => (await import("./schemas/team-state.ts")).teamState,
};

/** Names of all document kinds, sorted. */
export const KIND_NAMES: readonly string[] = Object.keys(KINDS);

/**
 * Returns a document kind by its name.
 *
 * @throws {OkstraError} `unknown-kind`; the hint lists the names
 */
export async function findKind(name: string): Promise<DocumentKind<unknown>> {
  if (Object.hasOwn(KINDS, name)) return await KINDS[name]!();
  throw new OkstraError("unknown-kind", `Cannot find document kind "${name}": no such kind`, {
    hint: `use one of ${KIND_NAMES.join(", ")}`,
  });
}
