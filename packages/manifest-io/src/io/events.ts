import { appendFile, stat, withFileLock, writeFileAtomic } from "@okstra/kit/host";
import { validateShape } from "../document-kind.ts";
import { OkstraError } from "../errors.ts";
import { parseJsonText } from "../json-text.ts";
import { type LeadEvent, leadEvent } from "../schemas/lead-event.ts";
import { formatTime } from "../time.ts";
import { DEFAULT_LOCK_TIMEOUT_MS, readBytes, readText } from "./document.ts";
import type { Run } from "./run.ts";

/** What happened, as a caller tells it. */
export interface EventFacts {
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Appends one event to a run's lead events, durably and under the file's lock.
 *
 * A line that a killed writer left unfinished was never reported as written; it is dropped.
 *
 * @returns the event as written
 * @throws {OkstraError} `event-invalid`
 */
export function appendEvent(
  run: Run,
  type: string,
  details: Readonly<Record<string, unknown>>,
  now: Date,
  lockTimeoutMs: number = DEFAULT_LOCK_TIMEOUT_MS,
): LeadEvent {
  return appendEvents(run, [{ type, details }], now, lockTimeoutMs)[0]!;
}

/** As {@linkcode appendEvent}, for several events in one write, all or none. */
export function appendEvents(
  run: Run,
  facts: readonly EventFacts[],
  now: Date,
  lockTimeoutMs: number = DEFAULT_LOCK_TIMEOUT_MS,
): readonly LeadEvent[] {
  const events = facts.map((each) => formatEvent(run, each, now));
  if (events.length === 0) return events;
  const path = eventsPath(run);
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  withFileLock(path, { timeoutMs: lockTimeoutMs }, () => {
    const bytes = stat(path) === null ? new Uint8Array() : readBytes(leadEvent.label, path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end === bytes.length) appendFile(path, lines);
    else writeFileAtomic(path, concat(bytes.subarray(0, end), new TextEncoder().encode(lines)));
  });
  return events;
}

function formatEvent(run: Run, { type, details }: EventFacts, now: Date): LeadEvent {
  const event: LeadEvent = {
    schemaVersion: "1.0",
    eventType: type.trim(),
    leadRuntime: run.manifest.leadRuntime,
    taskKey: run.taskKey,
    taskType: run.taskType,
    runSequence: run.seq,
    timestamp: formatTime(now),
    details: { ...details },
  };
  const issues = validateShape(leadEvent, event);
  if (issues.length > 0) {
    const message = `Cannot append event "${type}": it has no type`;
    throw new OkstraError("event-invalid", message, { issues, hint: "name it with --type WORD" });
  }
  return event;
}

/**
 * Reads a run's lead events in the order in which they were appended; a run without events has none.
 *
 * @throws {OkstraError} `events-invalid`, with the line of everything that is no event
 */
export function readEvents(run: Run): readonly LeadEvent[] {
  const path = eventsPath(run);
  if (stat(path) === null) return [];
  const text = readText(leadEvent.label, path);
  // What follows the last line feed is a line that is being written, or one that a killed writer left.
  const lines = text.split("\n").slice(0, -1);
  const events: LeadEvent[] = [], issues: { file: string; line: number; message: string }[] = [];
  for (const [at, line] of lines.entries()) {
    const problem = (message: string) => issues.push({ file: path, line: at + 1, message });
    try {
      const value = parseJsonText(line);
      const wrong = validateShape(leadEvent, value);
      for (const issue of wrong) problem(`${issue.pointer ?? ""} ${issue.message}`.trim());
      if (wrong.length === 0) events.push(value as unknown as LeadEvent);
    } catch (error) {
      problem((error as Error).message);
    }
  }
  if (issues.length === 0) return events;
  const state = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
  throw new OkstraError(
    "events-invalid",
    `Cannot read ${JSON.stringify(path)} as lead events: ${state}`,
    { issues, hint: "mend or remove these lines; no tool writes such ones" },
  );
}

function eventsPath(run: Run): string {
  return run.at(run.manifest.leadEventsPath);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
