import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { type AwaitedFilter, dispatchLabel, invocationKey, selectAwaited } from "./awaited.ts";

const row = (worker: string, kind: string, attempt: number, status = "running"): DispatchRow => ({
  status,
  kind,
  attempt,
  assignmentRef: `initial/${worker}`,
  invocationId: `${kind}-${worker}`,
  dispatchId: `${kind}-${worker}:attempt-${attempt}`,
  promptPath: `/p/${kind}-${worker}.md`,
});
const all: AwaitedFilter = { dispatchKind: null, workerIds: [], invocations: null };
const rows = [
  row("a", "initial", 1, "completed"),
  row("b", "initial", 1, "error"),
  row("b", "initial", 2),
  row("a", "reverify-r1", 1),
];
const labels = (filter: Partial<AwaitedFilter>, from = rows) =>
  selectAwaited(from, { ...all, ...filter }, (...wanted) => JSON.stringify(wanted)).map(
    dispatchLabel,
  );

describe("selectAwaited()", () => {
  it("selectAwaited() takes the kind of the newest row unless told otherwise", () => {
    assertEquals(labels({}), ["reverify-r1-a:attempt-1"]);
  });

  it("selectAwaited() takes the last row of each invocation, ended ones included (T-057)", () => {
    assertEquals(labels({ dispatchKind: "initial" }), [
      "initial-a:attempt-1",
      "initial-b:attempt-2",
    ]);
  });

  it("selectAwaited() asks what starts those who are missing", () => {
    const hint = (filter: Partial<AwaitedFilter>, from = rows) =>
      (assertThrows(() => labels(filter, from), OkstraError) as OkstraError).hint;
    assertEquals(hint({ dispatchKind: "typo" }), '[[],"typo"]');
    assertEquals(hint({ dispatchKind: "initial", workerIds: ["a", "c"] }), '[["c"],"initial"]');
    assertEquals(hint({}, []), "[[],null]");
  });

  it("selectAwaited() keeps to the workers and to the invocations that were named", () => {
    assertEquals(labels({ dispatchKind: "initial", workerIds: ["b"] }), ["initial-b:attempt-2"]);
    assertEquals(labels({ invocations: ["initial-a", "reverify-r1-a"] }), [
      "initial-a:attempt-1",
      "reverify-r1-a:attempt-1",
    ]);
  });

  it("selectAwaited() groups rows of version 1 by prompt path (T-057)", () => {
    const first: DispatchRow = {
      status: "error",
      kind: "initial",
      workerId: "a",
      promptPath: "/p/a.md",
    };
    const second = { ...first, attempt: 2, status: "running" };
    assertEquals(labels({}, [first, second]), ["/p/a.md#2"]);
    assertEquals([invocationKey(first), dispatchLabel(first)], ["/p/a.md", "/p/a.md#1"]);
  });

  it("selectAwaited() refuses to wait for nothing and names a worker without a dispatch", () => {
    assertEquals(assertThrows(() => labels({}, []), OkstraError).code, "nothing-dispatched");
    const error = assertThrows(() => labels({ workerIds: ["a", "zeta"] }), OkstraError);
    assertStringIncludes(error.message, "zeta");
  });
});
