import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { type ChildEnd, concludeRun, type MissingPath } from "./conclusion.ts";

const limits = { idleMs: 600_000, firstOutputMs: null, totalMs: 7_200_000 };
const end = (changes: Partial<ChildEnd>): ChildEnd => ({
  exitCode: null,
  signal: null,
  cause: null,
  startFailure: null,
  ...changes,
});
const lost: readonly MissingPath[] = [{ path: "/p/r.md", state: "empty" }];

describe("concludeRun()", () => {
  const rows: readonly (readonly [
    string,
    ChildEnd,
    readonly MissingPath[],
    number,
    string | null,
  ])[] = [
    ["status 0 with every result", end({ exitCode: 0 }), [], 0, null],
    ["status 0 without a result (P-10)", end({ exitCode: 0 }), lost, 65, "no-result"],
    ["its own status", end({ exitCode: 3 }), [], 3, "crash"],
    ["its own status, results missing too", end({ exitCode: 3 }), lost, 3, "crash"],
    ["a status that the provider explains", end({ exitCode: 41 }), [], 41, "auth"],
    ["a signal from outside", end({ signal: "SIGKILL" }), [], 137, "crash"],
    [
      "our idle limit, although it ended with 0",
      end({ exitCode: 0, cause: { kind: "timeout", timeout: "idle" } }),
      [],
      124,
      "timeout",
    ],
    [
      "our signal, although it ended with 0",
      end({ exitCode: 0, cause: { kind: "interrupted", signal: "SIGTERM" } }),
      [],
      143,
      "interrupted",
    ],
    [
      "Ctrl-C that it did not survive",
      end({ signal: "SIGKILL", cause: { kind: "interrupted", signal: "SIGINT" } }),
      [],
      130,
      "interrupted",
    ],
    ["a program that is not there", end({ startFailure: "ENOENT" }), lost, 127, "environment"],
    ["a program that may not run", end({ startFailure: "EACCES" }), lost, 126, "environment"],
    ["a command line that is too long", end({ startFailure: "E2BIG" }), lost, 126, "environment"],
  ];
  for (const [name, given, missing, exitStatus, failureClass] of rows) {
    it(`gives ${exitStatus} and class ${failureClass} for ${name}`, () => {
      const conclusion = concludeRun(given, missing, limits, { 41: "auth" });
      assertEquals([conclusion.exitStatus, conclusion.failureClass], [
        exitStatus,
        failureClass as null,
      ]);
      assertEquals(conclusion.reason === null, failureClass === null);
    });
  }

  it("keeps the child's own status beside the cause (W-012)", () => {
    const stopped = end({ exitCode: 0, cause: { kind: "timeout", timeout: "total" } });
    const { exitCode, timeout, reason } = concludeRun(stopped, [], limits, {});
    assertEquals([exitCode, timeout, reason], [0, "total", "not done within 7200 s"]);
    assertEquals(concludeRun(end({ startFailure: "ENOENT" }), [], limits, {}).exitCode, 127);
    assertEquals(concludeRun(end({ signal: "SIGSEGV" }), [], limits, {}).exitCode, null);
  });

  it("names every missing result and its state (W-014)", () => {
    const reason = concludeRun(
      end({ exitCode: 0 }),
      [
        ...lost,
        { path: "/q", state: "outside" },
      ],
      limits,
      {},
    ).reason;
    assertStringIncludes(reason!, "/p/r.md (empty), /q (outside)");
  });
});
