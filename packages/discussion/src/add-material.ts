import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { requireAuthor } from "./authors.ts";
import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  sourceRunOf,
} from "./context.ts";
import { LEAD, USER } from "./reserved-authors.ts";
import type { Ledger } from "./ledger.ts";
import { requireText } from "./require-text.ts";

/** Evidence or an alternative that somebody brings. */
export interface MaterialInput {
  readonly kind: RecordOf<"material">["materialKind"];
  readonly text: string;
  /** Who brings it: the user, the lead, or a participant. */
  readonly author: string;
  /** Where it is found; empty if it has no place. */
  readonly location: string;
}

/**
 * Records material for the next research; allowed before the subject is confirmed.
 *
 * @throws {OkstraError} `blank-text`, `unknown-author` or `completed`
 */
export function addMaterial(
  ledger: Ledger,
  context: Context,
  input: MaterialInput,
): Outcome<RecordPayload> {
  const appended = ledger.append({
    kind: "material",
    author: requireAuthor(input.author, "author", [USER, LEAD], ledger.draft, context),
    sourceRun: sourceRunOf(context),
    fields: {
      materialKind: input.kind,
      text: requireText(input.kind, input.text),
      location: input.location === "" ? "" : requireText("location", input.location),
    },
  });
  return answerRecord(appended, ledger.draft, context, {});
}
