import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { addMaterial } from "./add-material.ts";
import { decide } from "./decide.ts";
import { findClaimIds } from "./fold-claims.ts";
import { closedCycle, closeIn, finding, openIn, runA, runB } from "../testdata/world.ts";

describe("projectClaims", () => {
  const words = [
    ["contested", "disputed"],
    ["full-consensus", "established"],
    ["partial-consensus", "supported"],
    ["worker-unique", "single-source"],
    ["refuted", "refuted"],
    ["withdrawn", "withdrawn"],
    ["something-new", "disputed"],
  ] as const;
  for (const [classification, standing] of words) {
    it(`projectClaims() takes ${classification} as ${standing} (C.8)`, () => {
      const { ledger } = closedCycle([finding("F-001", classification)]);
      const claims = ledger.draft.cycles[0]?.claims;
      assertEquals(claims?.map((claim) => claim.standing), [standing]);
      const isDisputed = standing === "disputed";
      assertEquals(ledger.draft.remainingDisagreements, isDisputed ? ["C-0001"] : []);
    });
  }

  it("projectClaims() takes a claim that a decision settles as decided, whatever it was (E-22)", () => {
    const { ledger } = closedCycle([finding("F-001", "contested"), finding("F-002", "contested")]);
    decide(ledger, runA, { text: "It is right", settles: ["C-0001"] });
    assertEquals(ledger.draft.remainingDisagreements, ["C-0002"]);
    assertEquals(ledger.draft.cycles[0]?.claims[0]?.standing, "decided");
  });

  it("projectClaims() takes a contested claim that a later cycle names as revisited (E-91)", () => {
    const { ledger, files } = closedCycle([
      finding("F-001", "contested"),
      finding("F-002", "contested"),
    ]);
    addMaterial(ledger, runA, { kind: "evidence", text: "new", author: "user", location: "" });
    openIn(ledger, runB, files);
    closeIn(ledger, runB, [
      finding("F-001", "full-consensus", { summary: "Builds on C-0001 and C-00021." }),
    ]);
    const [first, second] = ledger.draft.cycles[0]?.claims ?? [];
    assertEquals([first?.standing, first?.revisitedBy], ["revisited", ["C-0003"]]);
    assertEquals([second?.standing, second?.revisitedBy], ["disputed", []]);
    assertEquals(ledger.draft.remainingDisagreements, ["C-0002"]);
  });

  it("projectClaims() does not let a claim of the same cycle revisit another", () => {
    const { ledger } = closedCycle([
      finding("F-001", "contested"),
      finding("F-002", "full-consensus", { summary: "See C-0001" }),
    ]);
    assertEquals(ledger.draft.cycles[0]?.claims[0]?.standing, "disputed");
  });
});

describe("findClaimIds", () => {
  it("findClaimIds() takes whole words only (E-92)", () => {
    assertEquals(findClaimIds("C-00012, xC-0002, C-0003_, C-0004-a, C-0005."), [
      "C-00012",
      "C-0005",
    ]);
  });

  it("findClaimIds() takes a text with any number of names", () => {
    assertEquals(findClaimIds("C-0001 C-0002 ".repeat(80_000)), ["C-0001", "C-0002"]);
  });
});
