import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { isBlank } from "./blank.ts";

describe("isBlank()", () => {
  it("takes what shows nothing for blank: white space, controls, joiners, marks, fillers", () => {
    const nothing = [
      "",
      " \t\n",
      "\u00a0\u3000",
      "\0\u001b\u0085",
      "\u200b\u200d\u2060\ufeff",
      "\u00ad",
    ];
    const marks = [
      "\u200e\u202e\u2066\u2069",
      "\u3164\u115f\u2800",
      "\u180e\ufe0f",
      "\u{e0001}\u{e0020}",
    ];
    const format = ["\u{1bca0}", "\u206a", "\u2028\u2029", "\ufff9\ufffb"];
    for (const text of [...nothing, ...marks, ...format]) assertEquals(isBlank(text), true, text);
  });

  it("takes for text what has one sign in it", () => {
    for (const text of ["a", "\u200b.\u200b", "é", "\u{1f469}\u200d\u{1f467}", "-"]) {
      assertEquals(isBlank(text), false, text);
    }
  });
});
