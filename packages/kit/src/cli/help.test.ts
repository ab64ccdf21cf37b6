import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { app } from "../../testdata/hello-app.ts";
import { runApp } from "./run-app.ts";
import { testIo } from "./test-io.ts";

async function help(...words: string[]): Promise<string> {
  const io = testIo();
  assertEquals([await runApp(app, words, io), io.stderr], [0, ""]);
  return io.stdout;
}

describe("--help", () => {
  it("shows usage, every command, the common options and the environment of a tool", async () => {
    const text = await help("--help");
    assertMatch(text, /^Usage: okstra-hello COMMAND \[OPTION\]\.\.\.\n\nGreets people/);
    for (const name of Object.keys(app.commands)) {
      assertMatch(text, new RegExp(`^  ${name}\\b.*\\S`, "m"));
    }
    for (
      const word of ["completions bash|zsh|fish", "--version", "SOURCE_DATE_EPOCH", "OKSTRA_RUN"]
    ) {
      assertStringIncludes(text, word);
    }
    assertEquals(await help("-h"), text);
  });

  it("shows usage, options with defaults, an example, exit statuses and files of a command", async () => {
    const text = await help("greet", "--help");
    assertMatch(
      text,
      /^Usage: okstra-hello greet \[OPTION\]\.\.\. NAME \[MORE\.\.\.\]\n\nGreet people\n/,
    );
    assertMatch(text, /^ {2}-n, --times N +How often \(default: 1\)$/m);
    assertMatch(text, /^ {2}--tone polite\|plain +How to greet \(default: plain\)$/m);
    assertMatch(text, /^ {2}--title TITLE +.*\(may be repeated\)$/m);
    assertMatch(text, /^ {2}-e, --\[no-\]end +.*\(default: on\)$/m);
    assertMatch(text, /^Example:\n {2}okstra-hello greet Ada Grace --tone polite$/m);
    for (const status of [0, 2, 4, 70]) assertMatch(text, new RegExp(`^  ${status} +\\S`, "m"));
    assertMatch(text, /^Reads:\n {2}nothing\n\nWrites:\n {2}nothing\n$/m);
  });

  it("shows a command's own exit statuses in order, and its files", async () => {
    assertMatch(
      await help("worker", "show", "--help"),
      /^ {2}0 .*\n {2}1 +there is no worker\n {2}2 /m,
    );
    assertMatch(
      await help("update", "--help"),
      /^Reads:\n {2}FILE\n\nWrites:\n {2}FILE, FILE\.lock\n$/m,
    );
    assertMatch(
      await help("worker", "set", "--help"),
      /--worker TEXT +Id of the worker \(required\)$/m,
    );
    assertMatch(
      await help("wrap", "-h"),
      /^Usage: okstra-hello wrap \[OPTION\]\.\.\. FILE -- WORD\.\.\./,
    );
  });

  it("tells the status of a lock that is held only where something is written", async () => {
    assertMatch(await help("update", "--help"), /^ {2}3 +the lock is held/m);
    assert(!(await help("greet", "--help")).includes("the lock is held"));
  });

  it("lists the sub-commands of a first word", async () => {
    const text = await help("worker", "--help");
    assertMatch(text, /^ {2}worker set +Set a worker's status$/m);
    assertMatch(text, /^ {2}worker show +Show a worker$/m);
    assert(!text.includes("greet"));
  });

  it("fits into 100 columns", async () => {
    for (const words of [[], ...Object.keys(app.commands).map((name) => name.split(" "))]) {
      for (const line of (await help(...words, "--help")).split("\n")) {
        assert(line.length <= 100, line);
      }
    }
  });
});
