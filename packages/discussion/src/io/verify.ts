import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readBytes, readDocument } from "@okstra/manifest-io/io/document";
import { runNames } from "@okstra/manifest-io/run-names";
import { runManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { join } from "@std/path";
import { checkRecords } from "../check-records.ts";
import { type AnchorSource, verifyStore } from "../verify.ts";
import { withRun } from "./change.ts";
import {
  anchorPath,
  findRevisionFault,
  readAnchor,
  recordsPath,
  STORE_LABEL,
} from "./store-files.ts";
import type { Task } from "./task.ts";

/** Judges the record of a discussion; writes nothing and takes no lock. */
export function verifyTask(task: Task) {
  const { storeDirectory } = task;
  // Anchors first: a commit that comes in between can only make the record longer than they say.
  const own = source(anchorPath(storeDirectory), () => readAnchor(storeDirectory));
  const runs = listRunManifests(task).map((path) =>
    source(path, () => readDocument(runManifest, path).discussionAnchor ?? null)
  );
  const file = recordsPath(storeDirectory);
  const check = stat(file) === null ? null : checkRecords(readBytes(STORE_LABEL, file), file);
  return withRun(
    task,
    verifyStore({
      check,
      file,
      own,
      runs,
      findRevisionFault: (id, digest) => findRevisionFault(storeDirectory, id, digest),
    }),
  );
}

function source(file: string, read: () => AnchorSource["anchor"]): AnchorSource {
  try {
    return { file, anchor: read() };
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    return { file, anchor: { problem: error.message } };
  }
}

function listRunManifests({ projectRoot, taskKey }: Task): readonly string[] {
  const directory = join(projectRoot, runNames(taskKey, "discussion", "001").manifestsDirectory);
  if (stat(directory)?.kind !== "directory") return [];
  return readDir(directory).filter(({ name }) => /^run-manifest-discussion-\d+\.json$/.test(name))
    .map(({ name }) => join(directory, name));
}
