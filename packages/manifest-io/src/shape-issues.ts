import * as v from "valibot";
import type { Issue } from "./errors.ts";
import { formatPointer } from "./json-pointer.ts";

/** Lists everything in which a value differs from a schema, in the words of the tools. */
export function listIssues(schema: v.GenericSchema, value: unknown): readonly Issue[] {
  const result = v.safeParse(schema, value);
  return result.success ? [] : result.issues.map(toIssues);
}

function toIssues(issue: v.BaseIssue<unknown>): Issue {
  // A union reports its alternatives inside: the place is there, the sentence is its own.
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const isMissing = issue.received === "undefined";
  return {
    pointer: formatPointer(path),
    message: isMissing ? "is missing" : formatMessage(issue),
    ...(issue.expected == null ? {} : { expected: issue.expected.replaceAll('"', "'") }),
    received: isMissing ? "nothing" : issue.received,
  };
}

function formatMessage(issue: v.BaseIssue<unknown>): string {
  const received = formatType(issue.received);
  // The library's own sentences begin so; any other one is the schema's, and says what to do.
  if (!issue.message.startsWith("Invalid ")) {
    return /^(?:raw_)?check$/.test(issue.type)
      ? issue.message
      : `${issue.message}; received ${received}`;
  }
  const { requirement } = issue as { requirement?: unknown };
  switch (issue.type) {
    case "safe_integer":
      return `expected a whole number, received ${received}`;
    case "min_value":
      return `expected at least ${requirement}, received ${received}`;
    case "min_length":
      return `must have at least ${requirement} ${
        Array.isArray(issue.input) ? "entry" : "character"
      }`;
    default:
      if (issue.type === "strict_object" && issue.expected === "never") {
        return "is not a field of this object";
      }
      return `expected ${formatType(issue.expected ?? "something else")}, received ${received}`;
  }
}

/** Formats what the library calls `("a" | "b")` or `Array`. */
function formatType(type: string): string {
  const words = type.replaceAll('"', "'").replace(/^\((.*)\)$/, "$1").split(" | ");
  return words.map((word) => TYPE_WORDS.get(word) ?? word).join(" or ");
}

const TYPE_WORDS = new Map([["Array", "a list"], ["Object", "an object"]]);
