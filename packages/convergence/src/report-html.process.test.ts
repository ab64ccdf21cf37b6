import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserPage, findChromium, withPage } from "./io/testing-browser.ts";
import { formatReportHtml } from "./report-html.ts";
import { buildReport } from "./report.ts";
import { HOSTILE_TEXTS, hostileReport, shownText } from "./testing-report.ts";

const chromium = findChromium(process.env["PATH"] ?? "");
const skip = chromium === null
  ? "there is no Chromium on the path"
  : "Deno" in globalThis
  ? "the page is the same text on Node, and the browser the same"
  : undefined;
const options = skip === undefined ? {} : { skip };
// A machine without Chromium says so in the list of skipped tests; nothing is installed for it.
const NAME = `the report as a page in Chromium${skip === undefined ? "" : `, but ${skip}`}`;

const SIZES = { wide: { width: 1200, height: 900 }, narrow: { width: 400, height: 800 } };

/** Runs `body` with a page and the file of a report of so many findings. */
async function withReport(
  findings: number,
  body: (page: BrowserPage, file: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "okstra-report-")), file = join(folder, "report.html");
  writeFileSync(file, formatReportHtml(buildReport(hostileReport(findings))));
  try {
    await withPage(chromium!, (page) => body(page, file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe(NAME, () => {
  it(
    "shows 400 findings, none of them empty or wider than the window",
    options,
    () =>
      withReport(400, async (page, file) => {
        for (const size of Object.values(SIZES)) {
          await page.load(file, { ...size, scheme: "light" });
          const facts = await page.evaluate<PageFacts>(PAGE_FACTS);
          assertEquals(facts, { articles: 400, empty: 0, overflow: 0 });
        }
      }),
  );

  it(
    "has enough contrast for every text in both colour schemes",
    options,
    () =>
      withReport(HOSTILE_TEXTS.length, async (page, file) => {
        const backgrounds = new Set<string>();
        for (const scheme of ["light", "dark"] as const) {
          await page.load(file, { ...SIZES.wide, scheme });
          const facts = await page.evaluate<ColorFacts>(COLOR_FACTS);
          assert(facts.contrast >= 4.5, `${scheme}: contrast ${facts.contrast} at ${facts.worst}`);
          assert(facts.texts > 500, `${facts.texts} texts were looked at`);
          backgrounds.add(facts.background);
        }
        assertEquals(backgrounds.size, 2);
      }),
  );

  it(
    "takes every hostile text for text, runs nothing and asks for nothing",
    options,
    () =>
      withReport(HOSTILE_TEXTS.length, async (page, file) => {
        await page.load(file, { ...SIZES.wide, scheme: "light" });
        const { texts, names, targets } = await page.evaluate<TreeFacts>(TREE_FACTS);
        HOSTILE_TEXTS.forEach((text, i) => {
          // Title, evidence and the explanation of each vote.
          const times = texts[i]!.split(shownText(text)).length - 1;
          assert(times >= 3, `${JSON.stringify(text.slice(0, 40))} is shown ${times} times`);
        });
        assertEquals(names.filter((name) => !EXPECTED_NAMES.has(name)), []);
        assertEquals(targets.filter((target) => !/^#|^data:,$/.test(target)), []);
        assertEquals(page.requests, [`file://${file}`]);
      }),
  );

  it("can be read with the keyboard alone", options, () =>
    withReport(3, async (page, file) => {
      await page.load(file, { ...SIZES.wide, scheme: "dark" });
      const expected = await page.evaluate<number>(
        `[...document.querySelectorAll('a[href], summary, [tabindex="0"]')].map((place, i) => place.stop = i).length`,
      );
      const reached: number[] = [];
      for (let i = 0; i < expected; i++) {
        await page.press("Tab");
        const { stop, outline, isVisible } = await page.evaluate<FocusFacts>(FOCUS_FACTS);
        assert(outline !== "none" && isVisible, `stop ${stop} is not seen`);
        reached.push(stop);
        if (i === 0) {
          await page.press("Enter");
          assertEquals(await page.evaluate("document.activeElement.id"), "findings");
          await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
          await page.load(file, { ...SIZES.wide, scheme: "dark" });
          await page.evaluate(
            `[...document.querySelectorAll('a[href], summary, [tabindex="0"]')].forEach((place, i) => place.stop = i)`,
          );
          await page.press("Tab");
        }
      }
      assertEquals(reached, Array.from({ length: expected }, (_, i) => i));
      const isOpen = "document.activeElement.parentElement.open";
      const before = await page.evaluate<boolean>(isOpen);
      await page.press("Enter");
      assertEquals(await page.evaluate(isOpen), !before);
    }));
});

interface PageFacts {
  readonly articles: number;
  readonly empty: number;
  readonly overflow: number;
}

// Everything is unfolded first, so that folded texts are looked at too.
const UNFOLD = `
  const style = document.createElement("style");
  style.textContent = ".finding { content-visibility: visible !important }";
  document.head.append(style);
  for (const details of document.querySelectorAll("details")) details.open = true;`;

const PAGE_FACTS = `(() => {
  ${UNFOLD}
  const articles = [...document.querySelectorAll("article")];
  return {
    articles: articles.filter(({ id }) => id.startsWith("finding-F-")).length,
    empty: articles.filter((one) => one.getBoundingClientRect().height < 40).length,
    overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth) +
      articles.filter((one) => one.scrollWidth > one.clientWidth + 1).length,
  };
})()`;

interface ColorFacts {
  readonly texts: number;
  readonly contrast: number;
  readonly worst: string;
  readonly background: string;
}

const COLOR_FACTS = `(() => {
  ${UNFOLD}
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  let contrast = 99, worst = "", texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.data.trim() === "") continue;
    texts++;
    const element = node.parentElement;
    const a = light(parse(getComputedStyle(element).color)), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < contrast) [contrast, worst] = [ratio, element.outerHTML.slice(0, 200)];
  }
  return { texts, contrast, worst, background: getComputedStyle(document.body).backgroundColor };
})()`;

interface TreeFacts {
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly targets: readonly string[];
}

const TREE_FACTS = `(() => {
  const all = [...document.querySelectorAll("*")];
  return {
    texts: [...document.querySelectorAll("article[id^=finding-F-]")].sort((a, b) => a.id < b.id ? -1 : 1)
      .map((one) => one.textContent),
    names: [...new Set(all.flatMap((element) =>
      [element.localName, ...element.getAttributeNames().map((name) => "@" + name)]))],
    targets: all.flatMap((element) => ["href", "src", "action"].flatMap((name) => element.getAttribute(name) ?? [])),
  };
})()`;

/** Elements and attributes that the page is made of; a text that became markup would add others. */
const EXPECTED_NAMES = new Set([
  ...["html", "head", "meta", "title", "link", "style", "body", "header", "main", "nav", "section"],
  ...["article", "h1", "h2", "h3", "h4", "p", "ul", "li", "a", "b", "br", "strong", "span", "code"],
  ...["div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"],
  ...["@lang", "@charset", "@http-equiv", "@content", "@name", "@rel", "@href", "@id", "@class"],
  ...["@dir", "@role", "@scope", "@open", "@tabindex", "@aria-label", "@aria-labelledby"],
  "@aria-hidden",
]);

interface FocusFacts {
  readonly stop: number;
  readonly outline: string;
  readonly isVisible: boolean;
}

const FOCUS_FACTS = `(() => {
  const element = document.activeElement, box = element.getBoundingClientRect();
  return {
    stop: element.stop,
    outline: getComputedStyle(element).outlineStyle,
    isVisible: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
})()`;
