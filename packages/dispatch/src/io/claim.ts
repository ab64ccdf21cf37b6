import { readFile, writeFileAtomic } from "@okstra/kit/host";
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
  try {
    writeFileAtomic(path, `${WITHDRAWN}\n`, { exclusive: true });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    return readClaim(path).kind === "withdrawn";
  }
}
