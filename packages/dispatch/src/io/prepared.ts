import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { workerKey } from "@okstra/manifest-io/identity";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { metadataPath } from "@okstra/manifest-io/run-names";
import { invocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import { join } from "@std/path";

/**
 * Lists the invocations of workers, dispatched or not, whose prompts lie in the run's directory for them; one whose
 * metadata cannot be read is left out.
 */
export function listPrepared(run: Run, workerIds: readonly string[]): readonly string[] {
  const directory = join(run.at(run.manifest.runDirectoryPath), "prompts");
  if (stat(directory) === null) return [];
  return readDir(directory).filter(({ name }) => name.endsWith(metadataPath(".md")))
    .flatMap(({ name }) => readOwn(join(directory, name), workerIds));
}

function readOwn(path: string, workerIds: readonly string[]): readonly string[] {
  try {
    const metadata = readDocument(invocationMetadata, path);
    return workerIds.includes(workerKey(metadata)) ? [metadata.invocationId] : [];
  } catch (error) {
    if (error instanceof OkstraError) return [];
    throw error;
  }
}
