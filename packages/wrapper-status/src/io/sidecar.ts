import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { stat, writeFileAtomic } from "@okstra/kit/host";
import { parseDocument, readDocument, writeDocument } from "@okstra/manifest-io/io/document";
import { formatJson } from "@okstra/manifest-io/json-text";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import { type StatusSidecar, statusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";

const SUFFIX = sidecarPath("");

/** Returns the path of the sidecar beside a prompt. */
export function sidecarPathFor(promptPath: string): string {
  return sidecarPath(promptPath);
}

/** Returns the prompt that a path means: the path itself, or the prompt beside which that sidecar stands. */
export function promptPathOf(promptOrSidecar: string): string {
  return promptOrSidecar.endsWith(SUFFIX)
    ? promptOrSidecar.slice(0, -SUFFIX.length)
    : promptOrSidecar;
}

/** Reads the sidecar beside a prompt; `null` if there is none or it cannot be read as one (W-007). */
export function readSidecar(promptPath: string): StatusSidecar | null {
  try {
    return requireSidecar(promptPath);
  } catch {
    return null;
  }
}

/**
 * Reads the sidecar beside a prompt; `null` only if there is none.
 *
 * @throws {OkstraError} as `readDocument`, if there is one and it cannot be read as one
 */
export function requireSidecar(promptPath: string): StatusSidecar | null {
  const path = sidecarPath(promptPath);
  return stat(path) === null ? null : readDocument(statusSidecar, path);
}

/**
 * Reads a sidecar from the bytes of standard input.
 *
 * @throws {OkstraError} as `parseDocument`
 */
export function parseSidecar(bytes: Uint8Array): StatusSidecar {
  return parseDocument(statusSidecar, "standard input", bytes);
}

/** Writes the sidecar beside its prompt so that it survives a power loss. */
export function writeSidecar(sidecar: StatusSidecar): void {
  writeDocument(statusSidecar, sidecarPath(sidecar.promptPath), sidecar);
}

/** What a file system says that knows no second name of a file. */
const UNLINKABLE: readonly unknown[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Writes the first sidecar beside its prompt, as {@linkcode writeSidecar} does, unless one is there; of all who do so at
 * the same time, one does.
 *
 * @returns whether it was written; `false` also where the file system cannot do this
 */
export function createSidecar(sidecar: StatusSidecar): boolean {
  const path = sidecarPath(sidecar.promptPath);
  try {
    writeFileAtomic(path, formatJson(sidecar), { exclusive: true });
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "EEXIST" || UNLINKABLE.includes(code)) return false;
    throw error;
  }
}

/** Renews the sidecar beside its prompt; a power loss may bring back the older one, since no process lives then. */
export function renewSidecar(sidecar: StatusSidecar): void {
  writeFileAtomic(sidecarPath(sidecar.promptPath), formatJson(sidecar), { durable: "content" });
}

/** What a full disk says. */
const FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/**
 * Writes a sidecar over an earlier one of the same run, by one of the two functions above. On a full disk, where no
 * second file can be made, the one that stands there is written over: a status that is read in the middle of this counts
 * as none, and is there at the next look.
 */
export function replaceSidecar(
  sidecar: StatusSidecar,
  write: (sidecar: StatusSidecar) => void,
): void {
  try {
    write(sidecar);
  } catch (error) {
    if (!FULL.includes((error as { code?: unknown }).code)) throw error;
    overwrite(sidecarPath(sidecar.promptPath), new TextEncoder().encode(formatJson(sidecar)));
  }
}

function overwrite(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "r+");
  try {
    // Never shorter before it is whole.
    if (writeSync(file, bytes, 0, bytes.length, 0) < bytes.length) {
      throw Object.assign(new Error("no space left on the device"), { code: "ENOSPC", path });
    }
    ftruncateSync(file, bytes.length);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
