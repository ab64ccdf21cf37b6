// Holds rule 6: deno.json and package.json of each package, and the lists at the root, say the same.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Json = Record<string, unknown>;

/** The line below here repeats the version, for `--version`. */
const VERSION_FOLDER = "packages/kit/src";
const VERSION_LINE = /^(export const VERSION(?:: string)? = ")([^"]*)(";)$/m;

/** The stand-ins are no workspace members: deno.json links them, pnpm overrides point at them. */
const STAND_INS = "packages/std";

/**
 * Lists where the manifests below `root` disagree, one `path: message` each. With `fix`, package.json
 * and pnpm-workspace.yaml win and the other side is rewritten; what cannot be rewritten stays listed.
 */
export function findManifestProblems(root: string, fix = false): string[] {
  const problems: string[] = [];
  const read = (path: string): Json => JSON.parse(readFileSync(join(root, path), "utf8")) as Json;
  const workspace = readPnpmWorkspace(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));
  const folders = listFolders(root);

  const rootDeno = read("deno.json");
  const members = folders.filter((folder) => !folder.startsWith(STAND_INS));
  compare(
    "pnpm-workspace.yaml: packages",
    [...workspace.packages].sort(),
    [...members].sort(),
    problems,
  );
  const links = folders.filter((folder) => folder.startsWith(STAND_INS)).map((folder) =>
    `./${folder}`
  );
  let rootChanged = false;
  const wanted: Json = {
    workspace: workspace.packages.map((folder) => `./${folder}`),
    links,
    imports: denoImports(workspace.catalog),
  };
  for (const [key, value] of Object.entries(wanted)) {
    if (same(rootDeno[key], value)) continue;
    if (fix) rootChanged = true;
    else {problems.push(
        `deno.json: "${key}" is not what pnpm-workspace.yaml says: ${
          difference(rootDeno[key], value)
        }`,
      );}
    rootDeno[key] = value;
  }
  if (rootChanged) write(root, "deno.json", rootDeno);

  for (const folder of folders) {
    const manifest = read(`${folder}/package.json`);
    const deno = existsSync(join(root, folder, "deno.json")) ? read(`${folder}/deno.json`) : {};
    let changed = false;
    for (
      const key of [
        "name",
        "version",
        "exports",
        ...(folder.startsWith(STAND_INS) ? [] : ["license"]),
      ]
    ) {
      if (same(deno[key], manifest[key])) continue;
      if (fix) changed = true;
      else {problems.push(
          `${folder}/deno.json: "${key}" is not that of package.json: ${
            difference(deno[key], manifest[key])
          }`,
        );}
      deno[key] = manifest[key];
    }
    if (changed) write(root, `${folder}/deno.json`, deno);
    if (!folder.startsWith(STAND_INS)) {
      problems.push(...checkPackage(root, folder, manifest, workspace.catalog));
    }
  }
  problems.push(...checkVersions(root, members, read, fix));
  const [first = ""] = members, published = read(`${first}/deno.json`).publish;
  for (const folder of members) {
    if (same(read(`${folder}/deno.json`).publish, published)) continue;
    problems.push(`${folder}/deno.json: "publish" is not that of ${first}/deno.json`);
  }
  return problems;
}

function checkPackage(
  root: string,
  folder: string,
  manifest: Json,
  catalog: Record<string, string>,
): string[] {
  const problems: string[] = [];
  for (const key of ["dependencies", "devDependencies"]) {
    for (const [name, range] of Object.entries(manifest[key] as Record<string, string> ?? {})) {
      const expected = name.startsWith("@okstra/") ? "workspace:*" : "catalog:";
      if (range !== expected) {
        problems.push(
          `${folder}/package.json: ${name} has the range "${range}" instead of "${expected}"`,
        );
      } else if (expected === "catalog:" && !Object.hasOwn(catalog, name)) {
        problems.push(
          `${folder}/package.json: ${name} is not in the catalog of pnpm-workspace.yaml`,
        );
      }
    }
  }
  for (const [key, file] of Object.entries(manifest.exports as Record<string, string>)) {
    if (!existsSync(join(root, folder, file))) {
      problems.push(`${folder}/package.json: export "${key}" names ${file}, which does not exist`);
    }
  }
  return problems;
}

/** All packages carry one version, and the kit's constant repeats it. */
function checkVersions(
  root: string,
  members: string[],
  read: (path: string) => Json,
  fix: boolean,
): string[] {
  const versions = members.map((folder) => String(read(`${folder}/package.json`).version));
  const version = versions[0] ?? "";
  const problems = members.filter((_, i) => versions[i] !== version).map((folder) =>
    `${folder}/package.json: the version differs from "${version}" of ${members[0]}`
  );
  const file = readdirSync(join(root, VERSION_FOLDER), { encoding: "utf8", recursive: true })
    .sort().map((name) => `${VERSION_FOLDER}/${name.replaceAll("\\", "/")}`)
    .find((path) =>
      path.endsWith(".ts") && VERSION_LINE.test(readFileSync(join(root, path), "utf8"))
    );
  if (file === undefined) {
    return [...problems, `${VERSION_FOLDER}: no file has a line export const VERSION = "…";`];
  }
  const text = readFileSync(join(root, file), "utf8");
  const found = VERSION_LINE.exec(text)![2]!;
  if (found === version) return problems;
  if (!fix) {
    return [...problems, `${file}: VERSION is "${found}" and the manifests say "${version}"`];
  }
  writeFileSync(join(root, file), text.replace(VERSION_LINE, `$1${version}$3`));
  return problems;
}

function listFolders(root: string): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder)).sort().map((name) => `${folder}/${name}`)
      .filter((path) => existsSync(join(root, path, "package.json")));
  return [...below("packages"), ...(existsSync(join(root, STAND_INS)) ? below(STAND_INS) : [])];
}

/** Reads the two lists of pnpm-workspace.yaml that matter here; the file is written by hand, in block style. */
function readPnpmWorkspace(text: string): { packages: string[]; catalog: Record<string, string> } {
  const packages: string[] = [];
  const catalog: Record<string, string> = {};
  let section = "";
  for (const line of text.split("\n")) {
    const head = /^(\w+):/.exec(line);
    if (head !== null) section = head[1]!;
    const item = /^ {2}- (\S+)$/.exec(line);
    if (section === "packages" && item !== null) packages.push(item[1]!);
    const entry = /^ {2}"?([^":]+)"?: "?([^"\s]+)"?$/.exec(line);
    if (section === "catalog" && entry !== null) catalog[entry[1]!] = entry[2]!;
  }
  return { packages, catalog };
}

function denoImports(catalog: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(catalog).map(([name, range]) => [
      name,
      range.startsWith("jsr:") ? `jsr:${name}@${range.slice(4)}` : `npm:${name}@${range}`,
    ]),
  );
}

function compare(label: string, actual: string[], expected: string[], problems: string[]): void {
  if (!same(actual, expected)) problems.push(`${label}: ${difference(actual, expected)}`);
}

/** Compares two JSON values; the order of keys does not count. */
function same(a: unknown, b: unknown): boolean {
  return sortedText(a) === sortedText(b);
}

function sortedText(value: unknown): string {
  return JSON.stringify(
    value,
    (_, item: unknown) =>
      item !== null && typeof item === "object" && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
  ) ?? "nothing";
}

/** Says in one line which entries of two JSON values differ. */
function difference(actual: unknown, expected: unknown): string {
  const list = (value: unknown): string[] =>
    value !== null && typeof value === "object"
      ? Object.entries(value).map(([key, item]) =>
        Array.isArray(value) ? String(item) : `${key} = ${JSON.stringify(item)}`
      )
      : value === undefined
      ? []
      : [JSON.stringify(value)];
  const [has, wants] = [list(actual), list(expected)];
  const missing = wants.filter((item) => !has.includes(item));
  const extra = has.filter((item) => !wants.includes(item));
  return [
    ...(missing.length > 0 ? [`missing ${missing.join(", ")}`] : []),
    ...(extra.length > 0 ? [`too much ${extra.join(", ")}`] : []),
  ].join("; ") || "another order";
}

function write(root: string, path: string, value: Json): void {
  writeFileSync(join(root, path), JSON.stringify(value, null, 2) + "\n");
}
