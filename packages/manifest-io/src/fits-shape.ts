import type * as v from "valibot";
import { isObject } from "./shape-checks.ts";

type Check = (value: unknown) => boolean;
type Part = v.GenericSchema | v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>;

const compiled = new WeakMap<object, Check>();

/**
 * Tells whether a value certainly has the shape of a schema; false means that only the schema itself can tell.
 *
 * Documents of many megabytes are read and written for one small change, and nearly all of them are good. The library
 * copies what it checks, which takes longer than parsing; this does not, and leaves every report to it.
 */
export function fitsShape(schema: v.GenericSchema, value: unknown): boolean {
  return checkOf(schema)(value);
}

function checkOf(part: Part): Check {
  const known = compiled.get(part);
  if (known !== undefined) return known;
  const check = compile(part as Part & Parts);
  compiled.set(part, check);
  return check;
}

/** What the parts that schemas are made of hold, as far as it is used here. */
interface Parts {
  readonly kind: string;
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly entries: Readonly<Record<string, Part & Parts>>;
  readonly item: Part;
  readonly items: readonly Part[];
  readonly key: Part;
  readonly value: Part;
  readonly wrapped: Part;
  readonly options: readonly unknown[];
  readonly literal: unknown;
  readonly requirement: unknown;
}

function compile(part: Part & Parts): Check {
  if (part.kind === "validation") return compileAction(part);
  if (part.pipe === undefined) return compileType(part);
  // The first item is the schema that the rest was put on, which may be a pipe itself.
  const checks = part.pipe.map(checkOf);
  return (value) => checks.every((check) => check(value));
}

function compileType(part: Part & Parts): Check {
  switch (part.type) {
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "number":
      return (value) => typeof value === "number" && !Number.isNaN(value);
    case "unknown":
      return () => true;
    case "literal":
      return (value) => value === part.literal;
    case "picklist":
      return (value) => part.options.includes(value);
    case "nullable":
      return orElse(part, (value) => value === null);
    case "optional":
      return orElse(part, (value) => value === undefined);
    case "nullish":
      return orElse(part, (value) => value === null || value === undefined);
    case "exact_optional":
      return checkOf(part.wrapped);
    case "union":
    case "variant": {
      // Most documents fit the first, and then no other is compiled.
      const options = part.options as readonly Part[], checks: Check[] = [];
      return (value) => options.some((option, at) => (checks[at] ??= checkOf(option))(value));
    }
    case "array": {
      const item = checkOf(part.item);
      return (value) => Array.isArray(value) && value.every(item);
    }
    case "tuple": {
      const checks = part.items.map(checkOf);
      return (value) => Array.isArray(value) && checks.every((check, at) => check(value[at]));
    }
    case "record":
      return compileRecord(part);
    case "loose_object":
    case "strict_object":
      return compileObject(part);
    default:
      return () => false;
  }
}

function orElse(part: Parts, isFine: Check): Check {
  const wrapped = checkOf(part.wrapped);
  return (value) => wrapped(value) || isFine(value);
}

function compileRecord(part: Parts): Check {
  const key = checkOf(part.key), item = checkOf(part.value);
  return (value) =>
    isObject(value) && Object.keys(value).every((name) => key(name) && item(value[name]));
}

interface Field {
  readonly name: string;
  readonly check: Check;
  readonly isOptional: boolean;
}

const OPTIONAL = ["optional", "exact_optional", "nullish"];

function compileObject({ type, entries }: Parts): Check {
  const isOptional = (field: Parts) => OPTIONAL.includes(field.type);
  const required = Object.values(entries).filter((field) => !isOptional(field)).length;
  const other = { check: () => type === "loose_object", isOptional: true };
  const findField = (name: string): Field => {
    const field = Object.hasOwn(entries, name) ? entries[name]! : null;
    if (field === null) return { name, ...other };
    return { name, check: checkOf(field), isOptional: isOptional(field) };
  };
  // Rows of one document have their keys in one order: then the field at a place is known without looking it up. What
  // no document has is never compiled.
  const order: Field[] = [];
  return (value) => {
    if (!isObject(value)) return false;
    let at = 0, missing = required;
    for (const name in value) {
      let field = order[at];
      if (field?.name !== name) order[at] = field = findField(name);
      if (!field.check(value[name])) return false;
      if (!field.isOptional) missing--;
      at++;
    }
    return missing === 0;
  };
}

function compileAction({ type, requirement }: Parts): Check {
  switch (type) {
    case "regex":
      return (value) => (requirement as RegExp).test(value as string);
    case "min_length":
      return (value) => (value as { length: number }).length >= (requirement as number);
    case "min_value":
      return (value) => (value as number) >= (requirement as number);
    case "safe_integer":
      return Number.isSafeInteger;
    case "check":
      return requirement as Check;
    default:
      return () => false;
  }
}
