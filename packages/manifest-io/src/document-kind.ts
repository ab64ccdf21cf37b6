import * as v from "valibot";
import type { Issue } from "./errors.ts";
import { fitsShape } from "./fits-shape.ts";
import { formatPointer } from "./json-pointer.ts";

/** A kind of document: its name on the command line, its name in messages, and its shape. */
export interface DocumentKind<T> {
  readonly kind: string;
  readonly label: string;
  readonly schema: v.GenericSchema<unknown, T>;
}

/** Defines a document kind; the type of its documents follows from the schema. */
export function defineKind<const S extends v.GenericSchema>(
  kind: string,
  label: string,
  schema: S,
): DocumentKind<v.InferOutput<S>> {
  return { kind, label, schema: schema as v.GenericSchema<unknown, v.InferOutput<S>> };
}

/** Lists everything that is wrong with a value's shape; empty if it is a document of the kind. */
export function validateShape(kind: DocumentKind<unknown>, value: unknown): readonly Issue[] {
  if (fitsShape(kind.schema, value)) return [];
  const result = v.safeParse(kind.schema, value);
  return result.success ? [] : result.issues.flatMap(toIssues);
}

function toIssues(issue: v.BaseIssue<unknown>): readonly Issue[] {
  // A union reports its alternatives inside: the place is there, the sentence is its own.
  const pointer = formatPointer((issue.path ?? []).map((item) => item.key as string | number));
  const expected = issue.expected?.replaceAll('"', "'");
  const isMissing = issue.received === "undefined";
  const received = issue.received.replaceAll('"', "'");
  // The library's own sentences begin so; any other one is the schema's, and says what to do.
  const isOwn = !issue.message.startsWith("Invalid ");
  const message = isOwn
    ? issue.type === "check" ? issue.message : `${issue.message}; received ${received}`
    : isMissing
    ? `is missing; expected ${expected ?? "a value"}`
    : expected === undefined
    ? issue.message
    : `expected ${expected}, received ${received}`;
  return [{
    pointer,
    message,
    ...(expected === undefined ? {} : { expected }),
    received: isMissing ? "nothing" : issue.received,
  }];
}
