import { readFile, stat } from "@okstra/kit/host";
import { digestBytes } from "@okstra/manifest-io/digest";

/** Returns the digest of a file's bytes; null if there is no such file. */
export function digestFile(path: string): string | null {
  return stat(path)?.kind === "file" ? digestBytes(readFile(path)) : null;
}
