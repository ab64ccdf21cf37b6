import { isBlank } from "@okstra/manifest-io/blank";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { parseItemIdentity } from "@okstra/manifest-io/identity";
import { JsonSyntaxError, type JsonValue, parseJsonText } from "@okstra/manifest-io/json-text";
import { type DispatchRow, dispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { parseTime } from "@okstra/manifest-io/time";
import { DISPATCH_STATUSES } from "@okstra/manifest-io/vocabulary";
import { rowWorkerKey, type Settlement } from "./rows.ts";

/**
 * Reads dispatch rows from one JSON object, or from one object per line.
 *
 * @param runVersion of the run manifest; a row may not be of a later one
 * @throws {OkstraError} `rows-invalid`, with every problem and the line it is in
 */
export function parseDispatchRows(
  bytes: Uint8Array,
  runVersion: 1 | 2,
): readonly DispatchRow[] {
  const text = decode(bytes);
  if (text.trim() === "") throw refuse("it is empty", []);
  const rows: DispatchRow[] = [], issues: Issue[] = [];
  for (const { line, value } of splitValues(text)) {
    if (value instanceof JsonSyntaxError) {
      const { column, message } = value;
      issues.push({ line: line + value.line - 1, column, message });
    } else {
      issues.push(...findProblems(value, runVersion).map((issue) => ({ line, ...issue })));
      rows.push(value as DispatchRow);
    }
  }
  if (issues.length === 0) return rows;
  throw refuse(issues.length === 1 ? "1 problem" : `${issues.length} problems`, issues);
}

/** A value of the text, or why it is none, with the line in which it begins. */
interface FoundValue {
  readonly line: number;
  readonly value: JsonValue | JsonSyntaxError;
}

function splitValues(text: string): readonly FoundValue[] {
  const whole = { line: 1, value: tryParse(text) };
  if (!(whole.value instanceof JsonSyntaxError)) return [whole];
  const values = text.split("\n").flatMap((each, at) =>
    each.trim() === "" ? [] : [{ line: at + 1, value: tryParse(each) }]
  );
  // Where no line is a value of its own, it is one object over several lines, with a fault in it.
  return values.every(({ value }) => value instanceof JsonSyntaxError) ? [whole] : values;
}

function findProblems(value: JsonValue, runVersion: 1 | 2): readonly Issue[] {
  const issues = validateShape(dispatchRow, value);
  if (issues.length > 0) return issues;
  const row = value as DispatchRow;
  try {
    if (parseItemIdentity(row, "the row") !== null && runVersion === 1) {
      const message = "it has version 2, and the run manifest version 1";
      return [{ pointer: "/schemaVersion", message }];
    }
  } catch (error) {
    if (error instanceof OkstraError) return [{ pointer: "", message: error.message }];
    throw error;
  }
  if (!(DISPATCH_STATUSES as readonly string[]).includes(row.status)) {
    const message = `must be one of ${DISPATCH_STATUSES.join(", ")}; received '${row.status}'`;
    return [{ pointer: "/status", message }];
  }
  if (rowWorkerKey(row) !== null) return [];
  return [{ pointer: "", message: "it names no worker: workerId or assignmentRef is missing" }];
}

function tryParse(text: string): JsonValue | JsonSyntaxError {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new OkstraError("rows-invalid", "Cannot read dispatch rows: they are not UTF-8", {
      cause,
      hint: "give UTF-8",
    });
  }
  if (!text.startsWith("\ufeff")) return text;
  throw new OkstraError(
    "rows-invalid",
    "Cannot read dispatch rows: a byte order mark comes first",
    {
      hint: "give UTF-8 without a byte order mark",
    },
  );
}

function refuse(state: string, issues: readonly Issue[]): OkstraError {
  return new OkstraError(
    "rows-invalid",
    `Cannot read dispatch rows from standard input: ${state}`,
    {
      issues,
      hint: "give one JSON object, or one per line",
    },
  );
}

/**
 * Checks how an attempt ended before anything is locked or written.
 *
 * @throws {OkstraError} `reason-missing`; `parseTime`'s error
 */
export function parseSettlement(input: {
  readonly promptPath: string;
  readonly attempt: number;
  readonly status: Settlement["status"];
  readonly reason: string | undefined;
  readonly at: unknown;
}): Settlement {
  const { promptPath, attempt, status } = input;
  const reason = (input.reason ?? "").trim();
  if (isBlank(reason) && status !== "completed") {
    throw new OkstraError(
      "reason-missing",
      `Cannot settle attempt ${attempt} of "${promptPath}" as ${status}: it has no reason`,
      { hint: "add --reason TEXT" },
    );
  }
  return { promptPath, attempt, status, reason, endedAt: parseTime(input.at) };
}
