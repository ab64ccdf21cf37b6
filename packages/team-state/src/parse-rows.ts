import { validateShape } from "@okstra/manifest-io/document-kind";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { parseItemIdentity } from "@okstra/manifest-io/identity";
import { type JsonValue, parseJsonText } from "@okstra/manifest-io/json-text";
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
  const whole = tryParse(text);
  const parts = whole instanceof Error
    ? text.split("\n").map((line, at) => ({ line: at + 1, text: line }))
      .filter((part) => part.text.trim() !== "")
    : [{ line: 1, text }];
  if (parts.length === 0) throw refuse("it is empty", []);
  const rows: DispatchRow[] = [], issues: Issue[] = [];
  for (const part of parts) {
    const value = tryParse(part.text);
    if (value instanceof Error) issues.push({ line: part.line, message: value.message });
    else {
      issues.push(
        ...findProblems(value, runVersion).map((issue) => ({ line: part.line, ...issue })),
      );
      rows.push(value as DispatchRow);
    }
  }
  if (issues.length === 0) return rows;
  throw refuse(issues.length === 1 ? "1 problem" : `${issues.length} problems`, issues);
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

function tryParse(text: string): JsonValue | Error {
  try {
    return parseJsonText(text);
  } catch (error) {
    return error as Error;
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
  if (reason === "" && status !== "completed") {
    throw new OkstraError(
      "reason-missing",
      `Cannot settle attempt ${attempt} of "${promptPath}" as ${status}: it has no reason`,
      { hint: "add --reason TEXT" },
    );
  }
  return { promptPath, attempt, status, reason, endedAt: parseTime(input.at) };
}
