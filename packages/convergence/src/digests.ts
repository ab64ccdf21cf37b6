import { digestJson } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";

/** Returns the digest of a document's content, which `revision` is no part of. */
export function digestState(document: Readonly<Record<string, unknown>>): string {
  return digestJson({ ...document, revision: undefined });
}

/** Returns the digest of a document made by hand, or `null` if it holds a number that has none. */
export function digestIfPossible(document: unknown): string | null {
  try {
    return digestState(document as Record<string, unknown>);
  } catch (error) {
    if (error instanceof OkstraError) return null;
    throw error;
  }
}
