import type * as v from "valibot";
import type { Issue } from "./errors.ts";
import { fitsShape } from "./fits-shape.ts";
import { listIssues } from "./shape-issues.ts";

/** A kind of document: its name on the command line, its name in messages, and its shape. */
export interface DocumentKind<T> {
  readonly kind: string;
  readonly label: string;
  readonly schema: v.GenericSchema<unknown, T>;
  /** What the schema says of most values, if a build wrote that out: true is certain, false is for the schema to tell. */
  readonly fits?: (value: unknown) => boolean;
}

/** Defines a document kind; the type of its documents follows from the schema. */
export function defineKind<const S extends v.GenericSchema>(
  kind: string,
  label: string,
  schema: S,
): DocumentKind<v.InferOutput<S>> {
  return { kind, label, schema: schema as v.GenericSchema<unknown, v.InferOutput<S>> };
}

/** Returns a kind under another name in messages. */
export function relabel<T>(kind: DocumentKind<T>, label: string): DocumentKind<T> {
  // No copy: that would ask for the schema, which a build makes when it is asked for.
  return Object.create(kind, { label: { value: label } });
}

/** Lists everything that is wrong with a value's shape; empty if it is a document of the kind. */
export function validateShape(kind: DocumentKind<unknown>, value: unknown): readonly Issue[] {
  if (kind.fits ? kind.fits(value) : fitsShape(kind.schema, value)) return [];
  return listIssues(kind.schema, value);
}
