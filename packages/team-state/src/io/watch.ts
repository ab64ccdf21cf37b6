import { parseDocument, readBytes } from "@okstra/manifest-io/io/document";
import { type TeamState, teamState } from "@okstra/manifest-io/schemas/team-state";

const POLL_MS = 250;

/**
 * Shows a team state at once and then each time the file holds other bytes, each state once; never returns.
 *
 * The file is looked at rather than watched, since every write replaces it.
 *
 * @throws {OkstraError} as `readDocument` once it cannot be read, and what `show` throws
 */
export async function watchTeamState(
  path: string,
  show: (state: TeamState) => void,
): Promise<never> {
  let shown: Uint8Array | null = null;
  while (true) {
    const bytes = readBytes(teamState.label, path);
    if (shown === null || !isSame(shown, bytes)) {
      show(parseDocument(teamState, path, bytes));
      shown = bytes;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
