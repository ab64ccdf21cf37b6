// Writes the schemas of documents out as checks, for the tools that are built.
//
// Nearly every document is good. To build its schema and to go through it takes longer than all else about reading it, and
// to build it is of no use but to tell what is wrong. So a built tool has in place of each schema a function that says
// whether a document is good, and the schema itself is run when it is not. Sources do without: see `fits-shape.ts`, which
// says the same.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const FOLDER = "packages/manifest-io/src/schemas";
/** What tells what is wrong, which is not loaded before it is called either. */
const ISSUES = "../shape-issues.ts";

/** An esbuild plugin that puts checks in the place of schemas, for all who import one but schemas. */
export async function shapes(root) {
  const folder = join(root, FOLDER), texts = await formatShapes(folder);
  return {
    name: "shapes",
    setup(build) {
      build.onResolve(
        { filter: /\bschemas\/|\bshape-issues\b/ },
        async ({ path, pluginData, ...from }) => {
          if (pluginData === SCHEMA || from.namespace === "shapes") return undefined;
          const { importer, kind, resolveDir } = from;
          if (dirname(importer) === folder) return undefined;
          const found = await build.resolve(path, {
            importer,
            kind,
            resolveDir,
            pluginData: SCHEMA,
          });
          return texts.has(found.path) ? { path: found.path, namespace: "shapes" } : found;
        },
      );
      build.onLoad({ filter: /./, namespace: "shapes" }, ({ path }) => ({
        contents: texts.get(path),
        resolveDir: folder,
      }));
    },
  };
}

const SCHEMA = Symbol("the schema itself");

/** Returns the modules that stand for those of the schemas, by the paths of these. */
async function formatShapes(folder) {
  const schemas = readdirSync(folder).filter((name) => !/^common\.ts$|\.test\.ts$/.test(name));
  const files = [...schemas, ISSUES];
  const from = (name) => `from ${JSON.stringify(`./${name}`)};`;
  const contents = [
    ...files.map((name, i) => `export * as module${i} ${from(name)}`),
    `export {text} ${from("common.ts")}`,
    `export * as named ${from("../shape-checks.ts")}`,
  ].join("\n");
  const { outputFiles: [file] } = await build({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
  });
  const url = `data:text/javascript;base64,${Buffer.from(file.contents).toString("base64")}`;
  const { text, named, ...modules } = await import(url);
  const names = new Map([
    ...Object.entries(named).map(([name, value]) => [value, name]),
    [text, "isText"],
  ]);
  return new Map(files.flatMap((file, i) => {
    const shape = formatModule(modules[`module${i}`], file, names);
    return shape === null ? [] : [[join(folder, file), shape]];
  }));
}

const isKind = (value) => typeof value === "object" && value !== null && "schema" in value;

/** Formats the module that stands for another; null for one of parts of schemas, which only schemas import. */
function formatModule(module, file, names) {
  const entries = Object.entries(module);
  if (file !== ISSUES && !entries.some(([, value]) => isKind(value))) return null;
  const format = makeFormat(names);
  const exports = entries.map(([name, value]) => {
    if (isKind(value)) {
      const { kind, label, schema } = value, fits = formatKind(format, schema);
      return `export const ${name}={kind:${JSON.stringify(kind)},label:${
        JSON.stringify(label)
      },${fits}get schema(){return schemas().${name}.schema}};`;
    }
    if (typeof value === "function") {
      return `export const ${name}=(...words)=>schemas().${name}(...words);`;
    }
    return `export const ${name}=${JSON.stringify(value)};`;
  });
  // The bundler makes of this what loads a part at once.
  return [
    `import {${[...new Set(names.values())]}} from "../shape-checks.ts";`,
    `const schemas=()=>loadNow(import("./${file}"));`,
    ...format.lines,
    ...exports,
  ].join("\n");
}

/** Formats the check of a kind, if it can be written out. */
function formatKind(format, schema) {
  try {
    return `fits:(x)=>${format.check(schema, "x")},`;
  } catch (error) {
    if (error instanceof Unnamed) return "";
    throw error;
  }
}

/** Thrown for a check that has no name, so that it cannot be called. */
class Unnamed extends Error {}

/** What no absent field is, so that it need not be asked whether it is there. */
const NEVER_ABSENT = [
  "string",
  "boolean",
  "number",
  "literal",
  "picklist",
  "array",
  "tuple",
  "record",
];
const OPTIONAL = ["optional", "nullish"];

/** Makes what formats the checks of a module: `check` an expression for a value, `lines` the functions that they call. */
function makeFormat(names) {
  const lines = [], functions = new Map();
  const define = (key, body) => {
    if (!functions.has(key)) {
      const name = `f${functions.size}`;
      functions.set(key, name);
      lines.push(`const ${name}=(x)=>${body()};`);
    }
    return functions.get(key);
  };
  const check = (part, x) => {
    if (names.has(part)) return `${names.get(part)}(${x})`;
    if (part.kind === "validation") return formatAction(part, x, names);
    if (part.pipe !== undefined) return `(${part.pipe.map((each) => check(each, x)).join("&&")})`;
    switch (part.type) {
      case "string":
      case "boolean":
        return `typeof ${x}==="${part.type}"`;
      case "number":
        return `(typeof ${x}==="number"&&!Number.isNaN(${x}))`;
      case "unknown":
        return "true";
      case "literal":
        return `${x}===${JSON.stringify(part.literal)}`;
      case "picklist":
        return `${JSON.stringify(part.options)}.includes(${x})`;
      case "nullable":
        return `(${x}===null||${check(part.wrapped, x)})`;
      case "optional":
        return `(${x}===undefined||${check(part.wrapped, x)})`;
      case "nullish":
        return `(${x}===undefined||${x}===null||${check(part.wrapped, x)})`;
      case "exact_optional":
        return check(part.wrapped, x);
      case "union":
      case "variant":
        return `(${part.options.map((each) => check(each, x)).join("||")})`;
      case "array":
        return `(Array.isArray(${x})&&${x}.every((x)=>${check(part.item, "x")}))`;
      case "tuple": {
        const items = part.items.map((item, at) => check(item, `x[${at}]`));
        return `${define(part, () => ["Array.isArray(x)", ...items].join("&&"))}(${x})`;
      }
      case "record":
        return `${
          define(part, () =>
            `isObject(x)&&Object.keys(x).every((key)=>${check(part.key, "key")}&&${
              check(part.value, "x[key]")
            })`)
        }(${x})`;
      case "loose_object":
      case "strict_object":
        return `${define(part, () => formatObject(part, check))}(${x})`;
      default:
        return "false";
    }
  };
  return { lines, check };
}

/** Formats the check of an object; literals first, since by them the options of a union differ. */
function formatObject({ type, entries }, check) {
  const fields = Object.entries(entries).map(([name, field]) => {
    const key = JSON.stringify(name), isThere = `Object.hasOwn(x,${key})`;
    const fits = check(field, `x[${key}]`);
    if (field.type === "exact_optional") return `(!${isThere}||${fits})`;
    const isSure = [...OPTIONAL, ...NEVER_ABSENT].includes(field.type) ||
      field.type.endsWith("_object");
    return isSure ? fits : `(${isThere}&&${fits})`;
  });
  const isLiteral = (at) => Object.values(entries)[at].type === "literal";
  const order = fields.map((_, at) => at).sort((a, b) => isLiteral(b) - isLiteral(a));
  const names = JSON.stringify(Object.keys(entries));
  return [
    "isObject(x)",
    ...order.map((at) => fields[at]),
    ...type === "strict_object" ? [`hasOnly(x,${names})`] : [],
  ].join("&&");
}

function formatAction({ type, requirement }, x, names) {
  switch (type) {
    case "regex":
      return `/${requirement.source}/${requirement.flags}.test(${x})`;
    case "min_length":
      return `${x}.length>=${requirement}`;
    case "min_value":
      return `${x}>=${requirement}`;
    case "safe_integer":
      return `Number.isSafeInteger(${x})`;
    case "check":
      if (!names.has(requirement)) throw new Unnamed();
      return `${names.get(requirement)}(${x})`;
    default:
      return "false";
  }
}
