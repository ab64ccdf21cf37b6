import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { formatLaunchScript, quoteWord } from "./shell-quote.ts";

describe("quoteWord()", () => {
  it("quoteWord() leaves plain words, and quotes what a shell reads something into", () => {
    assertEquals(["/p/a-b.md", "a=b", ""].map(quoteWord), ["/p/a-b.md", "a=b", "''"]);
    assertEquals(["a b", "$(x)", "it's", "~", "=x", "a\nb"].map(quoteWord), [
      "'a b'",
      "'$(x)'",
      "'it'\\''s'",
      "'~'",
      "'=x'",
      "'a\nb'",
    ]);
  });
});

describe("formatLaunchScript()", () => {
  it("formatLaunchScript() sets and takes away variables, then becomes the command", () => {
    const script = formatLaunchScript({
      command: ["/bin/wrap", "a b"],
      variables: { A: "x y", B: null },
      remark: "two\nlines",
    });
    assertEquals(
      script,
      "#!/bin/sh\n# two lines\nexport A='x y'\nunset B\nexec /bin/wrap 'a b'\n",
    );
  });
});
