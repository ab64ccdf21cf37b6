import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { addSection, removeSection } from "./section.mjs";

const PART = "<!-- okstra: begin A.md -->\nours\n<!-- okstra: end -->\n";
const add = (text: string | null, section = "ours\n") => addSection(text, section, "A.md");
const remove = (text: string) => removeSection(text, "A.md").text;

describe("addSection() and removeSection()", () => {
  it("put the part behind what is there, and bring back every byte of it", () => {
    for (
      const [before, after] of [
        [null, PART],
        ["", `\n${PART}`],
        ["\n\n", `\n\n\n${PART}`],
        ["# Mine\n", `# Mine\n\n${PART}`],
        ["# Mine", `# Mine\n${PART}`],
        ["# Mine\n\n\n  \n", `# Mine\n\n\n  \n\n${PART}`],
        ["\ufeff# Mine\n", `\ufeff# Mine\n\n${PART}`],
        ["# Mine\r\n", `# Mine\r\n\r\n${PART.replaceAll("\n", "\r\n")}`],
        ["# Mine\r", `# Mine\r\n${PART}`],
        ["See `<!-- okstra: begin -->`.\n", `See \`<!-- okstra: begin -->\`.\n\n${PART}`],
      ] as const
    ) {
      assertEquals(add(before), after);
      assertEquals(add(after), after);
      assertEquals(remove(after), before);
    }
  });

  it("keep what was written before and behind the part later", () => {
    const text = add("# Mine\n").replace("# Mine", "# Mine!") + "\nMore.\n\n";
    assertEquals(remove(text), "# Mine!\n\nMore.\n\n");
    assertEquals(remove(add(null) + "More."), "More.");
    assertEquals(add(text, "new"), text.replace("ours", "new"));
  });

  it("make one part of several, and take out all", () => {
    const old = "<!-- okstra: begin -->\nold\n<!-- okstra: end -->\n";
    const text = `One.\n\n${old}\nTwo.\n\n${old}Three.`;
    assertEquals(add(text), `One.\n\n${PART}\nTwo.\nThree.`);
    assertEquals(remove(text), "One.\n\nTwo.\nThree.");
  });

  it("share the part of files that are one, until the last of them goes", () => {
    const both = addSection(add("# Mine\n"), "ours", "B%20C.md");
    assertEquals(
      both,
      "# Mine\n\n<!-- okstra: begin A.md B%20C.md -->\nours\n<!-- okstra: end -->\n",
    );
    const first = removeSection(both, "A.md");
    assertEquals(first, {
      text: both.replace(" A.md", ""),
      users: ["B%20C.md"],
    });
    assertEquals(removeSection(first.text!, "A.md"), first);
    assertEquals(removeSection(first.text!, "B%20C.md"), { text: "# Mine\n", users: [] });
    // A file that does not lead there any more needs nothing.
    assertEquals(removeSection(both, "A.md", () => false), { text: "# Mine\n", users: [] });
    assertEquals(addSection(both, "ours", "A.md", () => false), add("# Mine\n"));
  });

  it("throw if one of the two lines is missing", () => {
    const [begin, end] = ["<!-- okstra: begin -->\n", "<!-- okstra: end -->\n"];
    for (const text of [begin, end, end + begin, begin + begin + end + end, begin + end + end]) {
      assertThrows(() => add(text), Error, "is missing");
      assertThrows(() => remove(text), Error, "is missing");
    }
    assertEquals(remove("nothing\n"), "nothing\n");
  });
});
