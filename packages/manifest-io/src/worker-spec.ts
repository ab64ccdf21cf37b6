import { isBlank } from "./blank.ts";
import { OkstraError } from "./errors.ts";
import { findLostHeaders } from "./prompt-headers.ts";
import { findProvider, type ProviderEntry } from "./providers.ts";
import { ANALYSIS_DUTY_BY_TASK_TYPE, normalizeRole, type Role, roleForDuty } from "./roles.ts";
import type { ProviderInput } from "./schemas/provider-entry.ts";
import { isObjectName, isPathSegment } from "./task-key.ts";
import { REPORT_WRITER, RESERVED_AUTHORS, type TaskType } from "./vocabulary.ts";

/** An id begins the names of files, of which the longest adds about as much again; 255 is the common limit. */
const MAX_ID_LENGTH = 100;

/** One worker of a run's roster, with everything filled in. */
export interface RosterWorker {
  readonly workerId: string;
  readonly provider: string;
  readonly model: string;
  readonly role: Role;
  /** The provider as it is when the run is prepared. */
  readonly entry: ProviderEntry;
}

/**
 * Reads the roster from `ID[,provider=P][,model=M][,role=R]` texts.
 *
 * @throws {OkstraError} `bad-roster`; all problems together
 */
export function parseRoster(
  specs: readonly string[],
  taskType: TaskType,
  ownProviders: Readonly<Record<string, ProviderInput>>,
): readonly RosterWorker[] {
  const problems: OkstraError[] = [], roster: RosterWorker[] = [];
  const refuse = (state: string) =>
    new OkstraError("bad-roster", `Cannot prepare a run: ${state}`, {
      hint: "name each worker once: --worker ID[,provider=NAME][,model=NAME][,role=ROLE]",
    });
  if (specs.length === 0) problems.push(refuse("no worker is named"));
  for (const spec of specs) {
    try {
      const worker = parseWorker(spec, taskType, ownProviders);
      // Ids become file names, and some file systems ignore case.
      const twin = roster.find((other) =>
        other.workerId.toLowerCase() === worker.workerId.toLowerCase()
      );
      if (twin) throw refuse(`two workers are named "${worker.workerId}"`);
      roster.push(worker);
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      problems.push(error);
    }
  }
  if (problems.length === 0) return roster;
  if (problems.length === 1) throw problems[0];
  throw new OkstraError(
    "bad-roster",
    `Cannot prepare a run: ${problems.length} problems in its roster`,
    { issues: problems.map(({ message }) => ({ message })), hint: problems[0]!.hint! },
  );
}

/**
 * Writes a worker of a discussion as {@linkcode parseRoster} reads it; what it would fill in alike is left out.
 *
 * @param defaultModel that of the worker's provider
 */
export function formatWorker(
  { workerId, provider, model, role }: Readonly<
    Record<"workerId" | "provider" | "model" | "role", string>
  >,
  defaultModel: string | undefined,
): string {
  const usual = roleForDuty(ANALYSIS_DUTY_BY_TASK_TYPE.discussion);
  return [
    workerId,
    ...provider === workerId ? [] : [`provider=${provider}`],
    ...model === defaultModel ? [] : [`model=${model}`],
    ...role === usual ? [] : [`role=${role}`],
  ].join(",");
}

function parseWorker(
  spec: string,
  taskType: TaskType,
  ownProviders: Readonly<Record<string, ProviderInput>>,
): RosterWorker {
  const [workerId = "", ...settings] = spec.split(",").map((part) => part.trim());
  const refuse = (state: string): never => {
    throw new OkstraError("bad-roster", `Cannot use ${JSON.stringify(spec)} as worker: ${state}`, {
      hint: "write --worker ID[,provider=NAME][,model=NAME][,role=ROLE]",
    });
  };
  if (!isPathSegment(workerId)) refuse("its id is not made of letters, digits, '.', '_' and '-'");
  if (workerId.length > MAX_ID_LENGTH) refuse(`its id has more than ${MAX_ID_LENGTH} characters`);
  if (isObjectName(workerId) || RESERVED_AUTHORS.includes(workerId.toLowerCase())) {
    refuse(`"${workerId}" is a reserved name`);
  }
  const given = new Map<string, string>();
  for (const setting of settings) {
    const cut = setting.indexOf("="), key = setting.slice(0, cut), value = setting.slice(cut + 1);
    if (cut < 0 || isBlank(value)) refuse(`${JSON.stringify(setting)} is not KEY=VALUE`);
    if (!["provider", "model", "role"].includes(key)) {
      refuse(`"${key}" is not one of provider, model, role`);
    }
    if (given.has(key)) refuse(`"${key}" is given twice`);
    given.set(key, value);
  }
  const isWriter = workerId === REPORT_WRITER;
  const provider = given.get("provider") ?? (isWriter ? "claude" : workerId);
  const entry = findProvider(provider, ownProviders);
  const role = given.get("role") ??
    (isWriter ? REPORT_WRITER : roleForDuty(ANALYSIS_DUTY_BY_TASK_TYPE[taskType]));
  const model = given.get("model") ?? entry.defaultModel;
  if (findLostHeaders({ Model: model }).length > 0) {
    refuse(`its model ${JSON.stringify(model)} is not one line without blanks around it`);
  }
  return {
    workerId,
    provider,
    model,
    role: normalizeRole(role),
    entry,
  };
}
