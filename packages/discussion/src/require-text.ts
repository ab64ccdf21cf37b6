import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";

/**
 * Returns a text as it is, unless it is blank.
 *
 * @param name what the text is, for the message
 * @throws {OkstraError} `blank-text`
 */
export function requireText(name: string, value: string): string {
  if (!isBlank(value)) return value;
  throw new OkstraError("blank-text", `Cannot record the ${name}: it is blank`, {
    hint: "say it in words, as an option or in a file",
  });
}
