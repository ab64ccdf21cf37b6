// Holds rules 1 to 4 of the architecture: who imports whom, and who touches the world.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Import, SourceFacts } from "./source-facts.ts";

/** The packages, and for each the packages whose doors it may open. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  "kit": [],
  "manifest-io": ["kit"],
  "team-state": ["kit", "manifest-io"],
  "wrapper-status": ["kit", "manifest-io"],
  "dispatch": ["kit", "manifest-io", "team-state", "wrapper-status"],
  "convergence": ["kit", "manifest-io"],
  "discussion": ["kit", "manifest-io", "team-state", "convergence"],
};

/** Where a file stands in its package: a file imports only files of its own layer and of those below. */
type Layer = "main" | "cli" | "io" | "pure" | "mod" | "host" | "test";
const RANK: Readonly<Record<Layer, number>> = {
  test: 4,
  main: 3,
  mod: 3,
  cli: 2,
  io: 1,
  host: 1,
  pure: 0,
};

/** Pure files that may import a builtin all the same. */
const PURE_WITH_BUILTIN: Readonly<Record<string, string>> = {
  "packages/manifest-io/src/digester.ts": "node:crypto",
};

/** Names of `@okstra/kit/host` that belong to the command line alone. */
const CLI_ONLY_NAMES = new Set([
  "*",
  "argv",
  "env",
  "environment",
  "setExitCode",
  "writeOut",
  "writeErr",
  "readStdin",
  "terminalSize",
]);

/** Uses that only the seam to the runtime may make. */
const HOST_ONLY_NAMES = [
  "argv",
  "env",
  "exitCode",
  "getBuiltinModule",
  "stderr",
  "stdin",
  "stdout",
];
const HOST_ONLY_USES = new RegExp(
  `^(Deno|globalThis\\.(process|\\*)|process\\.(\\*|${HOST_ONLY_NAMES.join("|")}))$`,
);

/** Uses that make a pure file give different answers to the same question. */
const IMPURE_USES = /^(new Date\(\)|(Date|performance)\.now|Math\.random|crypto\..*|process\..*)$/;

interface Place {
  readonly pkg: string;
  /** Relative to the package's folder. */
  readonly file: string;
  readonly layer: Layer;
}

function placeOf(path: string): Place | null {
  const match = /^packages\/([^/]+)\/(.+)$/.exec(path);
  if (match === null || !Object.hasOwn(EDGES, match[1]!)) return null;
  const [, pkg, file] = match as unknown as [string, string, string];
  return { pkg, file, layer: layerOf(pkg, file) };
}

function pathOf(place: Place): string {
  return `packages/${place.pkg}/${place.file}`;
}

function layerOf(pkg: string, file: string): Layer {
  if (/\.test\.ts$|^testdata\/|^src\/testdata\/|^src\/test-|^src\/(io\/)?testing/.test(file)) {
    return "test";
  }
  if (file === "src/main.ts") return "main";
  if (file === "src/mod.ts") return "mod";
  if (pkg === "kit" && /^src\/host(-|\.ts$|\/)/.test(file)) return "host";
  if (file === "src/cli.ts" || file.startsWith("src/cli/")) return "cli";
  return file.startsWith("src/io/") ? "io" : "pure";
}

/** Lists every broken rule of the sources below `root`, one `path:line: message` each. */
export function findImportProblems(root: string, sources: readonly SourceFacts[]): string[] {
  const problems: string[] = [];
  const graph = new Map<string, { to: string; line: number }[]>();
  for (const source of sources) {
    const place = placeOf(source.path);
    if (place === null) continue;
    for (const item of source.imports) {
      for (const message of checkImport(root, place, item)) {
        problems.push(`${source.path}:${item.line}: ${message}`);
      }
    }
    for (const use of source.uses) {
      const message = checkUse(place, use.text);
      if (message !== null) problems.push(`${source.path}:${use.line}: ${message}`);
    }
    if (place.layer !== "test") {
      graph.set(
        source.path,
        source.imports.filter((item) => item.specifier.startsWith(".") && !item.typeOnly).map((
          item,
        ) => ({
          to: posix.join(posix.dirname(source.path), item.specifier),
          line: item.line,
        })),
      );
    }
  }
  return [...problems, ...findCycles(graph)];
}

function checkUse(place: Place, use: string): string | null {
  if (use === "process.exit") return "process.exit is called; return the exit status instead";
  if (place.layer === "test" || place.layer === "host") return null;
  if (use === "process.getBuiltinModule" && Object.hasOwn(PURE_WITH_BUILTIN, pathOf(place))) {
    return null;
  }
  if (HOST_ONLY_USES.test(use)) return `${use} is used outside the seam to the runtime (kit/host)`;
  if (use.startsWith("console.")) return `${use} is used; print through the command line's Io`;
  if (place.layer === "pure" && place.pkg !== "kit" && IMPURE_USES.test(use)) {
    return `a pure file uses ${use}; take the value as an argument`;
  }
  return null;
}

function checkImport(root: string, from: Place, item: Import): string[] {
  const { specifier } = item;
  if (specifier === "") return ["import() needs a literal specifier"];
  if (specifier.startsWith(".")) return checkInside(from, specifier);
  if (specifier.startsWith("@okstra/")) return checkAcross(root, from, item);
  return checkOutside(root, from, item);
}

function checkInside(from: Place, specifier: string): string[] {
  const file = posix.join(posix.dirname(from.file), specifier);
  if (from.layer === "test" && file.startsWith("../../test/")) return [];
  if (file.startsWith("..")) {
    return [`${specifier} leaves the package; import other packages by name and export key`];
  }
  if (!file.endsWith(".ts")) return [`${specifier} does not end in .ts`];
  const layer = layerOf(from.pkg, file);
  if (layer === "mod") return [`${specifier} is the package's own front; import the file itself`];
  if (RANK[layer] > RANK[from.layer]) {
    return [`a file of layer ${from.layer} imports ${specifier} of layer ${layer}`];
  }
  return [];
}

function checkAcross(root: string, from: Place, item: Import): string[] {
  const [, pkg = "", ...rest] = item.specifier.split("/");
  const key = rest.length === 0 ? "." : `./${rest.join("/")}`;
  if (pkg === from.pkg) {
    return [`${item.specifier} is this package; import its files by relative path`];
  }
  if (!EDGES[from.pkg]!.includes(pkg)) {
    return [
      `package ${from.pkg} imports package ${pkg}, which is none of: ${
        EDGES[from.pkg]!.join(", ") || "-"
      }`,
    ];
  }
  const target = readExports(join(root, "packages", pkg, "package.json"))[key];
  if (target === undefined) return [`package ${pkg} has no export ${key}`];
  if (from.layer === "test") return [];
  const layer = layerOf(pkg, target.replace(/^\.\//, ""));
  if (pkg === "kit" && layer !== "pure") return checkKit(from, key, item);
  if (layer === "cli" || layer === "main") {
    return [`${item.specifier} is a command line, not a library`];
  }
  if (layer === "mod") {
    return [`${item.specifier} is the whole package; import the export key that is needed`];
  }
  if (from.layer === "pure" && layer !== "pure") {
    return [`a pure file imports ${item.specifier} of layer ${layer}`];
  }
  return [];
}

function checkKit(from: Place, key: string, item: Import): string[] {
  if (key === "./cli") {
    return from.layer === "cli" || from.layer === "main"
      ? []
      : [`${item.specifier} is for cli.ts only, and this file is of layer ${from.layer}`];
  }
  if (from.layer !== "io" && from.layer !== "cli") {
    return [
      `${item.specifier} is for io/ and cli.ts only, and this file is of layer ${from.layer}`,
    ];
  }
  if (from.layer === "cli") return [];
  return item.names.filter((name) => CLI_ONLY_NAMES.has(name)).map((name) =>
    `${name} of ${item.specifier} belongs to cli.ts; take what is needed as an argument`
  );
}

function checkOutside(root: string, from: Place, item: Import): string[] {
  const { specifier } = item;
  const world = /^(node:|@std\/fs|tinyexec)/.test(specifier);
  if (from.layer === "test") return [];
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  if (!specifier.startsWith("node:") && !readDependencies(root, from.pkg).includes(name)) {
    return [`${name} is not among the dependencies of package ${from.pkg}`];
  }
  if (/^(node:)?process$/.test(specifier) && from.layer !== "host") {
    const problems = checkProcessImport(item);
    if (problems.length > 0) return problems;
  }
  if (!world || from.layer === "io" || from.layer === "host") return [];
  if (from.layer === "cli" && from.pkg !== "kit") return [];
  if (PURE_WITH_BUILTIN[pathOf(from)] === specifier) return [];
  return [`${specifier} is for io/ and cli.ts only, and this file is of layer ${from.layer}`];
}

/** Its default may be imported under the name that the uses of it are looked for by, and a part of it if it is harmless. */
function checkProcessImport({ specifier, names, alias }: Import): string[] {
  if (names.includes("*") || (alias !== "" && alias !== "process")) {
    return [`${specifier} is imported as a whole; write import process from "node:process"`];
  }
  return names.filter((name) => name === "exit" || HOST_ONLY_NAMES.includes(name)).map((name) =>
    `${name} of ${specifier} is used outside the seam to the runtime (kit/host)`
  );
}

const manifests = new Map<string, { exports?: Record<string, string>; dependencies?: object }>();

function readManifest(path: string): { exports?: Record<string, string>; dependencies?: object } {
  let manifest = manifests.get(path);
  if (manifest === undefined) {
    manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) as object : {};
    manifests.set(path, manifest);
  }
  return manifest;
}

function readExports(path: string): Record<string, string> {
  return readManifest(path).exports ?? {};
}

function readDependencies(root: string, pkg: string): string[] {
  return Object.keys(readManifest(join(root, "packages", pkg, "package.json")).dependencies ?? {});
}

/** Reports each cycle of imports once, at the import that closes it. */
function findCycles(graph: ReadonlyMap<string, readonly { to: string; line: number }[]>): string[] {
  const problems: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: string[]): void => {
    if (done.has(path)) return;
    for (const { to, line } of graph.get(path) ?? []) {
      const start = trail.indexOf(to);
      if (start >= 0) {
        const names = [...trail.slice(start), to].map((name) => name.slice(dirname(to).length + 1));
        problems.push(`${path}:${line}: imports form a cycle: ${names.join(" → ")}`);
      } else walk(to, [...trail, to]);
    }
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, [path]);
  return problems;
}
