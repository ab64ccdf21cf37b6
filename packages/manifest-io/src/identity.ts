import { isBlank } from "./blank.ts";
import { OkstraError } from "./errors.ts";

/** The five references that name a v2 item, and its attempt. */
export interface ItemIdentity {
  readonly participantRef: string;
  readonly roleExecutionRef: string;
  readonly executionLabel: string;
  readonly dutyId: string;
  readonly invocationRef: string;
  readonly attempt: number;
}

const REFERENCES = [
  "participantRef",
  "roleExecutionRef",
  "executionLabel",
  "dutyId",
  "invocationRef",
] as const;

/** Returns the name of one attempt of an invocation; the one place that builds it. */
export function dispatchId(invocationId: string, attempt: number): string {
  return `${invocationId}:attempt-${attempt}`;
}

/** Returns what the names of all attempts of an invocation share: the invocation's id, or the path of its prompt. */
export function invocationOf(dispatch: string): string {
  return dispatch.replace(/(?::attempt-|#)\d+$/, "");
}

/**
 * Returns the worker that a row belongs to: `workerId` of a v1 row, else the last segment of `assignmentRef`; the empty
 * text if it has neither.
 */
export function workerKey(row: Readonly<Record<string, unknown>>): string {
  if (typeof row["workerId"] === "string") return row["workerId"];
  const reference = row["assignmentRef"];
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : "";
}

/** Returns the number of a row's attempt; a row without one is the first. */
export function attemptOf(row: { readonly attempt?: unknown }): number {
  return typeof row.attempt === "number" ? row.attempt : 1;
}

/**
 * Tells whether a status beside a prompt is that of a row's own attempt, and not of another dispatch or an earlier
 * attempt of the same prompt (P-16). A row without a dispatch id has a status without one.
 */
export function isOwnSidecar(
  row: { readonly dispatchId?: string | undefined; readonly attempt?: number | undefined },
  sidecar: { readonly dispatchId: string | null; readonly attempt: number },
): boolean {
  const id = row.dispatchId?.trim() ?? "";
  return (sidecar.dispatchId ?? "") === id && sidecar.attempt === attemptOf(row);
}

const SUFFIX = "-worker";

/** Returns a worker's id without the suffix that it has in file names and pane titles. */
export function bareWorkerId(given: string): string {
  return given.endsWith(SUFFIX) ? given.slice(0, -SUFFIX.length) : given;
}

/**
 * Returns the roster's name of a worker that somebody named: an exact match first, else `x` for `x-worker`; `null` if the
 * roster has neither.
 */
export function findRosterId(
  roster: { has(workerId: string): boolean },
  given: string,
): string | null {
  return [given, bareWorkerId(given)].find((id) => roster.has(id)) ?? null;
}

/**
 * Returns the run's own names of workers that somebody named.
 *
 * @param roster ids of the run's workers
 * @param rows dispatches of the run, whose workers need not be of the roster
 * @throws {OkstraError} `worker-unknown`, naming all strangers
 */
export function requireWorkers(
  given: readonly string[],
  roster: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const known = new Set([...roster, ...rows.map(workerKey)].filter((id) => id !== ""));
  const strangers = given.filter((id) => findRosterId(known, id) === null);
  if (strangers.length === 0) return given.map((id) => findRosterId(known, id)!);
  const names = strangers.map((id) => isBlank(id) ? JSON.stringify(id) : id).join(", ");
  throw new OkstraError(
    "worker-unknown",
    `Cannot find ${names}: not in the roster (${roster.join(", ")})`,
    { hint: "list the workers: okstra-team-state show" },
  );
}

const HINT =
  `version 1 has "workerId" alone; version 2 has schemaVersion "2.0", executionIdentityVersion 2, ` +
  `${REFERENCES.join(", ")} and attempt`;

/**
 * Reads the identity of a jobs entry or dispatch row: `null` for version 1.
 *
 * @throws {OkstraError} `mixed-identity`, `unsupported-identity` or `bad-identity`
 */
export function parseItemIdentity(
  row: Readonly<Record<string, unknown>>,
  what = "item",
): ItemIdentity | null {
  const refuse = (code: string, state: string): never => {
    throw new OkstraError(code, `Cannot read the identity of ${what}: ${state}`, { hint: HINT });
  };
  const version = row["schemaVersion"];
  const isFirst = version === undefined || version === null || version === 1 || version === "1" ||
    version === "1.0";
  if (isFirst) {
    const mixed = ["executionIdentityVersion", ...REFERENCES].find((key) =>
      Object.hasOwn(row, key)
    );
    if (mixed !== undefined) refuse("mixed-identity", `version 1 must not have "${mixed}"`);
    return null;
  }
  if (version !== "2.0" || row["executionIdentityVersion"] !== 2) {
    refuse(
      "unsupported-identity",
      `schemaVersion ${JSON.stringify(version)} with executionIdentityVersion ${
        JSON.stringify(row["executionIdentityVersion"])
      } is not supported`,
    );
  }
  if (Object.hasOwn(row, "workerId")) {
    refuse("mixed-identity", 'version 2 must not have "workerId"');
  }
  const attempt = row["attempt"] ?? 1;
  if (!Number.isSafeInteger(attempt) || (attempt as number) < 1) {
    refuse("bad-identity", `attempt ${JSON.stringify(attempt)} is not an integer from 1`);
  }
  const texts = REFERENCES.map((key) => {
    const text = row[key];
    if (typeof text === "string" && !isBlank(text)) return text.trim();
    return refuse("bad-identity", `"${key}" is missing`);
  });
  const [participantRef, roleExecutionRef, executionLabel, dutyId, invocationRef] = texts as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    participantRef,
    roleExecutionRef,
    executionLabel,
    dutyId,
    invocationRef,
    attempt: attempt as number,
  };
}
