import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { formatTeam } from "./format-team.ts";

describe("formatTeam()", () => {
  it("shows a line per worker, and per dispatch of another kind that is live or all that there is", () => {
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
        { workerId: "delta", status: "not-run", reason: "not dispatched yet" },
      ],
      workerDispatches: [
        { workerId: "delta", status: "completed", kind: "coverage-critic" },
        { workerId: "alpha", status: "error", kind: "initial", backendType: "cmux-pane" },
        {
          workerId: "alpha",
          status: "running",
          kind: "initial",
          attempt: 2,
          backendType: "cli-wrapper",
          degradedFrom: "cmux-pane",
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
        "WORKER                 STATUS       ATTEMPT  BACKEND                      AGE    REASON",
        "alpha                  in-progress  2        cli-wrapper (not cmux-pane)  1h 0m",
        "beta                   error        1        -                            2s     no credit",
        "beta reverify-r2       running      1        -                            2d 0h",
        "gamma                  not-run      -        -                            -      not dispatched yet",
        "delta coverage-critic  completed    1        -                            -",
        "",
      ].join("\n"),
    );
  });

  it("says that a result came late, and measures what is shown only", () => {
    const text = formatTeam(
      {
        workers: [
          {
            workerId: "al\u0000pha",
            status: "completed",
            reason: "done\u001b[31m",
            endedAt: "later",
          },
          { workerId: "b", status: "not-run" },
        ],
        workerDispatches: [{ workerId: "al\u0000pha", status: "completed", late: true }],
      },
      new Date("2026-01-31T10:00:00Z"),
      // deno-lint-ignore no-control-regex
      (cell) => cell.replace(/\u0000|\u001b\[31m/g, ""),
    );
    assertEquals(
      text,
      [
        "WORKER  STATUS            ATTEMPT  BACKEND  AGE  REASON",
        "alpha   completed (late)  1        -        -    done",
        "b       not-run           -        -        -",
        "",
      ].join("\n"),
    );
  });
});
