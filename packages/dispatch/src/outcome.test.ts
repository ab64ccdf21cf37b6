import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { judgeOutcome, type TerminalFacts } from "./outcome.ts";

const facts = (change: Partial<TerminalFacts> = {}): TerminalFacts => ({
  stage: "exited",
  exitCode: 0,
  signal: null,
  timeout: null,
  reason: "",
  failureClass: null,
  ...change,
});

describe("judgeOutcome()", () => {
  const table: [string, Partial<TerminalFacts>, string[], string, string, string | null][] = [
    ["exit 0, all files", {}, [], "completed", "exit-0-and-artifacts", null],
    ["exit 0, a file missing", {}, ["/r"], "error", "missing-artifacts", "no-result"],
    [
      "a no-result whose file is there by now",
      { failureClass: "no-result" },
      [],
      "completed",
      "exit-0-and-artifacts",
      null,
    ],
    [
      "exit 0 with a reported fault",
      { failureClass: "rate-limited" },
      ["/r"],
      "error",
      "failure-class",
      "rate-limited",
    ],
    [
      "exit 0 with a reported fault and all files",
      { failureClass: "interrupted" },
      [],
      "error",
      "failure-class",
      "interrupted",
    ],
    ["a non-zero exit", { exitCode: 3, failureClass: "task" }, [], "error", "exit-code", "task"],
    [
      "a signal",
      { exitCode: null, signal: "SIGKILL", failureClass: "crash" },
      [],
      "error",
      "exit-code",
      "crash",
    ],
    [
      "a refusal without an exit code",
      { exitCode: null, stage: "refused" },
      [],
      "error",
      "exit-code",
      null,
    ],
    [
      "a timeout before anything else",
      { exitCode: 0, timeout: "idle" },
      [],
      "timeout",
      "timeout-flag",
      "timeout",
    ],
    [
      "a timeout without an exit code and with missing files",
      { exitCode: null, timeout: "total" },
      ["/r"],
      "timeout",
      "timeout-flag",
      "timeout",
    ],
  ];
  for (const [name, change, missing, status, rule, failureClass] of table) {
    it(`judgeOutcome() says ${status} for ${name} (D-045, D-051, W-012, P-10)`, () => {
      const outcome = judgeOutcome(facts(change), missing);
      assertEquals(
        [outcome.status, outcome.rule, outcome.failureClass],
        [status, rule, failureClass],
      );
      assertEquals(outcome.reason === "", status === "completed");
      assertEquals(outcome.missingCompletionPaths, missing);
    });
  }

  it("judgeOutcome() names exit code and the wrapper's words in the reason (D-045)", () => {
    assertEquals(
      judgeOutcome(facts({ exitCode: 7, reason: "  no credits " }), []).reason,
      "exit code 7: no credits",
    );
    assertEquals(
      judgeOutcome(facts({ exitCode: 3, reason: "the child ended with status 3" }), []).reason,
      "the child ended with status 3",
    );
    assertEquals(
      judgeOutcome(facts({ exitCode: null, stage: "refused" }), []).reason,
      "no exit code (stage refused)",
    );
  });

  it("judgeOutcome() lists every missing path (D-045)", () => {
    const { reason } = judgeOutcome(facts(), ["/a", "/b"]);
    assertStringIncludes(reason, "/a, /b");
  });
});
