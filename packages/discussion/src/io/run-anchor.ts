import { findAnchorFault } from "../anchor.ts";
import type { RecordBook } from "../record-book.ts";
import { refuseRecords } from "../record-file.ts";
import { recordsPath } from "./store-files.ts";
import type { RunTask, Task } from "./task.ts";
import { updateDocument } from "@okstra/manifest-io/io/document";
import { resolveExisting, type Run } from "@okstra/manifest-io/io/run";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import {
  type FirstRunManifest,
  type RunManifest,
  runManifest,
} from "@okstra/manifest-io/schemas/run-manifest";
import { discussionStoreDirectory } from "@okstra/manifest-io/task-key";
import { relative } from "@std/path";

/**
 * Copies the store's anchor into the manifest of a run, unless the one there already covers as much, and where the store
 * is, if not at its own place: then whoever names the run finds it.
 *
 * Must be called without the store's lock. A process that dies before it loses nothing: the next call copies it.
 *
 * @param needed how many records the anchor has to cover at least
 */
export function anchorRun(
  task: RunTask,
  anchor: DiscussionAnchor,
  needed: number,
  lockTimeoutMs: number | undefined,
): void {
  const { run } = task, store = storeOf(task);
  const isCovered = (known: Pick<RunManifest, "discussionAnchor" | "discussionStore">) =>
    (known.discussionAnchor?.recordCount ?? 0) >= needed && known.discussionStore === store;
  if (isCovered(run.manifest)) return;
  const { recordCount, recordsDigest, at } = anchor;
  updateDocument(
    runManifest,
    run.manifestPath,
    { lockTimeoutMs },
    (manifest) =>
      isCovered(manifest) ? null : {
        ...withStore(manifest, store),
        discussionAnchor: { ...manifest.discussionAnchor, recordCount, recordsDigest, at },
      },
  );
}

/** Tells the run from which a record elsewhere was changed where that is, unless the run knows of a place; as {@linkcode anchorRun}. */
export function tellStore({ run, ...task }: Task, lockTimeoutMs: number | undefined): void {
  if (run === null || run.manifest.discussionStore !== undefined) return;
  const store = storeOf({ ...task, run });
  if (store === undefined) return;
  updateDocument(
    runManifest,
    run.manifestPath,
    { lockTimeoutMs },
    (manifest) => manifest.discussionStore === undefined ? withStore(manifest, store) : null,
  );
}

/** Returns the place of a store as its run tells it; `undefined` if it is the record's own. */
function storeOf(
  { run, context, storeDirectory }: Task & { readonly run: Run },
): string | undefined {
  if (context.store === null) return undefined;
  const store = relative(run.projectRoot, resolveExisting(storeDirectory));
  return store === discussionStoreDirectory(run.taskKey) ? undefined : store;
}

function withStore(manifest: RunManifest | FirstRunManifest, store: string | undefined) {
  if (store !== undefined) return { ...manifest, discussionStore: store };
  const { discussionStore: _, ...others } = manifest;
  return others;
}

/**
 * Refuses a record that lacks what the run knows of it from which a command is called: the files of a store may fit each
 * other and still be old ones.
 *
 * @throws {OkstraError} `record-cut`
 */
export function refuseCut({ run, storeDirectory }: Task, book: RecordBook): void {
  const anchor = run?.manifest.discussionAnchor ?? null;
  const fault = anchor === null ? null : findAnchorFault(book, anchor);
  if (fault === null) return;
  const file = recordsPath(storeDirectory), message = `${fault.message} (${run?.manifestPath})`;
  throw refuseRecords("record-cut", file, [{ file, line: fault.line, message }]);
}
