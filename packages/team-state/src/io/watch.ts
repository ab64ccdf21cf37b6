import { readBytes } from "@okstra/manifest-io/io/document";
import { teamState } from "@okstra/manifest-io/schemas/team-state";

const POLL_MS = 250;

/**
 * Calls `show` at once and then each time the team state holds other bytes; never returns.
 *
 * The file is looked at rather than watched, since every write replaces it.
 *
 * @throws {OkstraError} `not-found` or `unreadable` once it cannot be read, and what `show` throws
 */
export async function watchFile(path: string, show: () => void): Promise<never> {
  let shown: Uint8Array | null = null;
  while (true) {
    const bytes = readBytes(teamState.label, path);
    if (shown === null || !isSame(shown, bytes)) {
      show();
      shown = bytes;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
