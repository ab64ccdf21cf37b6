// The compiler's parser works under Node only, so both runtimes test these two checks through a process.
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withTree } from "./test-tree.ts";

const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

function runCheck(
  name: string,
  changes: Record<string, string>,
): { status: number | null; problems: string[] } {
  let result = { status: null as number | null, problems: [] as string[] };
  withTree(changes, (tree) => {
    const args = [
      "--import",
      "tsx",
      join(REPOSITORY, "scripts/checks/main.ts"),
      "--root",
      tree.root,
      name,
    ];
    const child = spawnSync("node", args, { cwd: REPOSITORY, encoding: "utf8" });
    if (child.stderr !== "") throw new Error(child.stderr);
    const lines = child.stdout.trimEnd().split("\n").slice(1);
    result = { status: child.status, problems: lines.map((line) => line.trim()) };
  });
  return result;
}

describe("check imports", () => {
  it("passes a tree that keeps the rules", () => {
    assertEquals(runCheck("imports", {}), { status: 0, problems: [] });
  });

  it("finds an edge that is not an arrow, and a door that does not exist", () => {
    const { status, problems } = runCheck("imports", {
      "packages/manifest-io/src/bad.ts": 'import "@okstra/team-state/rows";\n',
      "packages/team-state/src/bad.ts":
        'import "@okstra/manifest-io/secret";\nimport "../../manifest-io/src/rule.ts";\nimport "@okstra/team-state/rows";\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/manifest-io/src/bad.ts:1: package manifest-io imports package team-state, which is none of: kit",
      "packages/team-state/src/bad.ts:1: package manifest-io has no export ./secret",
      "packages/team-state/src/bad.ts:2: ../../manifest-io/src/rule.ts leaves the package; import other packages by name and export key",
      "packages/team-state/src/bad.ts:3: @okstra/team-state/rows is this package; import its files by relative path",
    ]);
  });

  it("finds an import against the layers, of types and lazy ones too", () => {
    const { status, problems } = runCheck("imports", {
      "packages/manifest-io/src/a-pure.ts":
        'import type { X } from "./io/store.ts";\nexport type Y = import("./cli.ts").Z | X;\nimport "./mod.ts";\nimport "./rule.js";\n',
      "packages/manifest-io/src/a.test.ts": 'import "../../../test/support.ts";\n',
      "packages/manifest-io/src/io/testing.ts": 'import "../../../../test/support.ts";\n',
      "packages/manifest-io/src/rule-b.ts": 'import "../../../test/support.ts";\n',
      "packages/manifest-io/src/cli/group.ts":
        'import "@okstra/kit/cli";\nexport const load = () => import("../io/store.ts");\n',
      "packages/manifest-io/src/io/b-io.ts":
        'export const load = () => import("../cli.ts");\nimport "../cli/group.ts";\n',
      "packages/team-state/src/c-pure.ts":
        'import "@okstra/manifest-io/io/store";\nimport "@okstra/manifest-io/cli";\nimport "@okstra/manifest-io";\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/manifest-io/src/a-pure.ts:1: a file of layer pure imports ./io/store.ts of layer io",
      "packages/manifest-io/src/a-pure.ts:2: a file of layer pure imports ./cli.ts of layer cli",
      "packages/manifest-io/src/a-pure.ts:3: ./mod.ts is the package's own front; import the file itself",
      "packages/manifest-io/src/a-pure.ts:4: ./rule.js does not end in .ts",
      "packages/manifest-io/src/io/b-io.ts:1: a file of layer io imports ../cli.ts of layer cli",
      "packages/manifest-io/src/io/b-io.ts:2: a file of layer io imports ../cli/group.ts of layer cli",
      "packages/manifest-io/src/rule-b.ts:1: ../../../test/support.ts leaves the package; import other packages by name and export key",
      "packages/team-state/src/c-pure.ts:1: a pure file imports @okstra/manifest-io/io/store of layer io",
      "packages/team-state/src/c-pure.ts:2: @okstra/manifest-io/cli is a command line, not a library",
      "packages/team-state/src/c-pure.ts:3: @okstra/manifest-io is the whole package; import the export key that is needed",
    ]);
  });

  it("finds builtins, the kit and undeclared packages where they do not belong", () => {
    const { status, problems } = runCheck("imports", {
      "packages/manifest-io/src/a-pure.ts":
        'import "node:path";\nimport "@okstra/kit/host";\nimport "@okstra/kit/cli";\nimport "tinyexec";\n',
      "packages/manifest-io/src/digester.ts": 'import "node:crypto";\nimport "node:fs";\n',
      "packages/manifest-io/src/io/b-io.ts":
        'import { env, stat } from "@okstra/kit/host";\nimport "@okstra/kit/cli";\nexport { env, stat };\n',
      "packages/kit/src/cli-help.ts": 'import "node:fs";\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/kit/src/cli-help.ts:1: node:fs is for io/ and cli.ts only, and this file is of layer pure",
      "packages/manifest-io/src/a-pure.ts:1: node:path is for io/ and cli.ts only, and this file is of layer pure",
      "packages/manifest-io/src/a-pure.ts:2: @okstra/kit/host is for io/ and cli.ts only, and this file is of layer pure",
      "packages/manifest-io/src/a-pure.ts:3: @okstra/kit/cli is for cli.ts only, and this file is of layer pure",
      "packages/manifest-io/src/a-pure.ts:4: tinyexec is not among the dependencies of package manifest-io",
      "packages/manifest-io/src/digester.ts:2: node:fs is for io/ and cli.ts only, and this file is of layer pure",
      "packages/manifest-io/src/io/b-io.ts:1: env of @okstra/kit/host belongs to cli.ts; take what is needed as an argument",
      "packages/manifest-io/src/io/b-io.ts:2: @okstra/kit/cli is for cli.ts only, and this file is of layer io",
    ]);
  });

  it("finds uses of the runtime, the clock and the streams where they do not belong", () => {
    const { status, problems } = runCheck("imports", {
      "packages/manifest-io/src/a-pure.ts":
        "export const now = Date.now() + +new Date() + Math.random();\nexport const fixed = new Date(0);\n",
      "packages/manifest-io/src/io/b-io.ts":
        'export const f = () => Deno.pid;\nexport const g = () => process.env.HOME;\nconsole.log("x");\nprocess.exit(1);\n' +
        "export const h = (process: { state: string }) => process.state;\n",
      "packages/manifest-io/src/io/d-io.ts":
        'import { env, kill } from "node:process";\nimport p from "node:process";\nimport * as q from "node:process";\n' +
        'export { argv } from "node:process";\nexport const r = await import("node:process");\n' +
        'import process from "node:process";\nimport * as host from "@okstra/kit/host";\n' +
        'export const a = [env, kill, p, q, host, process["env"], process["a" + "rgv"], globalThis.process];\n' +
        "export const { stderr, pid } = process;\nexport const { ...all } = process;\nexport const whole = process;\n" +
        "export const deno = Deno;\nexport const { args } = Deno;\n",
      "packages/manifest-io/src/c.test.ts":
        "process.exit(0);\nconsole.log(Date.now(), process.env.X);\n",
    });
    assertEquals(status, 1);
    const words = / used outside the seam.*|; write import.*| to cli\.ts; take.*/;
    assertEquals(
      problems.map((problem) =>
        problem.startsWith("packages/manifest-io/src/io/d-io.ts")
          ? problem.replace(words, "")
          : problem
      ),
      [
        "packages/manifest-io/src/a-pure.ts:1: a pure file uses Date.now; take the value as an argument",
        "packages/manifest-io/src/a-pure.ts:1: a pure file uses new Date(); take the value as an argument",
        "packages/manifest-io/src/a-pure.ts:1: a pure file uses Math.random; take the value as an argument",
        "packages/manifest-io/src/c.test.ts:1: process.exit is called; return the exit status instead",
        "packages/manifest-io/src/io/b-io.ts:1: Deno is used outside the seam to the runtime (kit/host)",
        "packages/manifest-io/src/io/b-io.ts:2: process.env is used outside the seam to the runtime (kit/host)",
        "packages/manifest-io/src/io/b-io.ts:3: console.log is used; print through the command line's Io",
        "packages/manifest-io/src/io/b-io.ts:4: process.exit is called; return the exit status instead",
        ...[
          "1: env of node:process is",
          "2: node:process is imported as a whole",
          "3: node:process is imported as a whole",
          "4: argv of node:process is",
          "5: node:process is imported as a whole",
          "7: * of @okstra/kit/host belongs",
          "8: process.env is",
          "8: process.* is",
          "8: globalThis.process is",
          "9: process.stderr is",
          "10: process.* is",
          "11: process.* is",
          "12: Deno is",
          "13: Deno is",
        ].map((problem) => `packages/manifest-io/src/io/d-io.ts:${problem}`),
      ],
    );
  });

  it("finds a cycle, and no cycle in types", () => {
    const { status, problems } = runCheck("imports", {
      "packages/manifest-io/src/a.ts": 'import "./b.ts";\n',
      "packages/manifest-io/src/b.ts": 'import "./c.ts";\nimport type {} from "./d.ts";\n',
      "packages/manifest-io/src/c.ts": 'import "./a.ts";\n',
      "packages/manifest-io/src/d.ts": 'import "./b.ts";\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/manifest-io/src/c.ts:1: imports form a cycle: a.ts → b.ts → c.ts → a.ts",
    ]);
  });
});

describe("check requirements", () => {
  it("passes a tree that keeps the rule", () => {
    assertEquals(runCheck("requirements", {}), { status: 0, problems: [] });
  });

  it("finds a number without test and a number without explanation", () => {
    const { status, problems } = runCheck("requirements", {
      "packages/manifest-io/REQUIREMENTS.md":
        "| number | means |\n| --- | --- |\n| M-001 | a |\n| M-002 | b |\n",
      "packages/manifest-io/src/more.test.ts":
        'it("x() does y if C-0001 is F-001 (M-003, E-12)", () => {});\nit(`x() does ${1} (P-7)`, () => {});\n// (M-002)\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/manifest-io/REQUIREMENTS.md:4: M-002 stands in no test name",
      "packages/manifest-io/src/more.test.ts:1: E-12 stands in no REQUIREMENTS.md",
      "packages/manifest-io/src/more.test.ts:1: M-003 stands in no REQUIREMENTS.md",
      "packages/manifest-io/src/more.test.ts:2: P-7 stands in no REQUIREMENTS.md",
    ]);
  });

  it("takes a number from the name of a test or from the table that it comes from, and from no other text", () => {
    const { problems } = runCheck("requirements", {
      "packages/manifest-io/REQUIREMENTS.md": "| number | means |\n| --- | --- |\n" +
        ["M-001", "M-002", "M-003", "M-004"].map((number) => `| ${number} | a |\n`).join(""),
      "packages/manifest-io/src/more.test.ts":
        'const table = [["of a table (M-002)"]];\nfor (const [name] of table) it(`x() ${name}`, () => {});\n' +
        'for (const name of ["y (M-003)"]) it(name, () => {});\n' +
        'for (const given of ["z (M-004)"]) it("x()", () => { check(given, "(M-004)"); });\n',
    });
    assertEquals(problems, [
      "packages/manifest-io/REQUIREMENTS.md:6: M-004 stands in no test name",
    ]);
  });

  it("finds a row that names a file which is not there, or which has no test of its numbers", () => {
    const { status, problems } = runCheck("requirements", {
      "packages/manifest-io/REQUIREMENTS.md": "| number | means | test |\n| --- | --- | --- |\n" +
        "| M-001 | a | `rule.test.ts`, `none.test.ts` |\n| M-001, M-002 | b | `more.test.ts` |\n" +
        "| M-002 | c | `rule.test.ts`, `packages/manifest-io/src/rule.ts` |\n",
      "packages/manifest-io/src/more.test.ts": 'it("x() does y (M-002)", () => {});\n',
    });
    assertEquals(status, 1);
    assertEquals(problems, [
      "packages/manifest-io/REQUIREMENTS.md:3: M-001 is not shown by none.test.ts: no such file",
      "packages/manifest-io/REQUIREMENTS.md:5: no test in rule.test.ts names M-002",
    ]);
  });
});
