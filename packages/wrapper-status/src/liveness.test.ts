import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { judge, type LivenessFacts, type ProcessFact } from "./liveness.ts";
import { sampleSidecar } from "./test-sidecar.ts";

const here = { sameHost: true, bootId: "boot-1" };
const gone: ProcessFact = { startTime: null, state: null };
const unreadable: ProcessFact = { startTime: undefined, state: null };
const reused: ProcessFact = { startTime: "9999", state: "S" };
const forbidden: ProcessFact = { startTime: undefined, state: null, isForbidden: true };
const wrapper: ProcessFact = { startTime: "1000", state: "S" };
const child: ProcessFact = { startTime: "1001", state: "R" };
const zombie = (fact: ProcessFact): ProcessFact => ({ ...fact, state: "Z" });
const facts = (of: { wrapper: ProcessFact | null; child?: ProcessFact | null }): LivenessFacts => ({
  ...here,
  child: null,
  ...of,
});

const rows: readonly (readonly [
  name: string,
  sidecar: StatusSidecar | null,
  facts: LivenessFacts,
  state: string,
  rule: string,
])[] = [
  ["no sidecar", null, facts({ wrapper, child }), "unknown", "no-sidecar"],
  [
    "a terminal sidecar, whatever its processes are now (P-5)",
    sampleSidecar({ stage: "exited", isTerminal: true, exitCode: 0 }),
    facts({ wrapper, child }),
    "exited",
    "terminal-sidecar",
  ],
  ["both processes there", sampleSidecar(), facts({ wrapper, child }), "alive", "process-identity"],
  [
    "a wrapper that was killed and left its child (P-4)",
    sampleSidecar(),
    facts({ wrapper: gone, child }),
    "alive",
    "process-identity",
  ],
  [
    "a wrapper that still writes the end of its child (P-4)",
    sampleSidecar(),
    facts({ wrapper, child: gone }),
    "alive",
    "process-identity",
  ],
  [
    "two numbers that nobody has, with a fresh heartbeat (P-5)",
    sampleSidecar(),
    facts({ wrapper: gone, child: gone }),
    "dead",
    "process-identity",
  ],
  [
    "two numbers that others have now (P-7)",
    sampleSidecar(),
    facts({ wrapper: reused, child: reused }),
    "dead",
    "process-identity",
  ],
  [
    "a zombie (P-7)",
    sampleSidecar(),
    facts({ wrapper: zombie(wrapper), child: zombie(child) }),
    "exited",
    "process-identity",
  ],
  [
    "a process that may not be signalled (P-7)",
    sampleSidecar(),
    facts({ wrapper: gone, child: forbidden }),
    "alive",
    "process-identity",
  ],
  [
    "a start time that cannot be read (P-7)",
    sampleSidecar(),
    facts({ wrapper: gone, child: unreadable }),
    "unknown",
    "heartbeat",
  ],
  [
    "a start time that could not be read then",
    sampleSidecar({ wrapper: { pid: 100, startTime: null }, child: null }),
    facts({ wrapper }),
    "unknown",
    "heartbeat",
  ],
  [
    "a child that was never started",
    sampleSidecar({ stage: "starting", child: null }),
    facts({ wrapper: gone }),
    "dead",
    "process-identity",
  ],
  [
    "another boot, although the number is there (P-7)",
    sampleSidecar({ bootId: "boot-0" }),
    facts({ wrapper, child }),
    "dead",
    "other-boot",
  ],
  [
    "another host",
    sampleSidecar({ host: "build-8" }),
    { ...facts({ wrapper: gone, child: gone }), sameHost: false },
    "unknown",
    "other-host",
  ],
  [
    "a boot id that nobody knows",
    sampleSidecar({ bootId: null }),
    facts({ wrapper, child }),
    "alive",
    "process-identity",
  ],
];

describe("judge()", () => {
  for (const [name, sidecar, given, state, rule] of rows) {
    it(`says ${state} for ${name}`, () => {
      const verdict = judge(sidecar, given, 3);
      assertEquals([verdict.state, verdict.rule], [state, rule]);
      assertEquals(verdict.evidence.length > 0, true);
    });
  }

  it("is not moved by the heartbeat's age (P-4, P-5, P-6)", () => {
    for (const [, sidecar, given] of rows) {
      const { state, rule } = judge(sidecar, given, 0);
      const old = judge(sidecar, given, 1_000_000), none = judge(sidecar, given, null);
      assertEquals([old.state, old.rule], [state, rule]);
      assertEquals([none.state, none.rule], [state, rule]);
    }
  });

  it("tells the end that the wrapper recorded", () => {
    const sidecar = sampleSidecar({
      isTerminal: true,
      signal: "SIGKILL",
      reason: "no progress for 600 s",
      endedAt: "2026-01-31T09:20:00Z",
    });
    assertStringIncludes(
      judge(sidecar, facts({ wrapper: gone }), null).evidence[0]!,
      "2026-01-31T09:20:00Z with signal SIGKILL: no progress for 600 s",
    );
  });
});
