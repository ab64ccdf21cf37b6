import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findManifestProblems } from "./manifests.ts";
import { findPathProblems } from "./paths.ts";
import { compareSchemas } from "./schemas.ts";
import { withTree } from "./test-tree.ts";

describe("check manifests", () => {
  it("passes a tree in step", () => {
    withTree({}, (tree) => assertEquals(findManifestProblems(tree.root), []));
  });

  it("finds every difference, repairs it with --fix, and leaves package.json alone", () => {
    const changes = {
      "deno.json": JSON.stringify({
        fmt: { lineWidth: 100 },
        workspace: ["./packages/kit", "./packages/manifest-io"],
        links: [],
        imports: { valibot: "npm:valibot@^1.4.0", tinyexec: "npm:tinyexec@^1.4.0" },
      }),
      "packages/team-state/deno.json": JSON.stringify({
        name: "@okstra/team",
        version: "1.2.2",
        license: "MIT",
        exports: { ".": "./src/mod.ts" },
      }),
      "packages/kit/src/cli.ts": 'export const a = 1;\nexport const VERSION = "1.2.2";\n',
    };
    withTree(changes, (tree) => {
      const before = tree.read("packages/team-state/package.json");
      assertEquals(findManifestProblems(tree.root), [
        'deno.json: "workspace" is not what pnpm-workspace.yaml says: missing ./packages/team-state',
        'deno.json: "imports" is not what pnpm-workspace.yaml says: missing valibot = "npm:valibot@^1.5.0"; too much valibot = "npm:valibot@^1.4.0", tinyexec = "npm:tinyexec@^1.4.0"',
        'packages/team-state/deno.json: "name" is not that of package.json: missing "@okstra/team-state"; too much "@okstra/team"',
        'packages/team-state/deno.json: "version" is not that of package.json: missing "1.2.3"; too much "1.2.2"',
        'packages/team-state/deno.json: "exports" is not that of package.json: missing ./rows = "./src/rows.ts"',
        'packages/kit/src/cli.ts: VERSION is "1.2.2" and the manifests say "1.2.3"',
      ]);
      assertEquals(findManifestProblems(tree.root, true), []);
      assertEquals(findManifestProblems(tree.root), []);
      assertEquals(tree.read("packages/team-state/package.json"), before);
      assertEquals(
        tree.read("packages/kit/src/cli.ts"),
        'export const a = 1;\nexport const VERSION = "1.2.3";\n',
      );
      assertMatch(tree.read("deno.json"), /^\{\n {2}"fmt": \{/);
    });
  });

  it("finds a range of its own, a missing catalog entry, a dead export and a version of its own, which --fix leaves", () => {
    const changes = {
      "packages/team-state/package.json": JSON.stringify({
        name: "@okstra/team-state",
        version: "1.3.0",
        license: "MIT",
        exports: { ".": "./src/none.ts" },
        dependencies: { "@okstra/kit": "^1.0.0", "valibot": "^1.0.0", "tinyexec": "catalog:" },
      }),
    };
    const expected = [
      'packages/team-state/package.json: @okstra/kit has the range "^1.0.0" instead of "workspace:*"',
      'packages/team-state/package.json: valibot has the range "^1.0.0" instead of "catalog:"',
      "packages/team-state/package.json: tinyexec is not in the catalog of pnpm-workspace.yaml",
      'packages/team-state/package.json: export "." names ./src/none.ts, which does not exist',
      'packages/team-state/package.json: the version differs from "1.2.3" of packages/kit',
    ];
    withTree(changes, (tree) => assertEquals(findManifestProblems(tree.root, true), expected));
  });

  it("finds a package that publishes other files than the rest", () =>
    withTree({}, (tree) => {
      const path = "packages/team-state/deno.json", manifest = JSON.parse(tree.read(path));
      tree.write(path, JSON.stringify({ ...manifest, publish: { exclude: [] } }));
      assertEquals(findManifestProblems(tree.root), [
        `${path}: "publish" is not that of packages/kit/deno.json`,
      ]);
    }));
});

describe("check schemas", () => {
  const schemas = new Map<string, unknown>([["a", { type: "object" }], ["b", { type: "string" }]]);
  const PLACE = "packages/manifest-io/schemas";

  it("writes missing snapshots with --fix only, and then finds them in step", () => {
    withTree({}, (tree) => {
      const folder = join(tree.root, "schemas");
      assertEquals(compareSchemas(folder, schemas, false), [
        `${PLACE}/a.json: is missing; run scripts/check --fix`,
        `${PLACE}/b.json: is missing; run scripts/check --fix`,
      ]);
      assertEquals(compareSchemas(folder, schemas, true), []);
      assertEquals(readdirSync(folder), ["a.json", "b.json"]);
      assertEquals(compareSchemas(folder, schemas, false), []);
    });
  });

  it("refuses the change of a released schema even with --fix, and allows that of another", () => {
    withTree({ "schemas/released.json": '{"released": ["a"]}' }, (tree) => {
      const folder = join(tree.root, "schemas");
      tree.write("schemas/a.json", JSON.stringify({ type: "array" }, null, 2) + "\n");
      tree.write("schemas/b.json", JSON.stringify({ type: "array" }, null, 2) + "\n");
      const problem =
        `${PLACE}/a.json: the schema of "a" is released and must not change; add a schemaVersion instead`;
      assertEquals(compareSchemas(folder, schemas, true), [problem]);
      assertEquals(JSON.parse(tree.read("schemas/a.json")), { type: "array" });
      assertEquals(JSON.parse(tree.read("schemas/b.json")), { type: "string" });
    });
  });

  it("finds a snapshot and a released kind that no registry knows", () => {
    withTree(
      { "schemas/released.json": '{"released": ["gone"]}', "schemas/old.json": "{}" },
      (tree) => {
        assertEquals(compareSchemas(join(tree.root, "schemas"), schemas, true), [
          `${PLACE}/old.json: no document kind "old" is registered`,
          `${PLACE}/released.json: the released kind "gone" is registered no more`,
        ]);
      },
    );
  });
});

describe("check paths", () => {
  it("finds the folder of the repository in a new file, and leaves other paths alone", () => {
    withTree({}, (tree) => {
      execFileSync("git", ["-C", tree.root, "init", "-q"]);
      assertEquals(findPathProblems(tree.root), []);
      tree.write("docs/a.md", `fine: /usr/bin/env\nsee ${tree.root}/packages for more\n`);
      assertEquals(findPathProblems(tree.root), [
        "docs/a.md:2: names the folder of the repository of this machine",
      ]);
      tree.write(".gitignore", "docs\n");
      assertEquals(findPathProblems(tree.root), []);
    });
  });
});
