import { validateShape } from "@okstra/manifest-io/document-kind";
import type { DocumentKind } from "@okstra/manifest-io/document-kind";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { planInvocations, type PlannedInvocation } from "@okstra/manifest-io/invocation";
import { type Run, writtenPath } from "@okstra/manifest-io/io/run";
import { parseObject } from "@okstra/manifest-io/parse-bytes";
import {
  type InvocationBatch,
  invocationBatch,
  type InvocationBatchEntry,
} from "@okstra/manifest-io/schemas/invocation-batch";
import { bareIds, refuseTwice, type SkippedWorker } from "../worker-selection.ts";

/** A file that the caller named, as it was read. */
export interface NamedFile {
  /** Absolute; `-` for standard input. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The invocations that a roster or a batch comes to. */
export interface Chosen {
  readonly invocations: readonly PlannedInvocation[];
  readonly skipped: readonly SkippedWorker[];
  /** `null` for a roster dispatch. */
  readonly batch: { readonly path: string; readonly content: InvocationBatch } | null;
}

/**
 * Reads a batch and chooses from it.
 *
 * @throws {OkstraError} `wrong-shape`, `batch-invalid`, `other-kind`, `duplicate-request` or `not-in-batch`
 */
export function planBatch(
  run: Run,
  file: NamedFile,
  options: { readonly workerIds: readonly string[]; readonly dispatchKind: string | null },
): Chosen {
  const content = parseNamedFile(invocationBatch, file);
  const entries = content.invocations.map((entry): InvocationBatchEntry => ({
    ...entry,
    instruction: writtenPath(run, entry.instruction),
    prompt: writtenPath(run, entry.prompt),
    result: writtenPath(run, entry.result),
  }));
  const all = planInvocations(run.manifest, entries, file.path);
  checkKinds(all, options.dispatchKind, file.path);
  const requested = bareIds(options.workerIds, run.manifest.recommendedWorkers);
  checkRequested(requested, all, file.path);
  const invocations = requested.length === 0
    ? all
    : requested.flatMap((id) => all.filter((each) => each.workerId === id));
  // Only those that are started are prepared.
  const kept = content.invocations.filter((_, at) => invocations.includes(all[at]!));
  const batch = { path: file.path, content: { ...content, invocations: kept } };
  return { invocations, skipped: [], batch };
}

/**
 * Reads a file that the caller named as a document.
 *
 * @throws {OkstraError} `wrong-shape`, with every problem of its shape, or as `parseObject`
 */
export function parseNamedFile<T>(kind: DocumentKind<T>, { path, bytes }: NamedFile): T {
  const value = parseObject(kind.label, path, bytes);
  const issues = validateShape(kind, value);
  if (issues.length === 0) return value as T;
  const state = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
  throw new OkstraError(
    "wrong-shape",
    `Cannot read ${JSON.stringify(path)} as ${kind.label}: ${state}`,
    {
      issues: issues.map((issue) => ({ file: path, ...issue })),
      hint: `okstra-manifest-io schema ${kind.kind}`,
    },
  );
}

/**
 * Refuses workers that a file has nothing for, or that are named twice.
 *
 * @throws {OkstraError} `duplicate-request` or `not-in-batch`
 */
export function checkRequested(
  requested: readonly string[],
  all: readonly { readonly workerId: string }[],
  path: string,
): void {
  refuseTwice(requested);
  const strangers = requested.filter((id) => !all.some((each) => each.workerId === id));
  if (strangers.length === 0) return;
  throw new OkstraError(
    "not-in-batch",
    `Cannot plan a dispatch for ${strangers.join(", ")}: ${JSON.stringify(path)} has none`,
    {
      hint: `it has ${[...new Set(all.map(({ workerId }) => workerId))].join(", ") || "no worker"}`,
    },
  );
}

function checkKinds(
  invocations: readonly PlannedInvocation[],
  dispatchKind: string | null,
  path: string,
): void {
  const issues: Issue[] = invocations.flatMap(({ dispatchKind: kind }, at) =>
    dispatchKind === null || kind === dispatchKind ? [] : [{
      file: path,
      pointer: `/invocations/${at}/dispatch-kind`,
      message: `it is "${kind}", not "${dispatchKind}"`,
    }]
  );
  if (issues.length === 0) return;
  throw new OkstraError(
    "other-kind",
    `Cannot plan a dispatch of kind "${dispatchKind}": ${JSON.stringify(path)} holds another kind`,
    { issues, hint: "leave --dispatch-kind out, or name the kind that the file has" },
  );
}
