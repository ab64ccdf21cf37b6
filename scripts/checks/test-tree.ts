// A small repository that keeps every rule, for the tests of the checks: each test breaks one thing in it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const manifest = (name: string, exports: Record<string, string>, dependencies = {}): string =>
  JSON.stringify(
    { name: `@okstra/${name}`, version: "1.2.3", license: "MIT", exports, dependencies },
    null,
    2,
  );

const kitExports = { "./host": "./src/host.ts", "./cli": "./src/cli.ts" };
const baseExports = {
  ".": "./src/mod.ts",
  "./cli": "./src/cli.ts",
  "./rule": "./src/rule.ts",
  "./io/store": "./src/io/store.ts",
};
const teamExports = { ".": "./src/mod.ts", "./rows": "./src/rows.ts" };
const baseDependencies = { "@okstra/kit": "workspace:*", "valibot": "catalog:" };
const teamDependencies = { "@okstra/kit": "workspace:*", "@okstra/manifest-io": "workspace:*" };

const FILES: Readonly<Record<string, string>> = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      noEmit: true,
      allowImportingTsExtensions: true,
      types: [],
      module: "nodenext",
    },
    include: ["packages"],
  }),
  "deno.json": JSON.stringify({
    workspace: ["./packages/kit", "./packages/manifest-io", "./packages/team-state"],
    links: [],
    imports: { valibot: "npm:valibot@^1.5.0" },
  }),
  "pnpm-workspace.yaml":
    "packages:\n  - packages/kit\n  - packages/manifest-io\n  - packages/team-state\ncatalog:\n  valibot: ^1.5.0\n",
  "packages/kit/package.json": manifest("kit", kitExports),
  "packages/kit/deno.json": manifest("kit", kitExports),
  "packages/kit/src/host.ts":
    "export const platform = (): string => Deno.build.os + process.env.X;\n",
  "packages/kit/src/cli.ts":
    'import { platform } from "./host.ts";\nexport const VERSION = "1.2.3";\nexport { platform };\n',
  "packages/manifest-io/package.json": manifest("manifest-io", baseExports, baseDependencies),
  "packages/manifest-io/deno.json": manifest("manifest-io", baseExports),
  "packages/manifest-io/REQUIREMENTS.md":
    "| number | means | test |\n| --- | --- | --- |\n| M-001 | text | rule.test.ts |\n",
  "packages/manifest-io/src/mod.ts": 'export * from "./rule.ts";\n',
  "packages/manifest-io/src/rule.ts":
    'import * as v from "valibot";\nexport const rule = v.string();\n',
  "packages/manifest-io/src/rule.test.ts": 'it("rule() holds (M-001)", () => {});\n',
  "packages/manifest-io/src/io/store.ts":
    'import { readFileSync } from "node:fs";\nimport { stat } from "@okstra/kit/host";\nimport { rule } from "../rule.ts";\nexport const read = () => [readFileSync, stat, rule];\n',
  "packages/manifest-io/src/cli.ts":
    'import { command } from "@okstra/kit/cli";\nexport const app = command(async () => await import("./io/store.ts"));\n',
  "packages/team-state/package.json": manifest("team-state", teamExports, teamDependencies),
  "packages/team-state/deno.json": manifest("team-state", teamExports),
  "packages/team-state/src/mod.ts": 'export * from "./rows.ts";\n',
  "packages/team-state/src/rows.ts":
    'import { rule } from "@okstra/manifest-io/rule";\nexport const rows = [rule];\n',
};

/** A temporary copy of the small repository. */
export interface Tree {
  readonly root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  remove(): void;
}

/** Creates the small repository, with `changes` written over it. */
export function makeTree(changes: Readonly<Record<string, string>> = {}): Tree {
  const root = mkdtempSync(join(tmpdir(), "okstra-checks-"));
  const tree: Tree = {
    root,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    remove: () => rmSync(root, { recursive: true }),
  };
  for (const [path, text] of Object.entries({ ...FILES, ...changes })) tree.write(path, text);
  return tree;
}

/** Runs `body` on a fresh tree and removes the tree afterwards. */
export function withTree(
  changes: Readonly<Record<string, string>>,
  body: (tree: Tree) => void,
): void {
  const tree = makeTree(changes);
  try {
    body(tree);
  } finally {
    tree.remove();
  }
}
