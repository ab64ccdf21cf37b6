import { parseAgentEvent, textAt } from "@okstra/manifest-io/agent-event";
import { LogTail } from "@okstra/manifest-io/io/log-tail";
import { findSessionFiles } from "@okstra/manifest-io/io/session-files";
import type { ProviderEntry } from "@okstra/manifest-io/providers";
import type { SidecarUsage } from "@okstra/manifest-io/schemas/status-sidecar";
import { resolveSessionDirectories } from "@okstra/manifest-io/session-directories";
import { SESSION_FORMATS, type SessionFormat } from "../session-formats.ts";
import { sumCounts, type TokenCounts } from "../usage.ts";

/** A longer line is none that tells tokens: it holds a file or an image. */
const LINE_BYTES = 32 << 20;
/** What is read of one file, from its end. */
const FILE_BYTES = 256 << 20;

/** What the agent's own files tell of a session. */
export interface SessionUsage {
  readonly usage: SidecarUsage;
  /** Absolute. */
  readonly sessionPaths: readonly string[];
}

/**
 * Returns what a session used, as the files that its agent keeps of it tell; `null` if they do not, or not for sure.
 *
 * @param env environment that the agent inherited
 */
export function readSessionUsage(
  entry: ProviderEntry,
  sessionId: string,
  env: (name: string) => string | undefined,
): SessionUsage | null {
  const { eventStream } = entry;
  if (eventStream === null || !Object.hasOwn(SESSION_FORMATS, eventStream)) return null;
  const format = SESSION_FORMATS[eventStream]!;
  const { set, unset } = entry.env;
  const directories = resolveSessionDirectories(
    entry.sessionDirectories,
    (name) => Object.hasOwn(set, name) ? set[name] : unset.includes(name) ? undefined : env(name),
  );
  const counts = new Map<string, TokenCounts>(), sessionPaths: string[] = [];
  for (const path of findSessionFiles(directories, sessionId)) {
    if (!path.endsWith(".jsonl")) continue;
    const found = readFile(path, format, sessionId);
    if (found === null) return null;
    if (found.size > 0) sessionPaths.push(path);
    for (const [key, each] of found) counts.set(key, each);
  }
  const sum = sumCounts([...counts.values()]);
  return sum === null
    ? null
    : { usage: { ...sum, source: `${eventStream} session file` }, sessionPaths };
}

/** Returns the counts of one file; `null` if not all of what counts could be read. */
function readFile(
  path: string,
  format: SessionFormat,
  sessionId: string,
): ReadonlyMap<string, TokenCounts> | null {
  const counts = new Map<string, TokenCounts>();
  const tail = new LogTail(path, { lineBytes: LINE_BYTES, longLines: "drop" });
  let lines = 0, isOther = false;
  const take = (line: string): void => {
    lines += 1;
    // A name that has only a part of the id may be another session's: the first line tells.
    if (lines === 1 && !path.includes(sessionId)) {
      isOther = textAt(parseAgentEvent(line), "sessionId") !== sessionId;
    }
    if (isOther || !line.includes(format.marker)) return;
    const event = parseAgentEvent(line), count = event === null ? null : format.read(event);
    if (count !== null) counts.set(count.key || `${path}:${lines}`, count.counts);
  };
  try {
    tail.readRest(take, FILE_BYTES);
  } catch {
    return null;
  }
  return tail.hasLeftOut && !format.isCumulative ? null : counts;
}
