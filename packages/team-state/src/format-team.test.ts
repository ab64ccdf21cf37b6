import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { formatTeam } from "./format-team.ts";

describe("formatTeam()", () => {
  it("shows a line per worker and per live dispatch of another kind", () => {
    const text = formatTeam({
      revision: 3,
      workers: [
        { workerId: "alpha", status: "in-progress", reason: "", startedAt: "2026-01-31T09:00:00Z" },
        {
          workerId: "beta",
          status: "error",
          reason: "no\ncredit",
          startedAt: "2026-01-31T09:00:00Z",
          endedAt: "2026-01-31T09:59:58Z",
        },
        { workerId: "gamma", status: "not-run", reason: "not dispatched yet" },
      ],
      workerDispatches: [
        { workerId: "alpha", status: "error", kind: "initial", backendType: "cmux-pane" },
        {
          workerId: "alpha",
          status: "running",
          kind: "initial",
          attempt: 2,
          backendType: "cli-wrapper",
        },
        { assignmentRef: "initial/beta", status: "error", backendType: "" },
        { workerId: "beta", status: "completed", kind: "reverify-r1" },
        {
          workerId: "beta",
          status: "running",
          kind: "reverify-r2",
          startedAt: "2026-01-29T09:30:00Z",
        },
      ],
    }, new Date("2026-01-31T10:00:00Z"));
    assertEquals(
      text,
      [
        "WORKER            STATUS       ATTEMPT  BACKEND      AGE    REASON",
        "alpha             in-progress  2        cli-wrapper  1h 0m",
        "beta              error        1        -            2s     no credit",
        "beta reverify-r2  running      1        -            2d 0h",
        "gamma             not-run      -        -            -      not dispatched yet",
        "",
      ].join("\n"),
    );
  });
});
