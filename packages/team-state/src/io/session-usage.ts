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
  const counts: Counts = new Map(), sessionPaths: string[] = [];
  for (const path of findSessionFiles(directories, sessionId)) {
    if (!path.endsWith(".jsonl")) continue;
    const found = readFile(path, format, sessionId);
    if (found === null) return null;
    if (found.size > 0) sessionPaths.push(path);
    for (const [key, each] of found) counts.set(key, each);
  }
  const known = [...counts.values()].filter((each) => each !== null);
  const sum = known.length < counts.size ? null : sumCounts(known);
  return sum === null
    ? null
    : { usage: { ...sum, source: `${eventStream} session file` }, sessionPaths };
}

/** What was counted, by the key of its line; `null`: figures that are none. */
type Counts = Map<string, TokenCounts | null>;

/** Returns the counts of one file; `null` if not all of what counts could be read. */
function readFile(
  path: string,
  format: SessionFormat,
  sessionId: string,
): Readonly<Counts> | null {
  const counts: Counts = new Map();
  const tail = new LogTail(path, { lineBytes: LINE_BYTES, longLines: "drop" });
  let lines = 0, isOther = false, broken = "";
  const take = (line: string): void => {
    lines += 1;
    // Only of the last line the end may be missing, since it is being written or its agent was killed.
    if (broken !== "") counts.set(broken, null);
    broken = "";
    // A name that has only a part of the id may be another session's: the first line tells.
    if (lines === 1 && !path.includes(sessionId)) {
      isOther = textAt(parseAgentEvent(line), "sessionId") !== sessionId;
    }
    if (isOther || !line.includes(format.marker)) return;
    const event = parseAgentEvent(line), place = `${path}:${lines}`;
    // A later count of the whole session stands for what cannot be read.
    if (event === null) broken = format.isCumulative ? "session" : place;
    const count = event === null ? null : format.read(event);
    if (count !== null) counts.set(count.key || place, count.counts);
  };
  try {
    tail.readRest(take, FILE_BYTES);
  } catch {
    return null;
  }
  return tail.hasLeftOut && !format.isCumulative ? null : counts;
}
