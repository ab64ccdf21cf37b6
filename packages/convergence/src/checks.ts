import type { Issue } from "@okstra/manifest-io/errors";
import { formatPointer } from "@okstra/manifest-io/json-pointer";
import { isBlank } from "@okstra/manifest-io/blank";
import { INVALID_STATUS, OUTCOME_STATUSES } from "./vocabulary.ts";
import { show } from "./votes.ts";

/** A path of keys and indexes into a document. */
export type DocumentPath = readonly (string | number)[];

/** Takes note of a problem at a place of a document. */
export type Report = (path: DocumentPath, message: string) => void;

/** Returns a list of issues and the function that fills it. */
export function collectIssues(): { readonly issues: Issue[]; readonly report: Report } {
  const issues: Issue[] = [];
  return {
    issues,
    report: (path, message) => issues.push({ pointer: formatPointer(path), message }),
  };
}

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells whether a value is text that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && !isBlank(value);
}

/** Tells whether a value is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks that fields of an object hold text; `who` names the object in messages. */
export function checkTexts(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
  who: string,
  path: DocumentPath,
  report: Report,
): void {
  for (const name of names) {
    if (isText(row[name])) continue;
    const state = row[name] === undefined ? "is missing" : "is blank or no text";
    report([...path, name], `${who}: ${name} ${state}`);
  }
}

/** Checks a roster and returns its workers, in order; each must be there once with its provider. */
export function checkRoster(value: unknown, report: Report): readonly string[] {
  if (!Array.isArray(value)) {
    report(["workers"], "workers is not an array");
    return [];
  }
  if (value.length === 0) report(["workers"], "workers names no worker");
  const roster = new Set<string>();
  value.forEach((row: unknown, i) => {
    if (!isObject(row)) return report(["workers", i], `worker ${i + 1} is not an object`);
    const who = isText(row["worker"]) ? row["worker"] : `worker ${i + 1}`;
    checkTexts(row, ["worker", "provider"], who, ["workers", i], report);
    if (!isText(row["worker"])) return;
    if (roster.has(who)) report(["workers", i, "worker"], `${who}: the roster names it twice`);
    roster.add(who);
  });
  return [...roster];
}

/** Checks which workers of the roster gave no findings, and returns them in the roster's spelling. */
export function checkAbsentWorkers(
  value: unknown,
  resolve: (name: string) => string | null,
  report: Report,
): ReadonlySet<string> {
  const absent = new Set<string>(), path = ["absentWorkers"];
  if (value === undefined) return absent;
  if (!Array.isArray(value) || !value.every(isText)) {
    report(path, "absentWorkers is not an array of workers");
    return absent;
  }
  value.forEach((name: string, i) => {
    const worker = resolve(name);
    if (worker === null) report([...path, i], `absentWorkers: ${name} is not in workers`);
    else if (absent.has(worker)) report([...path, i], `absentWorkers names ${name} twice`);
    else absent.add(worker);
  });
  return absent;
}

/** Checks what a finding or gap says of itself: its texts, tickets and evidence. */
export function checkContent(
  row: Readonly<Record<string, unknown>>,
  who: string,
  path: DocumentPath,
  report: Report,
): void {
  checkTexts(row, ["summary", "category", "originEvidence"], who, path, report);
  const tickets = row["ticketIds"], evidence = row["evidenceArtifacts"];
  if (!Array.isArray(tickets) || !tickets.every(isText)) {
    report([...path, "ticketIds"], `${who}: ticketIds is not an array of texts`);
  }
  if (!Array.isArray(evidence)) {
    return report([...path, "evidenceArtifacts"], `${who}: evidenceArtifacts is not an array`);
  }
  evidence.forEach((item: unknown, i) => {
    const place = [...path, "evidenceArtifacts", i];
    if (!isObject(item) || !isText(item["path"])) {
      return report(place, `${who}: evidence ${i + 1} is not an object with a path`);
    }
    for (const name of ["locator", "excerpt"]) {
      const value = item[name] ?? null;
      if (value === null || typeof value === "string") continue;
      report([...place, name], `${who}: ${name} of evidence ${i + 1} is no text`);
    }
  });
}

/** What became of a worker, as far as a row says it well. */
export interface CheckedOutcome {
  readonly worker: string;
  readonly status: string;
  readonly index: number;
}

/** Which workers may have been asked. */
export interface AskableWorkers {
  /** Returns the roster's spelling of a name, or `null` for a worker that must not be there. */
  readonly resolve: (name: string) => string | null;
  /** What is said of such a worker. */
  readonly stranger: string;
}

/** Checks what became of the workers that were asked, and returns the rows that name a known worker once. */
export function checkOutcomes(
  value: unknown,
  path: DocumentPath,
  { resolve, stranger }: AskableWorkers,
  report: Report,
): readonly CheckedOutcome[] {
  if (!Array.isArray(value)) {
    report(path, "dispatches is not an array");
    return [];
  }
  const outcomes: CheckedOutcome[] = [], seen = new Set<string>();
  value.forEach((row: unknown, index) => {
    const place = [...path, index];
    if (!isObject(row) || !isText(row["worker"])) {
      return report(place, `dispatch ${index + 1} is not an object with a worker`);
    }
    const name = row["worker"], worker = resolve(name), { status, durationMs } = row;
    if (!isText(status) || ![...OUTCOME_STATUSES, INVALID_STATUS].includes(status)) {
      const known = OUTCOME_STATUSES.join(", ");
      report([...place, "status"], `${name}: status ${show(status)} is not one of ${known}`);
    }
    if (!isCount(durationMs)) {
      const message = `${name}: durationMs ${show(durationMs)} is not a whole number from 0`;
      report([...place, "durationMs"], message);
    }
    if (worker === null) return report([...place, "worker"], `${name}: it ${stranger}`);
    if (seen.has(worker)) {
      return report([...place, "worker"], `${name}: dispatches names it twice`);
    }
    seen.add(worker);
    outcomes.push({ worker, status: isText(status) ? status : "", index });
  });
  return outcomes;
}
