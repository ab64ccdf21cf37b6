import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { LedgerRow, ResultLink, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { type AttemptFacts, findInitialResults } from "./initial-results.ts";

const hosted = (id: string, fields: Partial<LedgerRow> = {}): LedgerRow => ({
  dispatchId: `${id}:attempt-1`,
  invocationId: id,
  invocationRef: id,
  attempt: 1,
  dispatchKind: "initial",
  assignmentRef: "initial/alpha",
  ...fields,
});
const link = (id: string, fields: Partial<ResultLink> = {}): ResultLink => ({
  dispatchId: `${id}:attempt-1`,
  resultPath: `${id}.md`,
  ...fields,
});
const ended = (id: string): AttemptFacts => ({
  invocationRef: id,
  attempt: 1,
  finishedAt: "2026-01-01T00:00:00Z",
});

const find = (team: Partial<TeamState>, attempts: readonly AttemptFacts[] = []) =>
  findInitialResults({ team: { workers: [], ...team }, attempts: () => attempts }, ["alpha"]);
const refusal = (team: Partial<TeamState>, attempts: readonly AttemptFacts[] = []) =>
  assertThrows(() => find(team, attempts), OkstraError);

describe("findInitialResults() of dispatches of the host", () => {
  it("takes the linked result of the last attempt (E-42)", () => {
    const team = {
      agentDispatches: [hosted("i"), hosted("i", { dispatchId: "i:attempt-2", attempt: 2 })],
      agentResultLinks: [link("i"), link("i", { dispatchId: "i:attempt-2", resultPath: "2.md" })],
    };
    assertEquals([...find(team)], [["alpha", "2.md"]]);
  });

  it("takes no rejected result, and the successor's instead (E-46, E-47)", () => {
    const rejected = link("i", { supersededBy: "j:attempt-1", rejectionReason: "wrong file" });
    const agentDispatches = [hosted("i")];
    assertEquals(find({ agentDispatches, agentResultLinks: [rejected] }, [ended("i")]).size, 0);
    const team = {
      agentDispatches: [hosted("i"), hosted("j")],
      agentResultLinks: [rejected, link("j")],
    };
    assertEquals([...find(team)], [["alpha", "j.md"]]);
  });

  it("refuses one that has neither a result nor an end, and takes an end without result for none (E-43, E-44, E-45)", () => {
    const agentDispatches = [hosted("i")];
    const open = { ...ended("i"), finishedAt: null };
    for (const attempts of [[], [open], [{ ...ended("i"), attempt: 2 }]]) {
      const error = refusal({ agentDispatches }, attempts);
      assertEquals(error.code, "still-running");
      assertEquals(error.message.includes("alpha (i:attempt-1) is still running"), true);
    }
    assertEquals(find({ agentDispatches }, [ended("i")]).size, 0);
  });

  it("ignores other kinds, other workers, and what a command line's row tells already", () => {
    const row = { workerId: "alpha", kind: "initial", status: "completed", resultPath: "c.md" };
    const team = {
      workerDispatches: [{ ...row, invocationId: "i", dispatchId: "i:attempt-1" }],
      agentDispatches: [
        hosted("i"),
        hosted("j", { dispatchKind: "reverify-r1" }),
        hosted("k", { assignmentRef: "initial/beta" }),
        hosted("l", { dispatchKind: undefined as never }),
      ],
    };
    assertEquals([...find(team)], [["alpha", "c.md"]]);
  });

  it("does not choose between a result of a command line and one of the host (E-62)", () => {
    const row = { workerId: "alpha", kind: "initial", invocationId: "c", resultPath: "c.md" };
    const native = { agentDispatches: [hosted("i")], agentResultLinks: [link("i")] };
    const failed = { workerDispatches: [{ ...row, status: "error" }], ...native };
    assertEquals([...find(failed)], [["alpha", "i.md"]]);
    const both = { workerDispatches: [{ ...row, status: "completed" }], ...native };
    assertEquals(refusal(both).code, "two-results");
    const same = {
      ...both,
      agentResultLinks: [link("i", { resultPath: "c.md" })],
    };
    assertEquals([...find(same)], [["alpha", "c.md"]]);
  });

  it("names what it looks for, and a way out that there is (E-62)", () => {
    const dispatch = { workerId: "alpha", kind: "critique", invocationId: "c", resultPath: "c.md" };
    const team = {
      workers: [],
      workerDispatches: [{ ...dispatch, status: "completed" }],
      agentDispatches: [hosted("i", { dispatchKind: "critique" })],
      agentResultLinks: [link("i")],
    };
    const { message, hint } = assertThrows(
      () => findInitialResults({ team, attempts: () => [] }, ["alpha"], "critique"),
      OkstraError,
    );
    assertEquals([
      message.startsWith("Cannot take what came of critique"),
      hint?.includes("--result"),
    ], [
      true,
      false,
    ]);
  });

  it("reads the attempts only if it has to", () => {
    const attempts = () => {
      throw new Error("read");
    };
    assertEquals(findInitialResults({ team: { workers: [] }, attempts }, ["alpha"]).size, 0);
  });
});
