import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEnded, hasProc } from "../../test/fault-kit/processes.ts";
import { listTestFiles, LONG, testJobs } from "./jobs.ts";

const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HEAD = 'import { it } from "node:test";\nconst onDeno = "Deno" in globalThis;\n';

const wordsFor = (root: string) => [
  ...["--import", "tsx", join(REPOSITORY, "scripts/suite/main.ts")],
  ...["--tests-only", "--root", root],
];

function writeTests(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), HEAD + text);
  }
}

/** Runs the suite's tests, and them alone, on a tree that holds the given test files. */
function runSuite(
  files: Record<string, string>,
  env: Record<string, string> = {},
): { status: number | null; stdout: string; last: string } {
  const root = mkdtempSync(join(tmpdir(), "okstra-suite-test-"));
  try {
    writeTests(root, files);
    const { status, stdout } = spawnSync("node", wordsFor(root), {
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

  it("counts a suite that is skipped as one test that is, also where a file has nothing else", () => {
    const { status, last } = runSuite({
      "test/a.process.test.ts": 'import { describe } from "node:test";\n' +
        'describe("on another machine", { skip: "not here" }, () => { it("holds", () => {}); });\n',
    });
    assertEquals([status, last], [0, "0 passed, 0 failed, 2 skipped"]);
  });

  it("begins with the long test files, which are there", () => {
    assertEquals(LONG.filter((file) => !listTestFiles(REPOSITORY).includes(file)), []);
    const setting = {
      repository: REPOSITORY,
      root: REPOSITORY,
      denoPath: "deno",
      scratch: "",
      env: {},
    };
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

  it("ends with all that its tests have started, and leaves no file, when it is interrupted", {
    skip: !hasProc && "processes are looked at by /proc",
  }, async () => {
    const root = mkdtempSync(join(tmpdir(), "okstra-suite-test-")), scratch = join(root, "tmp");
    const test = `import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
it("waits", async () => {
  const child = spawn("sleep", ["600"], { cwd: tmpdir(), detached: true, stdio: "ignore" });
  const path = ${JSON.stringify(root)} + (onDeno ? "/deno.pids" : "/node.pids");
  writeFileSync(path + ".tmp", process.pid + "\\n" + child.pid);
  renameSync(path + ".tmp", path);
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});\n`;
    try {
      mkdirSync(scratch);
      writeTests(root, { "test/a.process.test.ts": test });
      const suite = spawn("node", wordsFor(root), {
        cwd: REPOSITORY,
        env: { ...process.env, TMPDIR: scratch },
        stdio: "ignore",
      });
      const ended = once(suite, "exit");
      const paths = ["node", "deno"].map((name) => `${root}/${name}.pids`);
      while (suite.exitCode === null && !paths.every((path) => existsSync(path))) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      suite.kill("SIGTERM");
      assertEquals(await ended, [143, null]);
      const left = paths.flatMap((path) => readFileSync(path, "utf8").split("\n").map(Number));
      assertEquals(left.length, 4);
      assertEnded(left);
      assertEquals(readdirSync(scratch).filter((name) => name.startsWith("okstra-")), []);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

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
