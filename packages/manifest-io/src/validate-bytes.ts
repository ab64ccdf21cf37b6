import { type DocumentKind, validateShape } from "./document-kind.ts";
import { type Issue, OkstraError } from "./errors.ts";
import { decodeText, parseObjectText } from "./parse-bytes.ts";

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
      lines.slice(0, -1).flatMap((line, i) =>
        validateText(kind, file, line).map((issue) => ({ ...issue, line: i + 1 }))
      ),
    );
  } catch (error) {
    return toIssues(kind, file, error);
  }
}

function validateText(kind: DocumentKind<unknown>, file: string, text: string): readonly Issue[] {
  try {
    return validateShape(kind, parseObjectText(kind.label, file, text));
  } catch (error) {
    return toIssues(kind, file, error);
  }
}

function toIssues(kind: DocumentKind<unknown>, file: string, error: unknown): readonly Issue[] {
  if (!(error instanceof OkstraError)) throw error;
  const { issues, message } = error;
  if (issues.length > 0) return issues.map(({ file: _, ...issue }) => issue);
  // Which file and as what is said already; only the state is left to tell.
  return [{
    message: message.replace(`Cannot read ${JSON.stringify(file)} as ${kind.label}: `, ""),
  }];
}
