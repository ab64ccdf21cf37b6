import type { Issue } from "@okstra/manifest-io/errors";
import {
  checkAbsentWorkers,
  checkContent,
  checkRoster,
  checkTexts,
  collectIssues,
  isObject,
  isText,
} from "./checks.ts";
import type { DocumentPath, Report } from "./checks.ts";
import { resolveWorker } from "./names.ts";
import { FINDING_ID, SCHEMA_VERSION } from "./vocabulary.ts";
import { show } from "./votes.ts";

/** Lists everything that is wrong with a groups document; empty if a convergence can start from it. */
export function checkGroups(value: unknown): readonly Issue[] {
  const { issues, report } = collectIssues();
  if (!isObject(value)) {
    report([], "the document is not an object");
    return issues;
  }
  if (value["schemaVersion"] !== SCHEMA_VERSION) {
    const found = show(value["schemaVersion"]);
    report(["schemaVersion"], `schemaVersion is ${found}, not "${SCHEMA_VERSION}"`);
  }
  if (!isText(value["taskKey"])) report(["taskKey"], "taskKey is missing or blank");
  const roster = new Set(checkRoster(value["workers"], report));
  const resolve = (name: string) => resolveWorker(roster, name);
  const absent = checkAbsentWorkers(value["absentWorkers"], resolve, report);
  const groups = value["groups"];
  if (!Array.isArray(groups)) {
    report(["groups"], "groups is not an array");
    return issues;
  }
  const seen = new Set<string>();
  groups.forEach((group: unknown, i) => {
    if (!isObject(group)) report(["groups", i], `group ${i + 1} is not an object`);
    else checkGroup(group, ["groups", i], { roster, absent, seen, report, number: i + 1 });
  });
  return issues;
}

interface Context {
  readonly roster: ReadonlySet<string>;
  /** Workers of the roster that gave no findings. */
  readonly absent: ReadonlySet<string>;
  readonly seen: Set<string>;
  readonly report: Report;
  readonly number: number;
}

function checkGroup(
  group: Readonly<Record<string, unknown>>,
  path: DocumentPath,
  { roster, absent, seen, report, number }: Context,
): void {
  const id = group["findingId"], who = isText(id) ? id : `group ${number}`;
  if (typeof id !== "string" || !FINDING_ID.test(id)) {
    report([...path, "findingId"], `${who}: findingId is not F- and at least three digits`);
  } else if (seen.has(id)) report([...path, "findingId"], `${who}: the id stands twice`);
  else seen.add(id);
  checkContent(group, who, path, report);
  checkTexts(group, ["originWorker"], who, path, report);
  checkDiscoverers(group, who, path, { roster, absent, report });
}

function checkDiscoverers(
  group: Readonly<Record<string, unknown>>,
  who: string,
  path: DocumentPath,
  { roster, absent, report }: Pick<Context, "roster" | "absent" | "report">,
): void {
  const discoverers = group["discoveredBy"], origin = group["originWorker"];
  const place = [...path, "discoveredBy"];
  if (!Array.isArray(discoverers) || discoverers.length === 0 || !discoverers.every(isText)) {
    return report(place, `${who}: discoveredBy is not an array of at least one worker`);
  }
  const resolved = new Set<string>();
  discoverers.forEach((name: string, i) => {
    const worker = resolveWorker(roster, name);
    if (worker === null) report([...place, i], `${who}: ${name} is not in workers`);
    else if (resolved.has(worker)) {
      report([...place, i], `${who}: discoveredBy names ${name} twice`);
    } else {
      resolved.add(worker);
      if (absent.has(worker)) {
        report([...place, i], `${who}: ${name} reported it, but absentWorkers names it`);
      }
    }
  });
  if (isText(origin) && !resolved.has(resolveWorker(roster, origin) ?? "")) {
    report([...path, "originWorker"], `${who}: originWorker ${origin} is not in discoveredBy`);
  }
}
