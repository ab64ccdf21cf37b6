import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { MissingPath } from "@okstra/manifest-io/worker-artifacts";
import { type ChildEnd, type ConclusionFacts } from "./conclusion.ts";
import { concludeRun as conclude } from "./conclusion.ts";
import { NO_FINDINGS, type Trouble } from "./events/findings.ts";

const limits = { idleMs: 600_000, firstOutputMs: null, totalMs: 7_200_000 };
const end = (changes: Partial<ChildEnd>): ChildEnd => ({
  exitCode: null,
  signal: null,
  signalNumber: null,
  cause: null,
  startFailure: null,
  ...changes,
});
/** Calls the function under test; nothing is missing and nothing was told unless `changes` say so. */
const concludeRun = (given: ChildEnd, changes: Partial<ConclusionFacts> = {}) =>
  conclude(given, {
    program: "agent",
    missing: [],
    limits,
    exitCodes: {},
    findings: NO_FINDINGS,
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
    ["a signal from outside", end({ signal: "SIGKILL", signalNumber: 9 }), [], 137, "crash"],
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
      end({ signal: "SIGKILL", signalNumber: 9, cause: { kind: "interrupted", signal: "SIGINT" } }),
      [],
      130,
      "interrupted",
    ],
    ["a program that is not there", end({ startFailure: "ENOENT" }), lost, 127, "environment"],
    ["a program that may not run", end({ startFailure: "EACCES" }), lost, 126, "environment"],
    ["a command line that is too long", end({ startFailure: "E2BIG" }), lost, 126, "environment"],
    ["a shell that finds no program", end({ exitCode: 127 }), lost, 127, "environment"],
    ["a shell that cannot execute one", end({ exitCode: 126 }), [], 126, "environment"],
  ];
  for (const [name, given, missing, exitStatus, failureClass] of rows) {
    it(`gives ${exitStatus} and class ${failureClass} for ${name}`, () => {
      const conclusion = concludeRun(given, { missing, exitCodes: { 41: "auth" } });
      assertEquals([conclusion.exitStatus, conclusion.failureClass], [
        exitStatus,
        failureClass as null,
      ]);
      assertEquals(conclusion.reason === null, failureClass === null);
    });
  }

  it("keeps the child's own status beside the cause (W-012)", () => {
    const stopped = end({ exitCode: 0, cause: { kind: "timeout", timeout: "total" } });
    const { exitCode, timeout, reason } = concludeRun(stopped);
    assertEquals([exitCode, timeout, reason], [0, "total", "not done within 7200 s"]);
    assertEquals(concludeRun(end({ startFailure: "ENOENT" })).exitCode, 127);
    assertEquals(concludeRun(end({ signal: "SIGSEGV" })).exitCode, null);
  });

  it("names the program that did not start, and says what helps (P-14)", () => {
    const reasons: readonly (readonly [Partial<ChildEnd>, string, string])[] = [
      [
        { startFailure: "ENOENT" },
        "agent",
        'program "agent" is in no directory of PATH, or the interpreter that its first line names is not there: install it, or name it by its path (ENOENT)',
      ],
      [
        { startFailure: "ENOENT" },
        "/opt/agent",
        'program "/opt/agent" is not there, or the interpreter that its first line names is not: install it (ENOENT)',
      ],
      [
        { startFailure: "EACCES" },
        "/opt/$&",
        'program "/opt/$&" may not be executed: name a file, and make it a program with chmod +x (EACCES)',
      ],
      [{ startFailure: "EIO" }, "agent", 'program "agent" cannot be executed (EIO)'],
      [
        { exitCode: 127 },
        "/bin/sh",
        'the child ended with status 127: "/bin/sh" did not find a program that it needs; its output says which',
      ],
      [
        { exitCode: 126 },
        "sh",
        'the child ended with status 126: "sh" could not execute a program that it needs; its output says which',
      ],
    ];
    for (const [given, program, reason] of reasons) {
      assertEquals(concludeRun(end(given), { program }).reason, reason);
    }
  });

  it("says what an exit status means with its provider, unless the events tell it", () => {
    for (const exitCode of [41, 127]) {
      const { reason, failureClass } = concludeRun(end({ exitCode }), {
        exitCodes: { [exitCode]: "auth" },
      });
      assertEquals([reason, failureClass], [
        `the child ended with status ${exitCode}, by which its provider means auth`,
        "auth",
      ]);
    }
    const told = concludeRun(end({ exitCode: 41 }), {
      exitCodes: { 41: "auth" },
      findings: { ...NO_FINDINGS, trouble },
    });
    assertEquals([told.reason?.includes("means auth"), told.failureClass], [false, "quota"]);
  });

  it("names every missing result and its state (W-014)", () => {
    const reason = concludeRun(
      end({ exitCode: 0 }),
      { missing: [...lost, { path: "/q", state: "outside" }] },
    ).reason;
    assertStringIncludes(reason!, "/p/r.md (empty), /q (outside)");
  });

  const trouble: Trouble = {
    failureClass: "quota",
    message: "no money",
    isTerminal: true,
    retryAfterMs: null,
    retryAt: null,
  };
  const told = { ...NO_FINDINGS, trouble };
  const retried = { ...NO_FINDINGS, trouble: { ...trouble, isTerminal: false } };
  const denied = { ...NO_FINDINGS, denial: "not allowed to use Bash" };
  const events: readonly (readonly [
    string,
    ChildEnd,
    Partial<ConclusionFacts>,
    number,
    string | null,
    string,
  ])[] = [
    [
      "its status, its events saying why",
      end({ exitCode: 1 }),
      { findings: told },
      1,
      "quota",
      "no money",
    ],
    [
      "a status that its events explain better",
      end({ exitCode: 41 }),
      {
        findings: told,
        exitCodes: { 41: "rate-limited" },
      },
      41,
      "quota",
      "it gave up",
    ],
    [
      "its status in the middle of a retry",
      end({ exitCode: 1 }),
      { findings: retried },
      1,
      "quota",
      "try again",
    ],
    [
      "0 after a failure that it told, the results there (P-10)",
      end({ exitCode: 0 }),
      { findings: told },
      1,
      "quota",
      "after a failure",
    ],
    [
      "0 after a failure that it told, without result",
      end({ exitCode: 0 }),
      { findings: told, missing: lost },
      65,
      "quota",
      "no money",
    ],
    [
      "0 with every result in the middle of a retry",
      end({ exitCode: 0 }),
      { findings: retried },
      0,
      null,
      "",
    ],
    [
      "0 without result after a tool was refused",
      end({ exitCode: 0 }),
      { findings: denied, missing: lost },
      65,
      "permission",
      "use Bash",
    ],
    [
      "0 with every result after a tool was refused",
      end({ exitCode: 0 }),
      { findings: denied },
      0,
      null,
      "",
    ],
    [
      "a status after a tool was refused",
      end({ exitCode: 1 }),
      { findings: denied },
      1,
      "crash",
      "status 1",
    ],
    [
      "a signal, whatever it told",
      end({ signal: "SIGKILL", signalNumber: 9 }),
      { findings: told },
      137,
      "crash",
      "no money",
    ],
    [
      "our limit, whatever it told",
      end({ cause: { kind: "timeout", timeout: "idle" } }),
      { findings: retried },
      124,
      "timeout",
      "no money",
    ],
  ];
  for (const [name, given, changes, exitStatus, failureClass, words] of events) {
    it(`gives ${exitStatus} and class ${failureClass} for ${name}`, () => {
      const conclusion = concludeRun(given, changes);
      assertEquals([conclusion.exitStatus, conclusion.failureClass], [
        exitStatus,
        failureClass as null,
      ]);
      assertStringIncludes(conclusion.reason ?? "", words);
    });
  }
});
