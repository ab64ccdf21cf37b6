import { describe, it } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { readInput, resolveRunPath } from "./run-path.ts";
import { resolvePath } from "./resolve-path.ts";
import { testIo, type TestIoOptions } from "./test-io.ts";
import { UsageError } from "./usage-error.ts";

function callOf(option: string | undefined, stdin: boolean, options: TestIoOptions) {
  const io = testIo({ cwd: "/project", ...options });
  return {
    io,
    stdin,
    values: { "run-manifest": option },
    path: (path: string) => resolvePath("/project", path),
  };
}

function resolve(option: string | undefined, options: TestIoOptions, stdin = false) {
  return resolveRunPath(callOf(option, stdin, options));
}

async function refusal(option: string | undefined, options: TestIoOptions, stdin = false) {
  const error = await assertRejects(() => resolve(option, options, stdin), UsageError);
  assertEquals(error.hint?.includes("--run-manifest PATH"), true);
  return error.message;
}

const OBJECT = '{"runManifestPath": "/from/stdin.json", "other": 1}\n';
const ENV = { OKSTRA_RUN: "from/env.json" };

describe("resolveRunPath()", () => {
  it("prefers the option, then OKSTRA_RUN, then standard input", async () => {
    assertEquals(await resolve("a/b.json", { env: ENV, stdin: OBJECT }), "/project/a/b.json");
    assertEquals(await resolve(undefined, { env: ENV, stdin: OBJECT }), "/project/from/env.json");
    assertEquals(await resolve(undefined, { stdin: OBJECT }), "/from/stdin.json");
  });

  it("reads standard input on - although OKSTRA_RUN is set", async () => {
    assertEquals(await resolve("-", { env: ENV, stdin: OBJECT }), "/from/stdin.json");
    assertEquals(await resolve("-", { stdin: OBJECT, stdinKind: "file" }), "/from/stdin.json");
  });

  it("leaves standard input alone if it is no pipe or the command's own", async () => {
    const message = "Cannot find the run: neither --run-manifest nor OKSTRA_RUN is given";
    for (const stdinKind of ["terminal", "file", "other"] as const) {
      assertEquals(await refusal(undefined, { stdin: OBJECT, stdinKind }), message);
    }
    assertEquals(await refusal(undefined, { stdin: OBJECT }, true), message);
    assertEquals(
      await refusal("-", { stdin: OBJECT }, true),
      "Cannot read the run from standard input: this command reads its own input there",
    );
  });

  it("takes an empty OKSTRA_RUN for none and says so", async () => {
    assertEquals(
      await refusal(undefined, { env: { OKSTRA_RUN: "" } }),
      "Cannot find the run: OKSTRA_RUN is empty and --run-manifest is not given",
    );
  });

  const inputs: [string, string][] = [
    ["", "it is empty"],
    ["  \n", "it is empty"],
    ["{", "it is not one JSON document"],
    ["[]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
    ["{}", "the object has no runManifestPath"],
    ['{"runManifestPath": 1}', "the object has no runManifestPath"],
    ['{"runManifestPath": ""}', "the object has no runManifestPath"],
  ];
  for (const [stdin, state] of inputs) {
    it(`refuses ${JSON.stringify(stdin)} on standard input: ${state}`, async () => {
      assertEquals(
        await refusal(undefined, { stdin }),
        `Cannot find the run on standard input: ${state}`,
      );
    });
  }

  it("refuses a pipe on which nothing complete arrives", async () => {
    const call = callOf(undefined, false, { stdin: OBJECT });
    call.io.readStdinWithin = () => Promise.resolve(null);
    const error = await assertRejects(() => resolveRunPath(call), UsageError);
    assertEquals(
      error.message,
      "Cannot find the run on standard input: nothing complete arrived within 5 seconds",
    );
  });

  it("refuses an empty option", async () => {
    assertEquals(await refusal("", { env: ENV }), 'Option "--run-manifest" is empty');
  });
});

describe("readInput()", () => {
  it("refuses to read standard input a second time", async () => {
    const call = callOf("-", false, { stdin: OBJECT });
    await resolveRunPath(call);
    const error = assertThrows(() => readInput(call, "-"), UsageError);
    assertEquals(error.message, "Cannot read standard input twice");
    assertStringIncludes(error.hint ?? "", "a run that neither --run-manifest nor OKSTRA_RUN");
  });
});
