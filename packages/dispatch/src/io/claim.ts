import { linkSync, unlinkSync, writeFileSync } from "node:fs";
import { pid, readFile } from "@okstra/kit/host";
import { type Claim, parseClaim, WITHDRAWN } from "../launch-words.ts";

/** Reads a claim; one that is not there is `none`. */
export function readClaim(path: string): Claim {
  try {
    return parseClaim(new TextDecoder().decode(readFile(path)));
  } catch (error) {
    const { code } = error as { code?: string };
    return { kind: code === "ENOENT" || code === "ENOTDIR" ? "none" : "unreadable" };
  }
}

/**
 * Claims an attempt so that whatever would still start it does not.
 *
 * @returns whether nothing of it has started, nor ever will
 */
export function withdrawLaunch(path: string): boolean {
  const temporary = `${path}.${pid()}.tmp`;
  writeFileSync(temporary, `${WITHDRAWN}\n`);
  try {
    // A link is made whole or not at all, so that nobody ever reads an empty claim of ours.
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    return readClaim(path).kind === "withdrawn";
  } finally {
    unlinkSync(temporary);
  }
}
