import { type DocumentKind, validateShape } from "./document-kind.ts";
import { type Issue, OkstraError } from "./errors.ts";
import { parseForeignJson } from "./json-text.ts";
import { decodeText, parseText } from "./parse-bytes.ts";

/**
 * Lists everything that is wrong with the bytes of a document; empty if they are one of the kind.
 *
 * A file that ends in `.jsonl` holds one document a line.
 */
export function validateBytes(
  kind: DocumentKind<unknown>,
  file: string,
  bytes: Uint8Array,
): readonly Issue[] {
  try {
    const text = decodeText(kind.label, file, bytes);
    if (!file.endsWith(".jsonl")) return validateText(kind, file, text);
    const lines = text.split("\n");
    const issues: Issue[] = lines.at(-1) === "" ? [] : [{
      line: lines.length,
      message: "the last line does not end in a newline",
    }];
    return issues.concat(
      ...lines.slice(0, -1).map((line, i) =>
        validateText(kind, file, line).map((issue) => ({ ...issue, line: i + 1 }))
      ),
    );
  } catch (error) {
    return toIssues(error);
  }
}

function validateText(kind: DocumentKind<unknown>, file: string, text: string): readonly Issue[] {
  try {
    return validateShape(kind, parseText(kind.label, file, text, parseForeignJson));
  } catch (error) {
    return toIssues(error);
  }
}

function toIssues(error: unknown): readonly Issue[] {
  if (!(error instanceof OkstraError)) throw error;
  const { issues, message } = error;
  return issues.length > 0 ? issues.map(({ file: _, ...issue }) => issue) : [{ message }];
}
