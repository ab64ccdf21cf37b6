import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { renderPage } from "./render-html/page.ts";
import { fillWith, HARMLESS, HOSTILE } from "../testdata/hostile.ts";
import { TASK } from "../testdata/world.ts";
import { removeTree } from "../../../test/remove-tree.mjs";

const browser = ["chromium", "chromium-browser", "google-chrome"]
  .find((name) => spawnSync(name, ["--version"]).status === 0);
const skip = browser === undefined
  ? "no Chromium is installed"
  : "Deno" in globalThis && "the page is the same text on Node, and the browser the same";

const FLAGS = [
  ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"],
  ["--disable-background-networking", "--disable-component-update", "--virtual-time-budget=2000"],
].flat();

/** Opens a page in the browser; returns the document as the browser understood it. */
function load(html: string, ...flags: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "okstra-page-"));
  try {
    const file = join(folder, "page.html"), profile = `--user-data-dir=${join(folder, "profile")}`;
    writeFileSync(file, html);
    const words = [...FLAGS, profile, ...flags, "--dump-dom", `file://${file}`];
    const { status, stdout } = spawnSync(browser ?? "", words, { encoding: "utf8" });
    assertEquals(status, 0);
    return stdout;
  } finally {
    removeTree(folder);
  }
}

const tagsOf = (page: string) => page.match(/<[^>]*>/g) ?? [];

describe("renderPage in a browser", { skip }, () => {
  it("renderPage() is the same document whatever the texts say, and runs nothing (E-125)", () => {
    const render = (text: string) => renderPage(fillWith(text).book, TASK, [text]);
    const expected = tagsOf(load(render(HARMLESS)));
    // One text that holds all the others: as many elements, though the long text is folded up.
    const page = load(render(HOSTILE.join("\n").slice(0, 1400)));
    assertEquals(tagsOf(page), expected);
    assertStringIncludes(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});
