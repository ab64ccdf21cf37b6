import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "./errors.ts";
import {
  dispatchId,
  findRosterId,
  isOwnSidecar,
  parseItemIdentity,
  requireWorkers,
  workerKey,
} from "./identity.ts";
import { absolutePath, isInside } from "./project-path.ts";
import { DUTIES, normalizeRole, roleForDuty, ROLES } from "./roles.ts";
import {
  formatSequence,
  mutationSnapshotPath,
  reportDataPath,
  reportMarkdownPath,
  runNames,
  workerPromptName,
  workerResultName,
} from "./run-names.ts";
import { isSameTask, parseTaskKey } from "./task-key.ts";
import { parseTime } from "./time.ts";
import { isLiveStatus } from "./vocabulary.ts";

describe("parseTaskKey()", () => {
  it("takes exactly three names", () => {
    assertEquals(parseTaskKey("demo/review/src"), ["demo", "review", "src"]);
    for (
      const bad of ["", "a/b", "a/b/c/d", "a//c", "a/../c", "a/./c", "a/b/ü", "a/b/c ", "/a/b"]
    ) {
      const error = assertThrows(() => parseTaskKey(bad), OkstraError, JSON.stringify(bad));
      assertEquals(error.code, "bad-task-key");
    }
  });
});

describe("isSameTask()", () => {
  it("compares segments without case, with / or :, and with or without the project (E-77)", () => {
    const key = "example/group/task";
    for (const same of [key, "Example:Group:Task", "group/task", " example / group : task "]) {
      assertEquals([isSameTask(same, key), isSameTask(key, same)], [true, true], same);
    }
    for (
      const other of ["", "task", "other/group/task", "example/group", "x/example/group/task/y"]
    ) {
      assertEquals(isSameTask(other, key), false, other);
    }
    assertEquals(isSameTask("", ""), false);
  });
});

describe("runNames()", () => {
  it("names every file below the task's run directory (M-008)", () => {
    const names = runNames("demo/review/src", "discussion", "001");
    const run = ".okstra/tasks/demo/review/src/runs/discussion";
    assertEquals(names.runManifest, `${run}/manifests/run-manifest-discussion-001.json`);
    assertEquals(names.convergenceState, `${run}/state/convergence-discussion-001.json`);
    assertEquals(names.convergencePlan(2), `${run}/state/convergence-plan-r2-discussion-001.json`);
    assertEquals(formatSequence(7), "007");
    assertEquals(formatSequence(1000), "1000");
    assertEquals(
      workerPromptName("codex", "reverify-r1", "discussion", "001"),
      "codex-worker-prompt-reverify-r1-discussion-001.md",
    );
    assertEquals(
      workerResultName("codex", null, "discussion", "001"),
      "codex-worker-discussion-001.md",
    );
  });
});

describe("reportDataPath()", () => {
  it("maps Markdown and data of a report onto each other (M-019)", () => {
    assertEquals(reportDataPath("r/final.md"), "r/final.data.json");
    assertEquals(reportDataPath("r/final.data.json"), "r/final.data.json");
    assertEquals(reportDataPath("r.d/final"), "r.d/final.data.json");
    assertEquals(reportMarkdownPath("r/final.data.json"), "r/final.md");
    assertEquals(reportMarkdownPath("r/final.json"), "r/final.md");
  });
});

describe("mutationSnapshotPath()", () => {
  it("adds to the name of the metadata (M-029)", () => {
    assertEquals(mutationSnapshotPath("p/a.md.meta.json"), "p/a.md.meta.json.mutation-audit.json");
  });
});

describe("dispatchId()", () => {
  it("joins invocation and attempt (T-023)", () => {
    assertEquals(dispatchId("discussion-codex-001", 2), "discussion-codex-001:attempt-2");
  });
});

describe("isOwnSidecar()", () => {
  it("needs the same dispatch and attempt; a row without them is attempt 1 of none (P-16, T-006)", () => {
    const own = (row: { dispatchId?: string; attempt?: number }, id: string | null, attempt = 1) =>
      isOwnSidecar(row, { dispatchId: id, attempt });
    for (
      const row of [{ dispatchId: "x:attempt-1" }, { dispatchId: " x:attempt-1 ", attempt: 1 }]
    ) {
      assertEquals([own(row, "x:attempt-1"), own(row, "y:attempt-1"), own(row, null)], [
        true,
        false,
        false,
      ]);
    }
    for (const row of [{}, { dispatchId: "" }]) {
      assertEquals([own(row, null), own(row, null, 2), own(row, "x")], [true, false, false]);
    }
    assertEquals([own({ attempt: 2 }, null), own({ attempt: 2 }, null, 2)], [false, true]);
  });
});

describe("workerKey()", () => {
  it("is workerId, else the last segment of assignmentRef (T-055)", () => {
    assertEquals(workerKey({ workerId: "claude", assignmentRef: "initial/codex" }), "claude");
    assertEquals(workerKey({ assignmentRef: "initial/codex" }), "codex");
    assertEquals(workerKey({}), "");
  });
});

describe("findRosterId()", () => {
  it("drops -worker only where the roster has the bare id alone (decisions 9, Identity)", () => {
    const both = new Set(["a", "a-worker", "b"]);
    for (
      const [given, id] of [
        ["a", "a"],
        ["a-worker", "a-worker"],
        ["b-worker", "b"],
        ["b-worker-worker", null],
        ["-worker", null],
        ["B", null],
      ] as const
    ) assertEquals(findRosterId(both, given), id, given);
  });
});

describe("parseItemIdentity()", () => {
  const second = {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    participantRef: "p/a",
    roleExecutionRef: "re/a/analyser",
    executionLabel: "a",
    dutyId: "discussion-analysis",
    invocationRef: "i",
    attempt: 2,
  };
  const codeOf = (row: Record<string, unknown>) =>
    assertThrows(() => parseItemIdentity(row), OkstraError).code;

  it("reads both versions (M-024)", () => {
    for (const schemaVersion of [undefined, null, 1, "1", "1.0"]) {
      assertEquals(parseItemIdentity({ schemaVersion, workerId: "a", attempt: 1 }), null);
    }
    assertEquals(parseItemIdentity(second)?.attempt, 2);
    assertEquals(parseItemIdentity({ ...second, attempt: undefined })?.attempt, 1);
  });

  it("refuses mixed, unsupported and incomplete ones (M-024, M-034)", () => {
    assertEquals(codeOf({ workerId: "a", participantRef: null }), "mixed-identity");
    assertEquals(codeOf({ ...second, workerId: null }), "mixed-identity");
    assertEquals(codeOf({ ...second, executionIdentityVersion: 1 }), "unsupported-identity");
    assertEquals(codeOf({ ...second, schemaVersion: true }), "unsupported-identity");
    assertEquals(codeOf({ ...second, attempt: true }), "bad-identity");
    assertEquals(codeOf({ ...second, attempt: 0 }), "bad-identity");
    for (const dutyId of [" ", "\u200b"]) {
      assertEquals(codeOf({ ...second, dutyId }), "bad-identity");
    }
  });
});

describe("normalizeRole()", () => {
  it("knows eleven roles and lists them when it refuses (W-015)", () => {
    assertEquals(Object.keys(ROLES).length, 11);
    assertEquals(normalizeRole("executor"), "executor");
    const error = assertThrows(() => normalizeRole("Executor worker"), OkstraError);
    for (const role of Object.keys(ROLES)) assertEquals(error.hint!.includes(role), true);
    assertThrows(() => normalizeRole("constructor"), OkstraError);
  });

  it("finds the role of every duty (W-004)", () => {
    for (const [duty, role] of Object.entries(DUTIES)) assertEquals(roleForDuty(duty), role);
    assertThrows(() => roleForDuty("initial-retry"), OkstraError, "initial-retry");
  });
});

describe("absolutePath()", () => {
  it("joins relative paths and leaves absolute ones (M-004)", () => {
    assertEquals(absolutePath("/p", "a/./b"), "/p/a/b");
    assertEquals(absolutePath("/p", "/x/../y"), "/y");
    assertEquals([isInside("/p", "/p/a"), isInside("/p", "/p"), isInside("/p", "/p/..a")], [
      true,
      true,
      true,
    ]);
    assertEquals([isInside("/p", "/pa"), isInside("/p", "/"), isInside("/p", "/p/../q")], [
      false,
      false,
      false,
    ]);
  });
});

describe("parseTime()", () => {
  it("accepts dates and UTC text only (M-016, M-017)", () => {
    assertEquals(parseTime(new Date(0)), "1970-01-01T00:00:00Z");
    assertEquals(parseTime("2026-01-31T09:05:00.250+00:00"), "2026-01-31T09:05:00Z");
    assertEquals(parseTime("2026-01-31T09:05Z"), "2026-01-31T09:05:00Z");
    for (
      const bad of [
        "2026-01-31T09:05:00",
        "2026-01-31T09:05:00+01:00",
        "2026-02-30T00:00:00Z",
        5,
        null,
        "soon",
      ]
    ) {
      const error = assertThrows(() => parseTime(bad), OkstraError, JSON.stringify(bad));
      const isDay = bad === "2026-02-30T00:00:00Z";
      assertStringIncludes(
        error.message,
        isDay ? "the calendar has no such time" : "it is not UTC",
      );
    }
  });
});

describe("isLiveStatus()", () => {
  it("takes running, in-progress and unknown words for live (T-016)", () => {
    assertEquals(["running", "in-progress", "paused"].map(isLiveStatus), [true, true, true]);
    assertEquals(["completed", "timeout", "error", "not-run"].map(isLiveStatus), [
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("requireWorkers()", () => {
  const rows = [{ workerId: "guest" }, { assignmentRef: "initial/late" }, {}];

  it("requireWorkers() returns the run's own names, those of dispatches included (T-015, T-055)", () => {
    const given = ["b-worker", "a", "guest", "late-worker"];
    assertEquals(requireWorkers(given, ["a", "b"], rows), ["b", "a", "guest", "late"]);
  });

  it("requireWorkers() refuses strangers, naming all of them and the roster (T-015)", () => {
    const error = assertThrows(
      () => requireWorkers(["x", "a", "", "y"], ["a", "b"], rows),
      OkstraError,
    );
    assertEquals(error.code, "worker-unknown");
    assertEquals(error.message, 'Cannot find x, "", y: not in the roster (a, b)');
    assertEquals(error.hint, "list the workers: okstra-team-state show");
  });
});
