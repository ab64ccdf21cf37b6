import { isBlank } from "./blank.ts";
import { type Issue, OkstraError } from "./errors.ts";
import { JsonSyntaxError, type JsonValue, parseJsonText } from "./json-text.ts";

/** A JSON object as it was read. */
export type Fields = Readonly<Record<string, JsonValue>>;

/** A stage's carry file. */
export interface CarryFile {
  /** File name, such as `stage-3.json`. */
  readonly name: string;
  readonly carry: Fields;
}

/** Statuses, in any case, with which a carry file says that its stage failed. */
export const FAILED_CARRY_STATUSES: readonly string[] = [
  "fail",
  "failed",
  "blocked",
  "error",
  "aborted",
];

/** Returns the stage of a carry file: its field `stage`, else the number in its name; `null` if there is neither. */
export function carryStage({ name, carry }: CarryFile): number | null {
  const { stage } = carry;
  if (typeof stage === "number") return Number.isSafeInteger(stage) && stage > 0 ? stage : null;
  const digits = typeof stage === "string" ? /^\s*(\d+)\s*$/.exec(stage) : null;
  const number = Number((digits ?? /^stage-(\d+)\.json$/.exec(name))?.[1]);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** Tells whether a carry file does not say that its stage failed; no status, and an unknown one, count as complete. */
export function isCarryComplete(carry: Fields): boolean {
  const { status } = carry;
  return status === undefined || status === null ||
    !FAILED_CARRY_STATUSES.includes(String(status).trim().toLowerCase());
}

/** Returns the commit that a stage ended with; `null` if the carry names none, so that the stage is not finished. */
export function carryHeadCommit(carry: Fields): string | null {
  const range = carry["stageCommitRange"];
  const places = [
    isObject(range) ? range["head"] : undefined,
    carry["headCommit"],
    carry["head_commit"],
  ];
  const found = places.find((place) => typeof place === "string" && !isBlank(place));
  return typeof found === "string" ? found.trim() : null;
}

/**
 * Reads the lines of `consumers.jsonl`, each of which is one JSON object.
 *
 * @throws {OkstraError} `consumers-invalid`, with the place of everything that is none
 */
export function parseConsumers(path: string, lines: readonly string[]): readonly Fields[] {
  const rows: Fields[] = [], issues: Issue[] = [];
  for (const [at, line] of lines.entries()) {
    const place = { file: path, line: at + 1 };
    try {
      const row = parseJsonText(line);
      if (isObject(row)) rows.push(row);
      else issues.push({ ...place, message: "expected an object" });
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      issues.push({ ...place, column: error.column, message: error.message });
    }
  }
  if (issues.length === 0) return rows;
  const state = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
  throw new OkstraError(
    "consumers-invalid",
    `Cannot read ${JSON.stringify(path)} as consumers: ${state}`,
    { issues, hint: "mend these lines: each is one JSON object" },
  );
}

/** Returns the stages that a pull request covers, by the rows of `consumers.jsonl`. */
export function coveredStages(rows: readonly Fields[]): readonly number[] {
  const stages = rows.filter((row) => row["kind"] === "pr").flatMap((row) => {
    const { stages: many, stage } = row;
    return Array.isArray(many) ? many : [stage];
  });
  const numbers = stages.filter((stage): stage is number => Number.isSafeInteger(stage));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/**
 * Plans the `done` rows that are missing beside finished stages.
 *
 * The carry files are the truth and the rows an index of them: a stage without a carry, or whose carry names no commit or
 * a failure, stays as it is. A row's task is the one that another row of the stage names, else the carry's, else
 * `taskKey`.
 */
export function planBackfill(
  files: readonly CarryFile[],
  rows: readonly Fields[],
  taskKey: string,
): readonly Fields[] {
  const isDone = new Set(rows.filter((row) => row["kind"] === "done").map((row) => row["stage"]));
  const added: Fields[] = [];
  for (const file of files) {
    const stage = carryStage(file);
    if (stage === null || isDone.has(stage) || !isCarryComplete(file.carry)) continue;
    const head = carryHeadCommit(file.carry);
    if (head === null) continue;
    isDone.add(stage);
    const known = rows.find((row) => row["stage"] === stage && isText(row["impl_task_key"]));
    const key = [known?.["impl_task_key"], file.carry["impl_task_key"]].find(isText) ?? taskKey;
    added.push({ kind: "done", stage, head_commit: head, impl_task_key: key });
  }
  return added;
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && !isBlank(value);
}

function isObject(value: JsonValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
