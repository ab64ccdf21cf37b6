import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { findPromptWord } from "./prompt-word.ts";

describe("findPromptWord()", () => {
  const six = ["/p", "m", "/p/x.md", "", "analyser", ""];
  const rows: readonly (readonly [string, readonly string[], string | null])[] = [
    ["the third position", [...six, "--loud"], "/p/x.md"],
    [
      "the third position behind known options",
      ["--provider", "p", "--errors=json", ...six, "-z"],
      "/p/x.md",
    ],
    ["nothing of positions behind an unknown option", ["--loud", ...six], null],
    [
      "nothing of positions that an unknown option cuts in two",
      ["/p", "--loud", "m", "/p/x.md"],
      null,
    ],
    ["nothing of two positions", ["/p", "m", "--loud"], null],
    ["nothing of a blank position", ["/p", "m", " ", "--loud"], null],
    ["nothing of a position of invisible characters", ["/p", "m", "\u200b", "--loud"], null],
    ["--prompt", ["--loud", "--prompt", "x.md", "--", "sh"], "x.md"],
    ["--prompt with its value joined", ["--prompt=a=b.md", "--loud"], "a=b.md"],
    ["nothing of a --prompt without value", ["--loud", "--prompt"], null],
    ["nothing behind --", ["--loud", "--", "--prompt", "x.md", "a", "b", "c"], null],
    ["nothing of no words", [], null],
  ];
  for (const [name, words, prompt] of rows) {
    it(`finds ${name} (W-015)`, () => {
      assertEquals(findPromptWord(words).prompt, prompt);
    });
  }
});
