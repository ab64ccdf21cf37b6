import { stat } from "@okstra/kit/host";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { readSidecar } from "@okstra/wrapper-status/io/sidecar";

/** Reads the status beside a prompt; `null`: there is none, or it cannot be read. */
export type SidecarReader = (promptPath: string) => StatusSidecar | null;

/** Returns a reader that parses a status only once it was replaced: a hundred workers are looked at every few seconds. */
export function cachedSidecars(): SidecarReader {
  const known = new Map<
    string,
    { readonly version: string; readonly sidecar: StatusSidecar | null }
  >();
  return (promptPath) => {
    const info = stat(sidecarPath(promptPath));
    if (info === null) return null;
    const version = [info.ino, info.mtimeMs, info.sizeBytes].join(" ");
    const seen = known.get(promptPath);
    if (seen?.version === version) return seen.sidecar;
    // Looked at before it is read, so that what is written in between is read next time.
    const sidecar = readSidecar(promptPath);
    known.set(promptPath, { version, sidecar });
    return sidecar;
  };
}
