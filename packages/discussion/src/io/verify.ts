import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import { runNames } from "@okstra/manifest-io/run-names";
import { runManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { join } from "@std/path";
import { verifyStore } from "../verify.ts";
import { withRun } from "./change.ts";
import { findRevisionFault, readAnchor } from "./store-files.ts";
import { lookTwice, readStoreFacts } from "./store-facts.ts";
import type { Task } from "./task.ts";

/** Judges the record of a discussion; writes nothing and takes no lock. */
export function verifyTask(task: Task) {
  const { storeDirectory } = task;
  // Anchors first: a commit that comes in between can only make the record longer than they say.
  const runs = listRunManifests(task).map((file) => ({
    file,
    anchor: orProblem(() => readDocument(runManifest, file).discussionAnchor ?? null),
  }));
  const read = () => {
    const own = orProblem(() => readAnchor(storeDirectory));
    const known = own !== null && "problem" in own ? null : own;
    return { own, ...readStoreFacts(storeDirectory, known) };
  };
  const findFault = (id: string, digest: string) => findRevisionFault(storeDirectory, id, digest);
  const judge = ({ own, ...store }: ReturnType<typeof read>) =>
    verifyStore({ store, own, runs, findRevisionFault: findFault });
  return withRun(task, lookTwice(read, judge, ({ ok }) => ok));
}

function orProblem<T>(read: () => T): T | { readonly problem: string } {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    return { problem: error.message };
  }
}

function listRunManifests({ projectRoot, taskKey }: Task): readonly string[] {
  const directory = join(projectRoot, runNames(taskKey, "discussion", "001").manifestsDirectory);
  if (stat(directory)?.kind !== "directory") return [];
  return readDir(directory).filter(({ name }) => /^run-manifest-discussion-\d+\.json$/.test(name))
    .map(({ name }) => join(directory, name));
}
