// Figures that others have published, with their sources:
// [K] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", University of Pennsylvania, 2011: its examples A
//     (binary data, two observers), B (nominal data, two observers) and C (nominal data, any number of observers, missing
//     data).
// [W] "Krippendorff's alpha", Wikipedia, section "A computational example" (three coders, missing data, nominal).
// [G] K. L. Gwet, R package irrCAC 1.0 (2019), vignette "Calculating Chance-corrected Agreement Coefficients", whose data
//     and formulas are those of the Handbook of Inter-Rater Reliability, 4th edition, 2014: the tables cont3x3abstractors
//     and cac.raw4raters.
// [P] K. L. Gwet, "Kappa statistic is not satisfactory for assessing the extent of agreement between raters", 2002: a table
//     of 125 subjects on which kappa is below zero.
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import {
  type CategoryCounts,
  countCategories,
  gwetAc1,
  krippendorffAlpha,
  percentAgreement,
} from "./agreement-figures.ts";

/** Items from one line for each rater; `.` is a missing vote. */
function readRatings(...raters: readonly string[]): readonly CategoryCounts[] {
  const rows = raters.map((line) => line.split(" "));
  return rows[0]!.map((_, i) =>
    countCategories(rows.map((row) => row[i]!).filter((value) => value !== "."))
  );
}

/** Items from a table of two raters: rows are the first one's categories, columns the second one's. */
function readTable(...rows: readonly (readonly number[])[]): readonly CategoryCounts[] {
  return rows.flatMap((row, a) =>
    row.flatMap((count, b) =>
      Array.from({ length: count }, () => countCategories([`${a}`, `${b}`]))
    )
  );
}

const MISSING_DATA = readRatings(
  "1 2 3 3 2 1 4 1 2 . . .",
  "1 2 3 3 2 2 4 1 2 5 . 3",
  ". 3 3 3 2 3 4 2 2 5 1 .",
  "1 2 3 3 2 4 4 1 2 5 1 .",
);
const ABSTRACTORS = readTable([13, 0, 0], [0, 20, 7], [0, 4, 56]);

const round = (value: number | null, digits: number) => Number(value!.toFixed(digits));

describe("krippendorffAlpha()", () => {
  it("gives the published value for two observers and two categories [K, A]", () => {
    const items = readRatings("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0");
    assertEquals(round(krippendorffAlpha(items).value, 3), 0.095);
  });

  it("gives the published value for two observers and five categories [K, B]", () => {
    const items = readRatings("a a b b d c c c e d d a", "b a b b b c c c e d d d");
    assertEquals(round(krippendorffAlpha(items).value, 3), 0.692);
  });

  it("gives the published value for four observers with missing data [K, C]", () => {
    assertEquals(round(krippendorffAlpha(MISSING_DATA).value, 3), 0.743);
  });

  it("gives the published value where most votes are missing [W]", () => {
    const items = readRatings(
      ". . . . . 3 4 1 2 1 1 3 3 . 3",
      "1 . 2 1 3 3 4 3 . . . . . . .",
      ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
    );
    assertEquals(round(krippendorffAlpha(items).value, 3), 0.691);
  });

  it("gives the published value for a table of two raters [G]", () => {
    assertEquals(krippendorffAlpha(ABSTRACTORS).value, round(0.7972585, 4));
  });
});

describe("gwetAc1()", () => {
  it("gives the published value for a table of two raters [G]", () => {
    assertEquals(gwetAc1(ABSTRACTORS).value, round(0.8493305, 4));
  });

  it("gives the published value for four raters with missing votes [G]", () => {
    assertEquals(gwetAc1(MISSING_DATA).value, round(0.77544, 4));
  });

  it("stays high where nearly all votes are on one side [P]", () => {
    const items = readTable([118, 5], [2, 0]);
    assertEquals(gwetAc1(items).value, 0.9408);
    assertEquals(krippendorffAlpha(items).value! < 0, true);
  });
});

describe("percentAgreement()", () => {
  it("gives the published values [G]", () => {
    assertEquals(percentAgreement(ABSTRACTORS).value, 0.89);
    assertEquals(percentAgreement(MISSING_DATA).value, round(0.8181818, 4));
  });
});

describe("figures of agreement", () => {
  const figures = [percentAgreement, krippendorffAlpha, gwetAc1];

  it("are undefined with a reason where no item has two votes", () => {
    for (const figure of figures) {
      for (const items of [[], readRatings("a . b")]) {
        assertEquals(figure(items), { value: null, reason: "no finding has two votes" });
      }
    }
  });

  it("do not depend on the order of items, raters and names of categories", () => {
    const renamed = readRatings(
      ". x . y p q v v p u v u".replaceAll("y", "x"),
      ". x x y p q v v u u v u".replaceAll("y", "x"),
    );
    const reversed = [...renamed].reverse().map((item) => new Map([...item].reverse()));
    for (const figure of figures) assertEquals(figure(reversed), figure(renamed));
  });
});
