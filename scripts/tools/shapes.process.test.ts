import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { build } from "esbuild";
import { fitsShape } from "../../packages/manifest-io/src/fits-shape.ts";
import { shapes } from "./shapes.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const manifestIo = join(root, "packages", "manifest-io");

interface Kind {
  readonly kind: string;
  readonly schema: Parameters<typeof fitsShape>[0];
  readonly fits?: (value: unknown) => boolean;
}

/** The exports of the modules of schemas, by file: as a build writes them, and as they are. */
async function loadSchemas() {
  const folder = join(manifestIo, "src", "schemas");
  const files = readdirSync(folder).filter((name) => !name.includes(".test."));
  const contents = files.map((name, i) => `export * as module${i} from "./schemas/${name}";`);
  const { outputFiles } = await build({
    stdin: { contents: contents.join("\n"), resolveDir: dirname(folder), loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    plugins: [await shapes(root)],
    write: false,
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString("base64");
  const built = await import(`data:text/javascript;base64,${code}`);
  return Promise.all(files.map(async (name, i) => ({
    name,
    written: built[`module${i}`] as Readonly<Record<string, unknown>>,
    real: await import(join(folder, name)) as Readonly<Record<string, unknown>>,
  })));
}

const isKind = (value: unknown): value is Kind =>
  typeof value === "object" && value !== null && "kind" in value && "label" in value;

/** All documents of the test data, good and bad, with their kind; and rows of the team state, a kind of their own. */
function listDocuments(): { kind: string; value: unknown }[] {
  const folder = join(manifestIo, "testdata");
  const documents = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const found = name.endsWith("l") ? text.split("\n") : [text];
      return found.flatMap((each) => {
        try {
          return [{ kind: dirname(name), value: JSON.parse(each) }];
        } catch {
          return [];
        }
      });
    });
  const rows = documents.flatMap(({ value }) => value?.workerDispatches ?? []);
  return [...documents, ...rows.map((value) => ({ kind: "dispatch-row", value }))];
}

const OTHERS = [undefined, null, true, 0, 1.5, NaN, "", "\u200b", "x", [], {}];

/** Returns a value with each thing in the place of each of its fields, and without it; of lists the first entry stands for all. */
function* listChanged(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const other of [...OTHERS, ...listChanged(value[0])]) yield [other, ...value.slice(1)];
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    for (const other of [...OTHERS, ...listChanged(part)]) yield { ...value, [key]: other };
    yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
  yield { ...value, "another field": 1 };
}

describe("what a build writes out of the schemas", () => {
  it("says of each document and each change of it what the schemas say", async () => {
    const modules = await loadSchemas(), documents = listDocuments();
    const without: string[] = [];
    let count = 0, good = 0;
    for (const { name, written, real } of modules) {
      for (const [key, kind] of Object.entries(written)) {
        const { schema } = real[key] as Kind;
        if (!isKind(kind)) continue;
        if (kind.fits === undefined) {
          without.push(kind.kind);
          continue;
        }
        for (const { kind: of, value } of documents) {
          const fits = fitsShape(schema, value);
          assertEquals(kind.fits(value), fits, `${name} ${key}`);
          if (!fits || of !== kind.kind) continue;
          good++;
          for (const changed of listChanged(value)) {
            count++;
            const [told, wanted] = [kind.fits(changed), fitsShape(schema, changed)];
            assert(told === wanted, `${name} ${key}: ${told} for ${JSON.stringify(changed)}`);
          }
        }
      }
    }
    assertEquals(without, ["providers"]);
    assert(good > 50 && count > 10_000, `${good} good ones, ${count} changed ones`);
  });
});
