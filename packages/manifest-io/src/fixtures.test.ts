import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DocumentKind, validateShape } from "./document-kind.ts";
import { formatJson } from "./json-text.ts";
import { findKind, KIND_NAMES } from "./registry.ts";
import { validateBytes } from "./validate-bytes.ts";

const FOLDER = fileURLToPath(new URL("../testdata", import.meta.url));
const SCHEMAS = fileURLToPath(new URL("../schemas", import.meta.url));

const list = (kind: string) => readdirSync(join(FOLDER, kind)).sort();
const documents = (kind: string, start: string) =>
  list(kind).filter((name) => name.startsWith(start) && !name.endsWith(".issues.json"));
const read = (kind: string, name: string) => readFileSync(join(FOLDER, kind, name));

/** The documents that a good fixture holds: its lines, or itself. */
function parseFixture(kind: string, name: string): unknown[] {
  const text = read(kind, name).toString();
  const texts = name.endsWith(".jsonl") ? text.trimEnd().split("\n") : [text];
  return texts.map((each) => JSON.parse(each));
}

describe("the fixtures", () => {
  it("are there for every kind of document, good ones and bad ones with their issues (M-030)", () => {
    assertEquals(readdirSync(FOLDER).sort(), [...KIND_NAMES]);
    for (const kind of KIND_NAMES) {
      const [good, bad] = [documents(kind, "good-"), documents(kind, "bad-")];
      assert(good.length > 0 && bad.length > 1, kind);
      const issues = bad.map((name) => name.replace(/\.jsonl?$/, ".issues.json"));
      assertEquals(list(kind), [...good, ...bad, ...issues].sort());
    }
  });

  it("have labels of their own, so that an error says which file is wrong (M-031)", async () => {
    const labels = await Promise.all(KIND_NAMES.map(async (kind) => (await findKind(kind)).label));
    assertEquals([...new Set(labels)], labels);
  });

  for (const kind of KIND_NAMES) {
    it(`good ${kind} documents have no issue, and the form in which documents are written (M-007, M-008)`, async () => {
      const known = await findKind(kind);
      for (const name of documents(kind, "good-")) {
        assertEquals(validateBytes(known, name, read(kind, name)), [], name);
        const isLines = name.endsWith(".jsonl");
        const texts = parseFixture(kind, name).map((document) =>
          isLines ? `${JSON.stringify(document)}\n` : formatJson(document)
        );
        assertEquals(read(kind, name).toString(), texts.join(""), name);
      }
    });

    it(`bad ${kind} documents have exactly the issues beside them (M-003, M-007, M-009)`, async () => {
      const known = await findKind(kind);
      for (const name of documents(kind, "bad-")) {
        const issues = validateBytes(known, name, read(kind, name))
          .map(({ expected: _, received: __, ...issue }) => issue);
        const expected = read(kind, name.replace(/\.jsonl?$/, ".issues.json")).toString();
        assertEquals(issues, JSON.parse(expected), name);
      }
    });

    it(`good ${kind} documents with a field left out or a list for an object have that issue (M-007)`, async () => {
      const known = await findKind(kind);
      const schema = JSON.parse(readFileSync(join(SCHEMAS, `${kind}.json`), "utf8"));
      let faults = 0;
      for (const name of documents(kind, "good-")) {
        for (const document of parseFixture(kind, name)) {
          faults += tryFaults(known, schema, document);
        }
      }
      assert(faults > 5, `${faults}`);
    });
  }
});

/** A part of a JSON Schema, as far as it is used here. */
interface Schema {
  readonly const?: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Makes every fault of two kinds that the JSON Schema does not allow, one at a time, and returns how many. */
function tryFaults(kind: DocumentKind<unknown>, root: Schema, document: unknown): number {
  let faults = 0;
  const holder: Fields = { "": document };
  const expect = (pointer: string, message: RegExp) => {
    faults++;
    const issues = validateShape(kind, holder[""]);
    assertEquals(issues.map((issue) => issue.pointer), [pointer], kind.kind);
    assertMatch(issues[0]!.message, message);
  };
  const walk = (schema: Schema, parent: Fields, key: string, pointer: string): void => {
    const value = parent[key], part = choose(schema, value);
    if (part === undefined || typeof value !== "object" || value === null) return;
    const isList = Array.isArray(value);
    if (part.type === "object" || part.type === "array") {
      parent[key] = isList ? {} : [];
      const message = isList
        ? /a list, received an object$/
        : /^expected an object, received a list$/;
      if (pointer !== "") expect(pointer, message);
      parent[key] = value;
    }
    const fields = value as Fields;
    for (const name of Object.keys(fields)) {
      const inner = isList ? part.items : part.properties?.[name] ?? part.additionalProperties;
      const place = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (inner) walk(inner, fields, name, place);
      if (isList || inner?.const !== undefined) continue;
      const { [name]: left, ...rest } = fields;
      parent[key] = rest;
      if (part.required?.includes(name)) expect(place, /^is missing$/);
      else assertEquals(validateShape(kind, holder[""]), [], place);
      parent[key] = value;
      assertEquals(fields[name], left);
    }
  };
  walk(root, holder, "", "");
  return faults;
}

type Fields = Record<string, unknown>;

/** The alternative of a schema that a good value is of. */
function choose(schema: Schema, value: unknown): Schema | undefined {
  const options = schema.anyOf ?? schema.oneOf;
  if (options === undefined) return schema;
  return options.map((option) => choose(option, value)).find((option) =>
    option !== undefined && isOf(option, value)
  );
}

function isOf({ type, properties = {} }: Schema, value: unknown): boolean {
  const actual = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return type === actual &&
    Object.entries(properties).every(([name, field]) =>
      field.const === undefined || field.const === (value as Fields)[name]
    );
}
