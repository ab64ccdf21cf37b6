import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { digestJson } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import type {
  AttemptRecord,
  ExecutionManifest,
} from "@okstra/manifest-io/schemas/execution-manifest";
import type { LedgerRow } from "@okstra/manifest-io/schemas/team-state";
import { checkEnd, findRecordedAttempt } from "./native-attempt.ts";

const writeEnforcement = { mutationAudit: "batch", boundary: "none" };
const policy = (role: string) => ({
  role,
  projectRoot: "/p",
  sourcePolicy: { allowedRoot: null, plannedPaths: [], plannedPathsDeclared: true },
  artifactPaths: [],
  auxiliaryRoots: [],
  precision: "none",
});
const attempt = (invocationRef: string, fields: Partial<AttemptRecord> = {}): AttemptRecord => ({
  invocationRef,
  attempt: 1,
  startedAt: "2026-01-31T10:00:00Z",
  finishedAt: null,
  status: "started",
  resultPath: null,
  errorPath: null,
  changeSummary: {},
  evidenceSealRef: null,
  ...fields,
});
const invocation = (invocationRef: string) => ({
  invocationRef,
  writePolicy: policy(invocationRef),
  writePolicyDigest: digestJson(policy(invocationRef)),
  writeEnforcement,
});
const execution = (attempts: AttemptRecord[], names = ["own", "other", "third"]) =>
  ({
    attempts,
    invocations: names.map(invocation),
  }) as unknown as ExecutionManifest;
const row = (fields: Partial<LedgerRow> = {}): LedgerRow => ({
  dispatchId: "own:attempt-1",
  invocationRef: "own",
  attempt: 1,
  writePolicyDigest: digestJson(policy("own")),
  writeEnforcement: { boundary: "none", mutationAudit: "batch" },
  ...fields,
});

describe("findRecordedAttempt()", () => {
  it("finds the attempt and its policy (T-041)", () => {
    const own = attempt("own", { attempt: 2 });
    const found = findRecordedAttempt(execution([attempt("own"), own]), row({ attempt: 2 }));
    assertEquals(found, { attempt: own, policies: [policy("own")] });
  });

  it("adds the policies of those who ran at any time since (T-041)", () => {
    const own = attempt("own", { startedAt: "2026-01-31T10:00:00Z" });
    const policies = (finishedAt: string | null) =>
      findRecordedAttempt(execution([own, attempt("other", { finishedAt })]), row()).policies;
    assertEquals(policies(null), [policy("own"), policy("other")]);
    assertEquals(policies("2026-01-31T10:00:00Z"), [policy("own"), policy("other")]);
    assertEquals(policies("2026-01-31T09:59:59Z"), [policy("own")]);
  });

  it("refuses what the execution manifest does not hold, or holds otherwise (T-041)", () => {
    const forged = execution([attempt("own")]);
    Object.assign(forged.invocations[0]!.writePolicy, { artifactPaths: ["/"] });
    for (
      const [document, recorded, code, text] of [
        [
          execution([attempt("own")], ["other"]),
          row(),
          "invocation-unrecorded",
          'no invocation "own"',
        ],
        [execution([]), row(), "attempt-unknown", "never opened"],
        [execution([attempt("own")]), row({ attempt: 2 }), "attempt-unknown", "never opened"],
        [
          execution([attempt("own")]),
          row({ writePolicyDigest: digestJson(policy("other")) }),
          "policy-drift",
          "write policy changed",
        ],
        [forged, row(), "policy-drift", "write policy changed"],
        [
          execution([attempt("own")]),
          row({ writeEnforcement: { mutationAudit: "none", boundary: "none" } }),
          "enforcement-drift",
          "enforcement of its write policy changed",
        ],
      ] as const
    ) {
      const error = assertThrows(() => findRecordedAttempt(document, recorded), OkstraError);
      assertEquals(error.code, code);
      assertStringIncludes(error.message, '"own:attempt-1"');
      assertStringIncludes(error.message, text);
    }
  });
});

describe("checkEnd()", () => {
  const ended = (fields: Partial<AttemptRecord>) =>
    attempt("own", { finishedAt: "2026-01-31T10:05:00Z", status: "ok", ...fields });

  it("lets the result of an attempt that ended well be linked, and no other (T-044)", () => {
    checkEnd(row(), ended({ resultPath: "r.md" }), "r.md");
    for (const [resultPath, name] of [["other.md", '"other.md"'], [null, "no result"]] as const) {
      const error = assertThrows(() => checkEnd(row(), ended({ resultPath }), "r.md"), OkstraError);
      assertEquals(error.code, "attempt-drift");
      assertStringIncludes(error.message, name);
      assertStringIncludes(error.message, "2026-01-31T10:05:00Z");
    }
  });

  it("tells every violation of an attempt that did not (T-041)", () => {
    const violations = ['"src/a.ts" was changed', '"b" is new'];
    for (const status of ["violation", "unverifiable"]) {
      const attempt = ended({ status, resultPath: "r.md", changeSummary: { violations } });
      const error = assertThrows(() => checkEnd(row(), attempt, "r.md"), OkstraError);
      assertEquals(error.code, `mutation-${status}`);
      assertEquals(error.issues.map((issue) => issue.message), violations);
    }
  });

  it("tells the status where there are no violations (T-041)", () => {
    const error = assertThrows(
      () => checkEnd(row(), ended({ status: "timeout" }), "r"),
      OkstraError,
    );
    assertEquals(error.code, "attempt-failed");
    assertStringIncludes(error.message, '"timeout"');
  });
});
