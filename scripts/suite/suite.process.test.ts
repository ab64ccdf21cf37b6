import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { listTestFiles, LONG, testJobs } from "./jobs.ts";

const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HEAD = 'import { it } from "node:test";\nconst onDeno = "Deno" in globalThis;\n';

/** Runs the suite's tests, and them alone, on a tree that holds the given test files. */
function runSuite(
  files: Record<string, string>,
  env: Record<string, string> = {},
): { status: number | null; stdout: string; last: string } {
  const root = mkdtempSync(join(tmpdir(), "okstra-suite-test-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), HEAD + text);
    }
    const args = [
      "--import",
      "tsx",
      join(REPOSITORY, "scripts/suite/main.ts"),
      "--tests-only",
      "--root",
      root,
    ];
    const { status, stdout } = spawnSync("node", args, {
      cwd: REPOSITORY,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    return { status, stdout, last: stdout.trimEnd().split("\n").at(-1)! };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const GOOD = 'it("holds", () => {});\n';

describe("scripts/test", () => {
  it("passes, and counts each test once a runtime", () => {
    const { status, last } = runSuite({
      "packages/x/src/a.test.ts": GOOD,
      "test/b.process.test.ts": GOOD + 'it("is left out", { skip: true }, () => {});\n',
    });
    assertEquals(status, 0);
    assertEquals(last, "4 passed, 0 failed, 2 skipped");
  });

  it("begins with the long test files, which are there", () => {
    assertEquals(LONG.filter((file) => !listTestFiles(REPOSITORY).includes(file)), []);
    const setting = { repository: REPOSITORY, root: REPOSITORY, denoPath: "deno", env: {} };
    const first = testJobs(setting, ["process.test.ts"])[0]!;
    assertEquals(first.label, `${LONG[0]} on node`);
  });

  it("runs what starts the scripts of the repository on Node alone, as the scripts run", () => {
    const { last } = runSuite({
      "scripts/x/a.process.test.ts": GOOD,
      "test/b.process.test.ts": GOOD,
    });
    assertEquals(last, "3 passed, 0 failed");
  });

  it("keeps what belongs to the caller's session from the tests", () => {
    const names = ["OKSTRA_RUN", "CMUX_WORKSPACE_ID", "TMUX", "TMUX_PANE", "SOURCE_DATE_EPOCH"];
    const test = `it("is clean", () => { for (const name of ${
      JSON.stringify([...names, "OTHER"])
    }) { if ((process.env[name] !== undefined) !== (name === "OTHER")) throw new Error(name); } });\n`;
    const env = Object.fromEntries([...names, "OTHER"].map((name) => [name, "1"]));
    const { stdout, last } = runSuite({
      "packages/x/src/a.test.ts": 'import process from "node:process";\n' + test,
    }, env);
    assertEquals(last, "2 passed, 0 failed", stdout);
  });

  for (const runtime of ["node", "deno"]) {
    for (const path of ["packages/x/src/a.test.ts", "packages/x/src/a.process.test.ts"]) {
      it(`fails if one test of ${path} fails on ${runtime} alone, and tells which`, () => {
        const condition = runtime === "deno" ? "onDeno" : "!onDeno";
        const bad =
          `it("breaks", () => { if (${condition}) throw new Error("the reason\\nin full"); });\n`;
        const { status, stdout, last } = runSuite({
          "packages/y/src/good.test.ts": GOOD,
          [path]: GOOD + bad,
        });
        assertEquals(status, 1);
        assertEquals(last, "5 passed, 1 failed");
        assertMatch(stdout, new RegExp(`^FAILED: breaks \\(.* on ${runtime}\\)$`, "m"));
        assertStringIncludes(stdout, "the reason\n  in full");
      });
    }

    it(`counts a runner that crashes on ${runtime} as a failure`, () => {
      const condition = runtime === "deno" ? "onDeno" : "!onDeno";
      const { status, stdout, last } = runSuite({
        "packages/x/src/a.process.test.ts":
          `${GOOD}if (${condition}) process.kill(process.pid, "SIGKILL");\n`,
      });
      assertEquals(status, 1);
      assertEquals(last, "1 passed, 1 failed");
      assertMatch(stdout, new RegExp(`on ${runtime} ended with SIGKILL outside its tests`));
    });
  }

  it("counts a file that cannot be loaded and a file without tests as failures", () => {
    const { status, stdout, last } = runSuite({
      "packages/x/src/a.test.ts": 'import "./none.ts";\n',
      "packages/x/src/b.test.ts": GOOD,
      "packages/x/src/c.process.test.ts": "",
    });
    assertEquals(status, 1);
    assertEquals(last, "2 passed, 4 failed");
    assertMatch(stdout, /^FAILED: loads file:.*a\.test\.ts/m);
    assertMatch(stdout, /c\.process\.test\.ts on node ran no test/);
  });
});
