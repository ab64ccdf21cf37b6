import { digestBytes } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  sourceRunOf,
} from "./context.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import { type Ledger, refuseIfCompleted, refuseWithoutSubject } from "./ledger.ts";
import { joinCommands, nextCommand } from "./next-command.ts";
import { renderDraft } from "./render.ts";
import { allCommands, suggest } from "./suggest-commands.ts";

/** What `complete` answers. */
export type CompletePayload = RecordPayload & {
  readonly revisionId: string;
  readonly contentDigest: string;
  readonly contentPath: string;
};

/** What completing depends on. */
export interface CompleteInput {
  /** The version that the user saw. */
  readonly draftVersion: string;
  /** Returns where the text of a revision is written, as it is recorded. */
  contentPath(revisionId: string): string;
}

/**
 * Freezes the draft that the user saw as a revision; nothing but a reopening may follow.
 *
 * @throws {OkstraError} `no-subject`, `completed`, `draft-changed` or `not-ready`
 */
export function complete(
  ledger: Ledger,
  context: Context,
  input: CompleteInput,
): Outcome<CompletePayload> {
  const { draft } = ledger;
  refuseWithoutSubject(draft);
  const standing = findStanding(ledger, input.draftVersion);
  if (standing !== null) return answerRevision(standing, false, draft, context, []);
  refuseIfCompleted(draft.completedRevision);
  refuseOldDraft(draft, context, input.draftVersion);
  refuseUnfinished(draft, context);
  const revisionId = ledger.nextId("revision");
  const content = renderDraft(draft, context.taskKey);
  const contentPath = input.contentPath(revisionId);
  const { record, created } = ledger.append({
    kind: "revision",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: {
      revisionId,
      contentDigest: digestBytes(content),
      contentPath,
      draftVersion: draft.recordsDigest,
    },
  });
  const revision = record as unknown as RecordOf<"revision">;
  const files = [{ path: contentPath, content }];
  return answerRevision(revision, created, ledger.draft, context, files);
}

// A completed draft has two names for one state: the version that was completed, and the one that the revision made.
function findStanding({ draft }: Ledger, version: string): RecordOf<"revision"> | null {
  if (draft.completedRevision === null) return null;
  const revision = draft.revisions.at(-1) ?? null;
  const isSame = revision?.draftVersion === version || draft.recordsDigest === version;
  return isSame ? revision : null;
}

function refuseOldDraft(draft: Draft, context: Context, version: string): void {
  if (version === draft.recordsDigest) return;
  throw new OkstraError(
    "draft-changed",
    `Cannot complete draft ${version}: the draft changed since, it is ${draft.recordsDigest} now`,
    { hint: `show it to the user again: ${nextCommand(context, "show")}` },
  );
}

function refuseUnfinished(draft: Draft, context: Context): void {
  const open = draft.cycles.filter(({ status }) => status === "open");
  const obstacles = [
    ...open.map(({ recordId }) => `cycle ${recordId} is open`),
    ...draft.unrecoveredFailures.map((id) => `failure ${id} waits for the user's choice`),
    ...draft.pendingForUser.map((id) => `question ${id} waits for the user`),
    ...draft.pendingForParticipants.map((id) => `question ${id} waits for a participant`),
  ];
  if (obstacles.length === 0) return;
  throw new OkstraError("not-ready", `Cannot complete the discussion: ${obstacles.join("; ")}`, {
    hint: `go on: ${joinCommands(allCommands(suggest(draft, context)))}`,
    issues: obstacles.map((message) => ({ message })),
  });
}

function answerRevision(
  record: RecordOf<"revision">,
  created: boolean,
  draft: Draft,
  context: Context,
  files: Outcome<CompletePayload>["files"],
): Outcome<CompletePayload> {
  const { revisionId, contentDigest, contentPath } = record;
  const appended = { record: record as unknown as RecordPayload["record"], created };
  const fields = { revisionId, contentDigest, contentPath };
  return { ...answerRecord(appended, draft, context, fields), files };
}
