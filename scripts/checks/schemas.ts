// Holds that a released schema never changes: documents that were written once stay readable.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = "packages/manifest-io/schemas";
const REGISTRY = "packages/manifest-io/src/registry.ts";
const GENERATOR = "packages/manifest-io/src/json-schema.ts";

/**
 * Lists where the JSON Schemas that the sources generate differ from the committed snapshots. With
 * `fix`, snapshots are rewritten, except those of the kinds that `released.json` lists.
 */
export async function findSchemaProblems(root: string, fix = false): Promise<string[]> {
  return compareSchemas(join(root, FOLDER), await generateSchemas(root), fix);
}

/** Compares generated schemas, by kind, with the snapshots in a folder. */
export function compareSchemas(
  folder: string,
  schemas: ReadonlyMap<string, unknown>,
  fix: boolean,
): string[] {
  const problems: string[] = [];
  const releasedPath = join(folder, "released.json");
  const released = existsSync(releasedPath)
    ? (JSON.parse(readFileSync(releasedPath, "utf8")) as { released: string[] }).released
    : [];
  if (fix) mkdirSync(folder, { recursive: true });
  for (const [kind, schema] of schemas) {
    const path = join(folder, `${kind}.json`);
    const text = JSON.stringify(schema, null, 2) + "\n";
    const old = existsSync(path) ? readFileSync(path, "utf8") : null;
    if (old === text) continue;
    const place = `${FOLDER}/${kind}.json`;
    if (released.includes(kind)) {
      problems.push(
        `${place}: the schema of "${kind}" is released and must not change; add a schemaVersion instead`,
      );
    } else if (fix) writeFileSync(path, text);
    else {problems.push(
        `${place}: ${
          old === null ? "is missing" : "is not what the source generates"
        }; run scripts/check --fix`,
      );}
  }
  const snapshots = existsSync(folder) ? readdirSync(folder) : [];
  for (
    const name of snapshots.filter((name) => name.endsWith(".json") && name !== "released.json")
  ) {
    const kind = name.slice(0, -".json".length);
    if (!schemas.has(kind)) {
      problems.push(
        `${FOLDER}/${name}: no document kind "${kind}" is registered`,
      );
    }
  }
  for (const kind of released.filter((kind) => !schemas.has(kind))) {
    problems.push(`${FOLDER}/released.json: the released kind "${kind}" is registered no more`);
  }
  return problems;
}

interface Registry {
  readonly KIND_NAMES: readonly string[];
  findKind(name: string): Promise<unknown>;
}

async function generateSchemas(root: string): Promise<Map<string, unknown>> {
  const load = async (path: string): Promise<unknown> =>
    await import(pathToFileURL(join(root, path)).href);
  const { KIND_NAMES, findKind } = await load(REGISTRY) as Registry;
  const { formatSchema } = await load(GENERATOR) as { formatSchema(kind: unknown): unknown };
  const schemas = new Map<string, unknown>();
  for (const name of [...KIND_NAMES].sort()) schemas.set(name, formatSchema(await findKind(name)));
  return schemas;
}
