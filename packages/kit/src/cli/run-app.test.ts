import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { app } from "../../testdata/hello-app.ts";
import { OutputClosedError } from "../host/streams.ts";
import { SystemError } from "../host/system-error.ts";
import { command } from "./command.ts";
import { runApp } from "./run-app.ts";
import { testIo, type TestIoOptions } from "./test-io.ts";
import { VERSION } from "./version.ts";

async function run(words: string[], options: TestIoOptions = {}) {
  const io = testIo(options);
  const status = await runApp(app, words, io);
  return { status, stdout: io.stdout, stderr: io.stderr };
}

async function fails(words: string[], options: TestIoOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await run(words, options);
  assertEquals([status, stdout], [2, ""]);
  return stderr;
}

/** Runs a tool whose only command throws a value. */
async function throwing(error: unknown, ...words: string[]) {
  const io = testIo();
  const throws = command({
    summary: "Throw",
    example: "x throw",
    run: ({ json }) => {
      json({ never: "printed" });
      throw error;
    },
  });
  const status = await runApp({ name: "x", summary: "", commands: { throw: () => throws } }, [
    "throw",
    ...words,
  ], io);
  assertEquals(io.stdout, "");
  return { status, stderr: io.stderr };
}

describe("runApp()", () => {
  it("prints one JSON document and nothing else on success (K-001)", async () => {
    assertEquals(await run(["greet", "Ada", "Grace", "-l", "--no-end"]), {
      status: 0,
      stdout: '{\n  "text": "HELLO, ADA GRACE"\n}\n',
      stderr: "",
    });
  });

  it("returns the status of the body", async () => {
    assertEquals(await run(["worker", "show"]), { status: 1, stdout: "", stderr: "" });
  });

  it("lets a command answer to words that it does not take (K-004)", async () => {
    const seen: unknown[] = [];
    const strict = command({
      summary: "Take nothing",
      example: "x strict",
      refuse: ({ words, error, path }) => {
        seen.push(words, error.message, path("a"));
        return 64;
      },
      run: () => 0,
    });
    const io = testIo({ cwd: "/d" }),
      tool = { name: "x", summary: "", commands: { strict: () => strict } };
    assertEquals(await runApp(tool, ["strict", "--loud", "a"], io), 64);
    assertEquals(seen, [["--loud", "a"], 'Unknown option "--loud"', "/d/a"]);
    assertStringIncludes(io.stderr, 'x: error: Unknown option "--loud"\nx: hint: ');
    assertEquals([await runApp(tool, ["strict"], io), seen.length], [0, 3]);
  });

  it("prints the version of both manifests", async () => {
    assertEquals((await run(["--version"])).stdout, `okstra-hello ${VERSION}\n`);
    for (const name of ["package.json", "deno.json"]) {
      const text = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
      assertEquals(JSON.parse(text).version, VERSION);
    }
  });

  it("suggests the nearest command, option and choice", async () => {
    assertEquals(
      await fails(["gret", "Ada"]),
      'okstra-hello: error: Unknown command "gret"\n' +
        `okstra-hello: hint: Did you mean "greet"? Try 'okstra-hello --help'\n`,
    );
    assertStringIncludes(await fails(["wroker", "set"]), 'Did you mean "worker set"?');
    assertStringIncludes(
      await fails(["greet", "Ada", "--tiems", "2"]),
      `hint: Did you mean "--times"? Try 'okstra-hello greet --help'\n`,
    );
    assertStringIncludes(await fails(["greet", "Ada", "--tone", "polit"]), 'mean "polite"?');
    assertStringIncludes(await fails(["--versoin"]), 'mean "--version"?');
    assertStringIncludes(await fails(["completions", "bsh"]), 'mean "bash"?');
  });

  it("lists what exists if a command or sub-command is missing (K-004)", async () => {
    assertStringIncludes(await fails([]), "is missing: greet, worker, read,");
    assertEquals(
      await fails(["worker"]),
      'okstra-hello: error: A sub-command of "worker" is missing: set or show\n' +
        "okstra-hello: hint: Try 'okstra-hello worker --help'\n",
    );
    assertStringIncludes(await fails(["worker", "sett"]), 'Did you mean "worker set"?');
  });

  it("does not take names of the object prototype as commands", async () => {
    assertStringIncludes(await fails(["constructor"]), 'Unknown command "constructor"');
    assertStringIncludes(await fails(["toString", "x"]), 'Unknown command "toString"');
  });

  it("names a missing option or argument with the command's help (K-004)", async () => {
    assertEquals(
      await fails(["worker", "set"]),
      'okstra-hello: error: Option "--worker" is missing\n' +
        "okstra-hello: hint: Try 'okstra-hello worker set --help'\n",
    );
    assertStringIncludes(await fails(["greet"]), "error: Argument NAME is missing\n");
  });

  it("prints an error as one JSON object if that is wanted", async () => {
    assertEquals(JSON.parse(await fails(["greet", "--tiems", "2", "--errors", "json"])), {
      code: "usage",
      message: 'Unknown option "--tiems"',
      hint: `Did you mean "--times"? Try 'okstra-hello greet --help'`,
      issues: [],
    });
    assertEquals(JSON.parse(await fails(["nothing", "--errors=json"])).code, "usage");
  });

  it("does not take --errors after -- for itself", async () => {
    assertMatch(await fails(["wrap", "--", "--errors", "json"]), /^okstra-hello: error: /);
  });

  it("fixes the clock to SOURCE_DATE_EPOCH (K-008)", async () => {
    const env = { SOURCE_DATE_EPOCH: "86400" };
    assertEquals(JSON.parse((await run(["time"], { env })).stdout), {
      at: "1970-01-02T00:00:00.000Z",
    });
    assertEquals(JSON.parse((await run(["time"], { now: "2026-02-03T04:05:06Z" })).stdout), {
      at: "2026-02-03T04:05:06.000Z",
    });
  });

  it("refuses a SOURCE_DATE_EPOCH that is no time, before the command runs", async () => {
    for (const text of ["tomorrow", "-1", "1.5", "253402300800"]) {
      assertStringIncludes(
        await fails(["greet", "Ada"], { env: { SOURCE_DATE_EPOCH: text } }),
        `error: Cannot read SOURCE_DATE_EPOCH as a time: got "${text}"\n`,
      );
    }
  });

  it("reads an input from a file or from standard input (K-007)", async () => {
    assertEquals(JSON.parse((await run(["read", "-"], { stdin: "ä" })).stdout), { text: "ä" });
    assertEquals(
      await fails(["read", "none.txt"], { cwd: "/nowhere" }),
      'okstra-hello: error: Cannot read "/nowhere/none.txt": no such file or directory\n' +
        "okstra-hello: hint: Name a file that can be read, or - for standard input\n",
    );
    assertEquals(
      await fails(["read", ""]),
      'okstra-hello: error: Cannot use "" as path: it is empty\n' +
        "okstra-hello: hint: Try 'okstra-hello read --help'\n",
    );
  });

  it("refuses a path that is not UTF-8, which would be that of another file (K-004)", async () => {
    assertEquals(
      await fails(["read", "caf\ufffd.txt"]),
      'okstra-hello: error: Cannot use "caf\ufffd.txt" as path: it is not UTF-8\n' +
        "okstra-hello: hint: Give it a name in UTF-8\n",
    );
  });

  it("takes - for a path only where a command can read or write a stream (K-007)", async () => {
    const place = command({
      summary: "Place",
      args: [{ name: "FILE" }],
      example: "x place FILE",
      run: ({ args, path, json }) => json(path(args[0]!)),
    });
    const tool = { name: "x", summary: "", commands: { place: () => place } };
    const io = testIo({ cwd: "/a" });
    assertEquals(await runApp(tool, ["place", "-"], io), 2);
    assertEquals(
      io.stderr,
      "x: error: Cannot use a standard stream here: the path has to name a file\n" +
        "x: hint: Name the file, or write ./- for one of that name\n",
    );
    assertEquals([await runApp(tool, ["place", "./-"], io), io.stdout], [0, '"/a/-"\n']);
  });

  it("ends quietly if the reader of standard output is gone", async () => {
    const io = testIo();
    io.out = () => {
      throw new OutputClosedError("");
    };
    assertEquals(await runApp(app, ["greet", "Ada"], io), 141);
    assertEquals(io.stderr, "");
  });

  it("prints errors with an exit status as they are, with hint and issues (K-002)", async () => {
    const error = Object.assign(new Error('Cannot read "a.json" as team state: 2 problems'), {
      exitCode: 2,
      code: "wrong-shape",
      hint: "Correct the file",
      issues: [
        { file: "a.json", pointer: "/workers/0", message: "expected an object" },
        { file: "a.json", line: 4, column: 2, message: 'expected ","' },
        { message: "nowhere" },
      ],
    });
    assertEquals(await throwing(error), {
      status: 2,
      stderr: 'x: error: Cannot read "a.json" as team state: 2 problems\n' +
        "  a.json /workers/0: expected an object\n" +
        '  a.json:4:2: expected ","\n' +
        "  nowhere\n" +
        "x: hint: Correct the file\n",
    });
    const { stderr } = await throwing(error, "--errors", "json");
    assertEquals(JSON.parse(stderr), {
      code: "wrong-shape",
      message: error.message,
      hint: "Correct the file",
      issues: error.issues,
    });
  });

  const statuses: [string, Error, number][] = [
    ["a conflict", Object.assign(new Error("m"), { exitCode: 3, code: "revision-stale" }), 3],
    ["an error of the system", Object.assign(new Error("m"), { code: "ENOSPC" }), 4],
    ["an error of Node itself", Object.assign(new Error("m"), { code: "ERR_INVALID_ARG" }), 70],
    ["a defect", new TypeError("m"), 70],
  ];
  for (const [what, error, status] of statuses) {
    it(`ends with ${status} on ${what}`, async () => {
      assertEquals((await throwing(error)).status, status);
    });
  }

  it("puts an error of the system into words (K-003)", async () => {
    const error = Object.assign(new Error("EACCES: raw words"), {
      code: "EACCES",
      syscall: "open",
      path: "/x",
    });
    assertEquals((await throwing(error)).stderr, 'x: error: Cannot open "/x": permission denied\n');
  });

  it("ends with 2 for a path that names nothing anywhere (K-004)", async () => {
    for (const code of ["ELOOP", "ENAMETOOLONG"]) {
      const { status, stderr } = await throwing(new SystemError(code, "inspect", "/x"));
      assertEquals(status, 2);
      assertMatch(stderr, /^x: error: Cannot inspect "\/x": .+\nx: hint: /);
    }
  });

  it("shows the stack of a defect only (K-005)", async () => {
    assertMatch((await throwing(new TypeError("boom"))).stderr, /defect of x: boom\n(.*\n)+.*at /);
    const known = Object.assign(new Error("m"), { exitCode: 2 });
    assertEquals((await throwing(known)).stderr, "x: error: m\n");
  });

  it("survives anything that is thrown", async () => {
    for (const value of [undefined, null, "text", 5]) {
      assertEquals((await throwing(value)).status, 70);
    }
  });

  it("shows no control characters of foreign text", async () => {
    const error = Object.assign(new Error("a\x1b[31mb\nokstra: forged"), { exitCode: 2 });
    assertEquals((await throwing(error)).stderr, "x: error: ab okstra: forged\n");
  });
});
