// Words that tools share stand in one file.
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vocabulary from "../packages/manifest-io/src/vocabulary.ts";
import { ROOT } from "./support.ts";

const HOME = "packages/manifest-io/src/vocabulary.ts";

/** Every source of the packages that is no test, with its text less comments. */
function readSources(): Map<string, string> {
  const sources = new Map<string, string>();
  for (const name of readdirSync(join(ROOT, "packages"))) {
    const folder = `packages/${name}/src`;
    if (name === "std") continue;
    for (const file of readdirSync(join(ROOT, folder), { recursive: true }) as string[]) {
      if (!file.endsWith(".ts") || /\.test\.ts$|(^|\/)test/.test(file)) continue;
      const text = readFileSync(join(ROOT, folder, file), "utf8");
      sources.set(`${folder}/${file}`, text.replace(/^\s*(\/\/|\/?\*).*$/gm, ""));
    }
  }
  return sources;
}

/** The words of each list of texts in a source. */
const listsOf = (text: string) =>
  [...text.matchAll(/\[\s*("[^"\n]*",?\s*)+\]/g)].map(([list]) =>
    [...list.matchAll(/"([^"]*)"/g)].map(([, word]) => word!)
  );
const keyOf = (words: readonly unknown[]) => [...words].sort().join(" ");

describe("the shared vocabulary", () => {
  const constants = Object.entries(vocabulary);

  it("has no second copy of a list or of a sentence anywhere (M-030)", () => {
    const lists = new Map(
      constants.filter(([, value]) => Array.isArray(value))
        .map(([name, value]) => [keyOf(value as readonly unknown[]), name]),
    );
    const sentences = constants.filter(([, value]) =>
      typeof value === "string" && value.includes(" ")
    ) as [string, string][];
    const copies: string[] = [];
    for (const [file, text] of readSources()) {
      if (file === HOME) continue;
      for (const list of listsOf(text)) {
        const name = lists.get(keyOf(list));
        if (name !== undefined) copies.push(`${file}: ${name}`);
      }
      for (const [name, sentence] of sentences) {
        if (text.includes(sentence)) copies.push(`${file}: ${name}`);
      }
    }
    assertEquals([lists.size > 8, sentences.length, copies], [true, 4, []]);
  });
});
