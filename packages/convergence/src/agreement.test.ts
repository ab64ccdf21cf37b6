import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { measureAgreement } from "./agreement.ts";
import { testVote } from "./testing.ts";

const providers = new Map([["a", "x"], ["b", "x"], ["c", "y"]]);

/** Findings by the verdicts of workers a, b, c: one letter each, `-` for no vote. */
const measure = (...rows: readonly string[]) =>
  measureAgreement(
    rows.map((row) => ({
      rounds: [{
        round: 1,
        votes: Object.fromEntries(
          [...row].flatMap((letter, i) => {
            const word = { A: "agree", S: "supplement", D: "disagree", U: "unverified" }[letter];
            return word === undefined ? [] : [["abc"[i]!, testVote(word)]];
          }),
        ),
      }],
    })),
    providers,
  );
const values = (...rows: readonly string[]) => {
  const { percentAgreement, krippendorffAlpha, gwetAc1 } = measure(...rows);
  return [percentAgreement, krippendorffAlpha, gwetAc1].map((figure) =>
    figure.value ?? figure.reason
  );
};

describe("measureAgreement()", () => {
  it("gives the figures worked out by hand for two voters", () => {
    // 8 votes: 5 support, 3 oppose. Alpha: 1 - (2 of 8) / (1 - (20 + 6) / 56). AC1: pe = 2 * 5/8 * 3/8.
    assertEquals(values("AA", "AD", "DD", "AA"), [0.75, 0.5333, 0.5294]);
  });

  it("allows missing votes: alpha and share ignore lone ones, AC1 counts them for chance", () => {
    // Alpha over 5 votes AAA, AD: 1 - (2 of 5) / (1 - 12 / 20).
    assertEquals(values("AAA", "A-D", "--D"), [0.5, 0, 0]);
  });

  it("takes supplement for agreement, and unverified for a side of its own", () => {
    assertEquals(values("AS", "SA"), [1, "all votes are the same", "all votes are the same"]);
    assertEquals(values("AA", "UU", "DD"), [1, 1, 1]);
    assertEquals(values("AU")[0], 0);
  });

  it("says why a figure is undefined", () => {
    const reason = "no finding has two votes";
    assertEquals(values("A", "-D"), [reason, reason, reason]);
    assertEquals(values(), [reason, reason, reason]);
  });

  it("takes each worker's latest vote", () => {
    const round = (n: number, word: string) => ({
      round: n,
      votes: { a: testVote("agree"), b: testVote(word) },
    });
    const { percentAgreement } = measureAgreement(
      [{ rounds: [round(1, "disagree"), round(2, "agree")] }],
      providers,
    );
    assertEquals(percentAgreement.value, 1);
  });

  it("counts findings with votes and distinct providers, with a remark below 20 findings", () => {
    const few = measure("AA", "--", "A--", "AAA");
    assertEquals([few.items, few.pairableItems, few.providerFamilies], [3, 2, 2]);
    assertEquals(few.remarks, ["fewer than 20 findings with votes: the figures say little"]);
    assertEquals(measure(...Array.from({ length: 20 }, () => "A-D")).remarks, []);
    assertEquals(measure().remarks, []);
  });

  it("remarks on one provider, one side, and votes that were given with others in view", () => {
    const many = (row: string, count: number) => Array.from({ length: count }, () => row);
    assertEquals(measure(...many("AD", 20)).remarks, [
      "all voters are of one provider: that they agree is no independent check",
    ]);
    assertEquals(measure(...many("A-A", 18), ...many("A-D", 2)).remarks, [
      "nearly all votes are on one side: alpha is low then even where most agree, AC1 is not",
    ]);
    const again = measureAgreement(
      Array.from({ length: 20 }, () => ({
        rounds: [{ round: 2, votes: { a: testVote("agree"), c: testVote("disagree") } }],
      })),
      providers,
    );
    assertEquals(again.remarks, [
      "votes of round 2 were given with those of round 1 in view: they are not independent",
    ]);
  });
});
