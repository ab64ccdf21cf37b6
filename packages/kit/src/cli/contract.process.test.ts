import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT, runShell, RUNTIMES, runTool, toolWords } from "../../testdata/run-tool.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "kit-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

for (const runtime of RUNTIMES) {
  describe(`a tool on ${runtime}`, () => {
    const statuses: [string, string[], number][] = [
      ["a success", ["greet", "Ada"], 0],
      ["the answer no", ["worker", "show"], 1],
      ["wrong usage", ["greet"], 2],
      ["a named input that is absent", ["read", "/nowhere"], 2],
      ["a failure of the file system (K-003)", ["update", "/nowhere/count.json"], 4],
      ["a defect, which alone shows a stack (K-005)", ["fail", "defect"], 70],
    ];
    for (const [what, words, expected] of statuses) {
      it(`ends with ${expected} on ${what}`, () => {
        const { status, stdout, stderr } = runTool(runtime, words);
        assertEquals(status, expected);
        if (expected === 0) {
          assertEquals([JSON.parse(stdout), stderr], [{ text: "Hello, Ada." }, ""]);
        } else assertEquals(stdout, "");
        if (expected > 1) assertMatch(stderr, /^okstra-hello: error: \S/);
        assertEquals(/^ {4}at /m.test(stderr), expected === 70);
      });
    }

    it("prints the same whatever the terminal settings say (K-008, P-24)", () => {
      const plain = runTool(runtime, ["greet", "Ada"]);
      for (
        const env of [{ FORCE_COLOR: "1", TERM: "xterm" }, { NO_COLOR: "1" }, { LC_ALL: "tr_TR" }]
      ) {
        assertEquals(runTool(runtime, ["greet", "Ada"], { env }), plain);
        const error = runTool(runtime, ["greet"], { env }).stderr;
        assertEquals(error, runTool(runtime, ["greet"]).stderr);
      }
    });

    it("writes its data with standard error closed (P-24)", () => {
      const { status, stdout } = runShell(runtime, "exec $TOOL greet Ada 2>&-");
      assertEquals([status, JSON.parse(stdout)], [0, { text: "Hello, Ada." }]);
      assertEquals(runShell(runtime, "exec $TOOL greet 2>&-").status, 2);
    });

    // Deno itself does not start there.
    if (runtime === "node") {
      it("says that the current directory is gone", () => {
        const { status, stderr } = runShell(
          runtime,
          `mkdir "${dir}/gone"; cd "${dir}/gone"; rmdir "${dir}/gone"; exec $TOOL read file`,
        );
        assertEquals([status, stderr], [
          4,
          'okstra-hello: error: Cannot find ".": the current directory was removed or may not be read\n' +
          "okstra-hello: hint: Change to a directory that exists\n",
        ]);
      });
    }

    // The file system of macOS takes no such name.
    it("says of words, variables and directories that they are not UTF-8 (K-004, K-005)", {
      skip: process.platform !== "linux" && "needs names that are not UTF-8",
    }, () => {
      const cases: [string, string][] = [
        [`exec $TOOL update "${dir}/$NAME"`, `use "${dir}/caf\ufffd" as path`],
        ['OKSTRA_RUN="$NAME" exec $TOOL worker set --worker a', 'read "OKSTRA_RUN"'],
        ['SOURCE_DATE_EPOCH="$NAME" exec $TOOL greet Ada', 'read "SOURCE_DATE_EPOCH"'],
        [`mkdir "${dir}/$NAME"; cd "${dir}/$NAME"; exec $TOOL update count.json`, 'read "."'],
      ];
      for (const [script, what] of cases) {
        const { status, stderr } = runShell(runtime, `NAME=$(printf 'caf\\351'); ${script}`);
        assertEquals([status, stderr.split("\n")[0]], [
          2,
          `okstra-hello: error: Cannot ${what}: it is not UTF-8`,
        ]);
      }
      assertEquals(readdirSync(dir).length, 1);
    });

    it("ends quietly if the reader of its output is gone", () => {
      const long = "x".repeat(100_000);
      writeFileSync(join(dir, "long"), long);
      const { stdout, stderr } = runShell(
        runtime,
        `{ $TOOL read - <"${dir}/long"; echo "status $?" >&2; } | true`,
      );
      assertEquals([stdout, stderr], ["", "status 141\n"]);
    });

    it("fails with words if its output cannot be stored", () => {
      const { status, stderr } = runShell(runtime, "exec $TOOL greet Ada >/dev/full");
      assertEquals(status, 4);
      assertEquals(
        stderr,
        'okstra-hello: error: Cannot write "standard output": no space left on the device\n' +
          "okstra-hello: hint: Free some space there, and try again\n",
      );
    });

    it("writes more than a pipe holds to a slow reader", () => {
      writeFileSync(join(dir, "long"), "x".repeat(300_000));
      const { stdout } = runShell(runtime, `$TOOL read "${dir}/long" | { sleep 0.3; wc -c; }`);
      assertEquals(Number(stdout), 300_000 + '{\n  "text": ""\n}\n'.length);
    });

    it("takes the run from a pipe", () => {
      const object = '{"runManifestPath":"/run.json"}';
      for (
        const script of [
          `printf '%s' '${object}' | $TOOL worker set --worker a`,
          `{ printf '%s' '${object.slice(0, 9)}'; sleep 0.3; printf '%s' '${
            object.slice(9)
          }'; } | $TOOL worker set --worker a`,
          `printf '%s' '${object}' >"${dir}/o"; $TOOL worker set --worker a --run-manifest - <"${dir}/o"`,
        ]
      ) {
        const { status, stdout } = runShell(runtime, script);
        assertEquals([status, JSON.parse(stdout).run], [0, "/run.json"]);
      }
    });

    it("takes the run from a socket", () => {
      const { status, stdout } = runTool(runtime, ["worker", "set", "--worker", "a"], {
        input: '{"runManifestPath":"/run.json"}',
      });
      assertEquals([status, JSON.parse(stdout).run], [0, "/run.json"]);
    });

    it("refuses an empty pipe and leaves the terminal's place alone", () => {
      const { status, stderr } = runShell(runtime, ": | $TOOL worker set --worker a");
      assertEquals(status, 2);
      assertStringIncludes(stderr, "Cannot find the run on standard input: it is empty");
      assertStringIncludes(
        runShell(runtime, "exec $TOOL worker set --worker a </dev/null").stderr,
        "neither --run-manifest nor OKSTRA_RUN is given",
      );
    });

    it("prefers OKSTRA_RUN to a pipe that never ends", async () => {
      const { status, stdout } = await withOpenPipe(["worker", "set", "--worker", "a"], {
        OKSTRA_RUN: "/env.json",
      });
      assertEquals([status, JSON.parse(stdout).run], [0, "/env.json"]);
    });

    it("gives up on a pipe that never ends, and ends itself", async () => {
      const { status, stderr } = await withOpenPipe(["worker", "set", "--worker", "a"], {});
      assertEquals(status, 2);
      assertStringIncludes(stderr, "nothing complete arrived within 5 seconds");
    });

    it("leaves no file behind after a refusal (K-006)", () => {
      const file = join(dir, "count.json");
      writeFileSync(file, "no number\n");
      const listing = readdirSync(dir);
      assertEquals(runTool(runtime, ["update", file, "--lock-timeout", "soon"]).status, 2);
      assertEquals(readdirSync(dir), listing);
      assertEquals(runTool(runtime, ["update", file]).status, 70);
      assertEquals(readdirSync(dir), [...listing, "count.json.lock"]);
      assertEquals(readFileSync(file, "utf8"), "no number\n");
    });

    it("ends on SIGTERM as the system says", () => {
      const { stdout } = runShell(
        runtime,
        `$TOOL update "${dir}/c" --pause 60000 & sleep 1; kill $!; wait $!; echo $?`,
      );
      assertEquals(stdout, "143\n");
    });

    /** Runs the tool with standard input on a pipe that stays open. */
    function withOpenPipe(words: string[], env: Record<string, string>) {
      return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
        const tool = toolWords(runtime, words).map((word) => `'${word}'`).join(" ");
        const child = spawn("sh", ["-c", `sleep 30 | { ${tool}; echo $? >&3; } 3>&1`], {
          cwd: ROOT,
          env: { PATH: process.env.PATH ?? "", ...env },
          stdio: ["ignore", "pipe", "pipe"],
          detached: true,
        });
        let [stdout, stderr] = ["", ""];
        child.stderr.on("data", (data) => stderr += data);
        child.stdout.on("data", (data) => {
          stdout += data;
          const status = /^(\d+)\n$/m.exec(stdout);
          if (!status) return;
          process.kill(-child.pid!, "SIGKILL"); // the sleep, which still holds the pipe
          resolve({ status: Number(status[1]), stdout: stdout.slice(0, status.index), stderr });
        });
      });
    }
  });
}

describe("the two runtimes", () => {
  it("print the same help, completions and errors", () => {
    for (
      const words of [["--help"], ["greet", "--help"], ["completions", "zsh"], ["gret"], ["worker"]]
    ) {
      const [node, deno] = RUNTIMES.map((runtime) => runTool(runtime, words));
      assertEquals(node, deno);
      assert(node!.stdout !== "" || node!.stderr !== "");
    }
  });
});
