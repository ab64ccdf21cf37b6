import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";

/** What a record tells, in words of ours and a text that is not. */
export interface RecordDescription {
  /** Words of ours; names of workers and records may stand in them. */
  readonly what: string;
  /** The text that somebody wrote; empty if there is none. */
  readonly text: string;
}

/** Describes a record for a list of all of them. */
export function describeRecord(record: DiscussionRecord): RecordDescription {
  switch (record.kind) {
    case "subject":
      return { what: "confirms the subject", text: record.subject };
    case "cycle": {
      const workers = record.roster.map(({ worker }) => worker).join(", ");
      return { what: `opens research by ${workers}`, text: "" };
    }
    case "result":
      return { what: `brings a result in ${record.cycleId}`, text: record.resultPath };
    case "failure": {
      const scope = record.questionId ?? record.cycleId;
      return { what: `fails in ${scope} (${record.stage})`, text: record.reason };
    }
    case "recovery":
      return { what: `chooses ${record.choice} for ${record.failureId}`, text: "" };
    case "claim":
      return { what: `claims in ${record.cycleId}`, text: record.summary };
    case "close":
      return { what: `closes ${record.cycleId}`, text: record.finalState };
    case "question":
      return { what: `asks ${record.to}`, text: record.text };
    case "answer":
      return { what: `answers ${record.questionId}`, text: record.text };
    case "material":
      return {
        what: record.materialKind === "evidence" ? "brings evidence" : "brings an alternative",
        text: record.text,
      };
    case "decision": {
      const scope = record.settles.length === 0
        ? ""
        : `, which settles ${record.settles.join(", ")}`;
      return { what: `decides${scope}`, text: record.text };
    }
    case "drop":
      return { what: `waives the answer to ${record.questionId}`, text: record.reason };
    case "revision":
      return { what: "completes the discussion", text: "" };
    case "reopen":
      return { what: `opens ${record.revisionId} again`, text: record.reason };
  }
}
