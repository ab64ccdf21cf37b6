import { OkstraError } from "@okstra/manifest-io/errors";
import { relativePath } from "@okstra/manifest-io/io/run";

/** Returns a path as it is recorded: relative to the project where it lies in it, else as it was received. */
export function recordPath(projectRoot: string, path: string): string {
  try {
    return relativePath(projectRoot, path);
  } catch (error) {
    if (error instanceof OkstraError && error.code === "outside") return path;
    throw error;
  }
}
