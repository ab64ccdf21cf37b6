import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { EMPTY_DIGEST } from "../digest.ts";
import { validateShape } from "../document-kind.ts";
import { discussionAnchor } from "./discussion-anchor.ts";
import {
  discussionRecord,
  RECORD_KINDS,
  recordFieldNames,
  type RecordKind,
} from "./discussion-record.ts";

const common = {
  schemaVersion: "1.0",
  recordId: "X-0001",
  author: "user",
  sourceRun: "",
  recordedAt: "2026-01-31T09:05:00Z",
  previous: EMPTY_DIGEST,
  digest: EMPTY_DIGEST,
};

const verdict = {
  round: 1,
  worker: "beta",
  verdict: "agree",
  disagreeBasis: null,
  explanation: "",
};

/** A good record of each kind, less the common fields. */
const GOOD: Readonly<Record<RecordKind, Readonly<Record<string, unknown>>>> = {
  subject: { subject: "src", question: "Which faults?" },
  cycle: {
    inputRefs: [],
    roster: [{ worker: "alpha", model: "lint/m" }],
    instructionPath: "i.md",
    instructionDigest: EMPTY_DIGEST,
  },
  result: { cycleId: "R-0001", dispatch: "d", resultPath: "r.md" },
  failure: {
    cycleId: "",
    questionId: "Q-0001",
    dispatch: "d",
    stage: "start",
    attempts: 0,
    status: "error",
    reason: "x",
  },
  recovery: { failureId: "FL-0001", choice: "retry", worker: "alpha", cycleId: "", questionId: "" },
  claim: {
    cycleId: "R-0001",
    findingId: "F-001",
    summary: "s",
    category: "c",
    discoveredBy: ["alpha"],
    evidence: "e",
    classification: "contested",
    verdicts: [verdict, { ...verdict, round: "coverage" }],
  },
  close: {
    cycleId: "R-0001",
    convergenceState: "c.json",
    stateDigest: EMPTY_DIGEST,
    finalState: "converged",
    stopReason: null,
  },
  question: { to: "user", text: "What?", cycleId: "" },
  answer: { questionId: "Q-0001", text: "This", resultPath: "r.md" },
  material: { materialKind: "evidence", text: "x", location: "" },
  decision: { text: "x", settles: [] },
  drop: { questionId: "Q-0001", reason: "x" },
  revision: {
    revisionId: "RV-0001",
    contentDigest: EMPTY_DIGEST,
    contentPath: "RV-0001.md",
    draftVersion: EMPTY_DIGEST,
  },
  reopen: { revisionId: "RV-0001", reason: "x" },
};

const OPTIONAL = ["failure.questionId", "answer.resultPath"];

const pointers = (record: object) =>
  validateShape(discussionRecord, record).map(({ pointer }) => pointer);

describe("discussionRecord", () => {
  for (const kind of RECORD_KINDS) {
    it(`discussionRecord takes a ${kind}, and misses each field that it must have`, () => {
      const good = { ...common, kind, ...GOOD[kind] };
      assertEquals(pointers({ ...good, later: "kept" }), []);
      assertEquals(Object.keys(GOOD[kind]), [...recordFieldNames(kind)]);
      for (const name of [...Object.keys(common), ...recordFieldNames(kind)]) {
        const { [name]: _left, ...rest } = good as Record<string, unknown>;
        const isOptional = OPTIONAL.includes(`${kind}.${name}`);
        assertEquals(pointers(rest), isOptional ? [] : [`/${name}`], name);
      }
    });
  }

  it("discussionRecord refuses blank texts, bad words, bad digests and bad times", () => {
    const bad = [
      [{ kind: "subject", ...GOOD.subject, subject: " " }, "/subject"],
      [{ kind: "material", ...GOOD.material, materialKind: "rumour" }, "/materialKind"],
      [{ kind: "close", ...GOOD.close, stateDigest: "sha256:x" }, "/stateDigest"],
      [{ kind: "cycle", ...GOOD.cycle, roster: [] }, "/roster"],
      [{ kind: "failure", ...GOOD.failure, attempts: 1.5 }, "/attempts"],
      [{ kind: "reopen", ...GOOD.reopen, recordedAt: "today" }, "/recordedAt"],
      [{ kind: "question", ...GOOD.question, to: "../x" }, "/to"],
    ] as const;
    for (const [fields, pointer] of bad) {
      assertEquals(pointers({ ...common, ...fields }), [pointer]);
    }
  });
});

describe("discussionAnchor", () => {
  it("discussionAnchor takes count, digest and time, and misses each of them", () => {
    const good = { recordCount: 1, recordsDigest: EMPTY_DIGEST, at: common.recordedAt };
    assertEquals(validateShape(discussionAnchor, good), []);
    for (const name of Object.keys(good)) {
      const { [name]: _left, ...rest } = good as Record<string, unknown>;
      assertEquals(validateShape(discussionAnchor, rest).map((i) => i.pointer), [`/${name}`]);
    }
    assertEquals(validateShape(discussionAnchor, { ...good, recordCount: 0 }).length, 1);
  });
});
