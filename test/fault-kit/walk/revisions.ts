// Looks at the documents that a call has changed: each has the next revision, or is none that several calls change.
import { assert } from "@std/assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listTree } from "../../support.ts";

/**
 * What is written over without a revision of its own: a worker's status, which its wrapper alone writes; the metadata of
 * a prompt and the steps of a convergence, which are made anew as a whole; the anchor of a discussion, whose revision is
 * the number of its records; and what a user writes.
 */
const WITHOUT_REVISION =
  /\.(status|meta)\.json$|\/convergence-(?!work)[^/]*$|\/anchor\.json$|^[^/]*\.json$/;

/** Documents of a project by their paths. */
export type Documents = ReadonlyMap<string, string>;

/** Reads every JSON document of a project that a tool may change. */
export function readDocuments(project: string): Documents {
  const paths = listTree(project).filter((path) => path.endsWith(".json"));
  return new Map(
    paths.filter((path) => !WITHOUT_REVISION.test(path))
      .map((path) => [path, readFileSync(join(project, path), "utf8")]),
  );
}

/** Asserts that each document which is another than before has a later revision; returns their paths. */
export function checkRevisions(
  before: Documents,
  after: Documents,
  call: readonly string[],
): string[] {
  const changed = [...after].filter(([path, text]) => (before.get(path) ?? text) !== text);
  for (const [path, text] of changed) {
    const [old, next] = [before.get(path)!, text].map((each) => JSON.parse(each).revision);
    const isNext = Number.isInteger(next) && next > (old ?? 1);
    assert(isNext, `${call.join(" ")}: ${path} has changed at revision ${old}, and has ${next}`);
  }
  return changed.map(([path]) => path);
}
