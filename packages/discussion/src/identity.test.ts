import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { addMaterial } from "./add-material.ts";
import { confirmSubject } from "./confirm-subject.ts";
import { decide } from "./decide.ts";
import {
  closedCycle,
  closeIn,
  finding,
  openedCycle,
  runA,
  runB,
  subjectLedger,
} from "../testdata/world.ts";

const refuse = (fn: () => unknown) => assertThrows(fn, OkstraError);
const material = { kind: "evidence", text: "x", author: "user", location: "" } as const;

describe("append", () => {
  it("append() compares a subject and a decision with the latest one (G-130, G-135)", () => {
    const ledger = subjectLedger();
    const confirm = (question: string) =>
      confirmSubject(ledger, runB, { subject: "src", question }).payload.created;
    assertEquals([confirm("Which faults?"), confirm("Other?"), confirm("Which faults?")], [
      false,
      true,
      true,
    ]);
    const settle = (text: string) => decide(ledger, runA, { text, settles: [] }).payload.created;
    assertEquals([settle("a"), settle("a"), settle("b"), settle("a")], [true, false, true, true]);
  });

  it("append() knows material by kind, author, text and place (G-131)", () => {
    const ledger = subjectLedger();
    const bring = (fields: object) =>
      addMaterial(ledger, runA, { ...material, ...fields }).payload.created;
    assertEquals([bring({}), bring({})], [true, false]);
    const others = [{ kind: "alternative" }, { author: "lead" }, { author: "alpha" }, {
      text: "y",
    }, { location: "a.ts:1" }];
    assertEquals(others.map(bring), others.map(() => true));
    assertEquals(ledger.records.length, 7);
  });

  it("append() takes material before there is a subject, from known authors only (G-131)", () => {
    const ledger = subjectLedger();
    assertEquals(
      refuse(() => addMaterial(ledger, runA, { ...material, author: "gamma" })).code,
      "unknown-author",
    );
  });

  it("append() refuses a second cycle of a run, and a claim or close with other content (C.9)", () => {
    const { ledger } = closedCycle([finding("F-001", "contested")]);
    const [cycle] = ledger.draft.cycles;
    const sourceRun = runA.run.manifest;
    const again = refuse(() =>
      ledger.append({
        kind: "cycle",
        author: "lead",
        sourceRun,
        fields: {
          inputRefs: ["M-0001"],
          roster: [...cycle?.openedRoster ?? []],
          instructionPath: cycle?.instructionPath ?? "",
          instructionDigest: cycle?.instructionDigest ?? "",
        },
      })
    );
    assertStringIncludes(again.message, "R-0001 has another inputRefs");
    const { evidence, category, classification, discoveredBy, verdicts } = cycle?.claims[0] ?? {};
    const claim = {
      cycleId: "R-0001",
      findingId: "F-001",
      summary: "Other",
      category: category ?? "",
      discoveredBy: [...discoveredBy ?? []],
      evidence: evidence ?? "",
      classification: classification ?? "",
      verdicts: [...verdicts ?? []],
    };
    const other = refuse(() =>
      ledger.append({ kind: "claim", author: "alpha", sourceRun, fields: claim })
    );
    assertStringIncludes(other.message, "C-0001 has another summary");
  });

  it("append() does not compare the run or the clock (C.9)", () => {
    const ledger = subjectLedger();
    assertEquals(addMaterial(ledger, runA, material).payload.created, true);
    assertEquals(addMaterial(ledger, runB, material).payload.created, false);
  });

  it("append() refuses the whole of five findings if the third is refused (G-092, E-88)", () => {
    const { ledger } = openedCycle();
    const bad = finding("F-003", "contested", { summary: " " });
    const findings = ["F-001", "F-002"].map((id) => finding(id, "refuted"));
    // The transaction writes only what an operation that ended left in the ledger.
    const error = refuse(() =>
      closeIn(ledger, runA, [...findings, bad, finding("F-004", "refuted")])
    );
    assertEquals(error.code, "bad-record");
    assertEquals(ledger.draft.cycles[0]?.status, "open");
  });
});
