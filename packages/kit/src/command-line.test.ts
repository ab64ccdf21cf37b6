import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { completeCommands, quoteWord } from "./command-line.ts";

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

describe("completeCommands()", () => {
  const complete = (text: string) =>
    completeCommands(text, (tool) => tool.endsWith("-io") ? [] : ["--run-manifest", "/a b.json"]);
  const run = "--run-manifest '/a b.json'";
  for (
    const [text, expected] of [
      ["okstra-convergence seed", `okstra-convergence seed ${run}`],
      ["see okstra-team-state worker set now", `see okstra-team-state worker set ${run} now`],
      [
        "okstra-dispatch run --worker a; or: okstra-dispatch why, then",
        `okstra-dispatch run ${run} --worker a; or: okstra-dispatch why ${run}, then`,
      ],
      ["okstra-dispatch teardown --kill ends it", `okstra-dispatch teardown ${run} --kill ends it`],
    ] as const
  ) {
    it(`names the place in: ${text}`, () => assertEquals(complete(text), expected));
  }

  for (
    const text of [
      "okstra-convergence example --kind groups shows one",
      "okstra-dispatch supports codex",
      "okstra-dispatch run-all",
      "okstra-manifest-io show",
      "okstra-discussion drop --reason 'a; b' --run-manifest /c.json",
      "okstra-discussion show --task-key a/b/c",
      "leave out --revision",
    ]
  ) {
    it(`leaves as it is: ${text}`, () => assertEquals(complete(text), text));
  }
});
