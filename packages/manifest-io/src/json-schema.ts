import { toJsonSchema } from "@valibot/to-json-schema";
import type { DocumentKind } from "./document-kind.ts";

/**
 * Returns the JSON Schema (draft 07) of a document kind.
 *
 * Rules that JSON Schema cannot express are left out: a document that fits the schema may still be refused.
 */
export function formatSchema(kind: DocumentKind<unknown>): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = toJsonSchema(kind.schema, { errorMode: "ignore" });
  return { $schema, title: kind.label, ...rest };
}
