import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import * as v from "valibot";
import { fitsShape } from "./fits-shape.ts";
import { findKind, KIND_NAMES } from "./registry.ts";

// deno-lint-ignore no-explicit-any
type Schema = any;

const TEXTS = [
  "x",
  "1",
  "2026-01-31T10:00:00Z",
  `sha256:${"a".repeat(64)}`,
  "1.0",
  "F-0001",
  "a/b/c",
];
const OTHERS = [null, true, -1, 0, 1, 1.5, 2 ** 60, NaN, "", " ", ...TEXTS, [], ["x"], {}, {
  x: 1,
}];

/** Makes a value of a schema, as small or as large as it may be. */
function sample(schema: Schema, isFull: boolean): unknown {
  const fits = (value: unknown) => v.is(schema, value);
  switch (schema.type) {
    case "loose_object":
    case "strict_object":
      return Object.fromEntries(
        Object.entries<Schema>(schema.entries)
          .filter(([, field]) => isFull ? field.wrapped?.type !== "never" : !isOptional(field))
          .map(([name, field]) => [name, sample(field, isFull)]),
      );
    case "array":
      return isFull || !fits([]) ? [sample(schema.item, isFull)] : [];
    case "tuple":
      return schema.items.map((item: Schema) => sample(item, isFull));
    case "record":
      return isFull ? { [sample(schema.key, true) as string]: sample(schema.value, true) } : {};
    case "union":
    case "variant":
      return sample(schema.options.at(isFull ? 0 : -1), isFull);
    case "nullable":
    case "nullish":
      return isFull ? sample(schema.wrapped, true) : null;
    case "optional":
    case "exact_optional":
      return sample(schema.wrapped, isFull);
    case "literal":
      return schema.literal;
    case "picklist":
      return schema.options[0];
    default:
      return [...TEXTS, ...OTHERS].find(fits);
  }
}

const isOptional = (field: Schema) =>
  ["optional", "exact_optional", "nullish"].includes(field.type);

/** Lists copies of a value with one place in it changed or taken away. */
function* variants(value: unknown): Generator<unknown> {
  yield* OTHERS;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const other of variants(item)) yield value.with(at, other);
    }
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, unknown: 1 };
    for (const [key, field] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      yield { ...rest, [key]: undefined };
      for (const other of variants(field)) yield { ...rest, [key]: other };
    }
  }
}

describe("fitsShape()", () => {
  it("takes the good documents of every kind, and nothing that the schema refuses (M-007)", async () => {
    for (const kind of KIND_NAMES) {
      const { schema } = await findKind(kind);
      for (const isFull of [true, false]) {
        const good = sample(schema, isFull);
        assertEquals([v.is(schema, good), fitsShape(schema, good)], [true, true], kind);
        let refused = 0;
        for (const value of variants(good)) {
          if (v.is(schema, value)) continue;
          refused++;
          assertEquals(fitsShape(schema, value), false, `${kind} ${JSON.stringify(value)}`);
        }
        assertEquals(refused > 10, true, kind);
      }
    }
  });

  it("tells a field that is missing from one that is there, in any order (M-007)", () => {
    const schema = v.looseObject({ a: v.string(), b: v.optional(v.string()) });
    assertEquals(
      [{ a: "" }, { b: "", a: "" }, { c: 1, a: "", b: "" }, { b: "" }, { c: 1, b: "" }].map((
        value,
      ) => fitsShape(schema, value)),
      [true, true, true, false, false],
    );
    const strict = v.strictObject({ a: v.string() });
    assertEquals([{ a: "" }, { a: "", c: 1 }, { c: 1 }].map((value) => fitsShape(strict, value)), [
      true,
      false,
      false,
    ]);
  });

  it("leaves a schema that it does not know to the library (M-007)", () => {
    assertEquals(fitsShape(v.strictTuple([v.string()]), [""]), false);
    assertEquals(fitsShape(v.pipe(v.string(), v.email()), "a@b.example"), false);
    assertEquals(fitsShape(v.pipe(v.string(), v.trim()), "a"), false);
  });
});
