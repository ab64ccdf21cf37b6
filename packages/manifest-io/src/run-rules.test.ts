import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { planRun } from "./run-plan.ts";
import type { RecordedTimes, RunDocuments } from "./run-documents.ts";
import { checkRun } from "./run-rules.ts";
import { parseRoster } from "./worker-spec.ts";

const plan = planRun({
  projectRoot: "/p",
  taskKey: "demo/review/src",
  taskType: "discussion",
  sequence: 1,
  roster: parseRoster(["claude", "codex"], "discussion", {}),
  leadRuntime: "external",
  backend: "cli-wrapper",
  worktree: "",
  hasProfile: false,
  hasPacket: false,
  now: "2026-01-31T09:05:00Z",
});

/** A run in which claude completed its first attempt. */
function goodRun(): RunDocuments {
  const [claude, codex] = plan.teamState.workers;
  return structuredClone({
    manifest: plan.manifest,
    identityVersion: 2,
    teamStatePath: "/p/team.json",
    executionPath: "/p/exec.json",
    teamState: {
      ...plan.teamState,
      workers: [{ ...claude!, status: "completed", reason: "" }, codex!],
      teamCreate: { attempted: false, status: "implicit" },
      workerDispatches: [{
        schemaVersion: "2.0",
        executionIdentityVersion: 2,
        assignmentRef: "initial/claude",
        participantRef: "p/claude",
        roleExecutionRef: "re/claude/analyser",
        executionLabel: "claude",
        dutyId: "discussion-analysis",
        invocationRef: "i-claude",
        dispatchId: "i-claude:attempt-1",
        kind: "initial",
        attempt: 1,
        status: "completed",
        completionPaths: [claude!.resultPath!],
      }],
    },
    execution: {
      ...plan.execution,
      invocations: [{ invocationRef: "i-claude" }],
      attempts: [{
        invocationRef: "i-claude",
        attempt: 1,
        startedAt: "2026-01-31T09:05:00Z",
        finishedAt: "2026-01-31T09:06:00Z",
        status: "ok",
      }],
    },
  }) as unknown as RunDocuments;
}

// deno-lint-ignore no-explicit-any
type Change = (team: any, execution: any) => void;

/** Problems of a good run after a change, as `file pointer`. */
function problems(change: Change, hasContent = (path: string) => path !== ""): readonly string[] {
  const documents = goodRun();
  change(documents.teamState, documents.execution);
  const findFault = (path: string) => hasContent(path) ? null : "missing";
  return checkRun({ ...documents, findFault }).map((issue) => `${issue.file} ${issue.pointer}`);
}

describe("checkRun()", () => {
  it("finds nothing in a good run (T-023)", () => {
    assertEquals(problems(() => {}), []);
  });

  it("finds words that are no status, which count as live everywhere else (T-016)", () => {
    const change = (worker: string, dispatch: string) =>
      problems((team) => {
        team.workers[1].status = worker;
        team.workerDispatches.push({
          ...team.workerDispatches[0],
          dispatchId: "",
          status: dispatch,
        });
        team.workerDispatches.reverse();
      }).filter((each) => each.endsWith("status"));
    assertEquals(change("running", "in-progress"), []);
    assertEquals(change("lost", "Running"), [
      "/p/team.json /workers/1/status",
      "/p/team.json /workerDispatches/0/status",
    ]);
  });

  it("finds dispatch ids that stand twice in one collection, not in two (T-045)", () => {
    assertEquals(
      problems((team) => team.workerDispatches.push(structuredClone(team.workerDispatches[0]))),
      ["/p/team.json /workerDispatches/1/dispatchId"],
    );
    assertEquals(
      problems((team) => team.agentDispatches.push({ dispatchId: "i-claude:attempt-1" })),
      [],
    );
  });

  it("finds links to unknown dispatches, without a file, and of one file to two (T-045, T-051)", () => {
    const link = { dispatchId: "i-claude:attempt-1", resultPath: "r.md" };
    assertEquals(problems((team) => team.agentResultLinks.push(link)), []);
    assertEquals(
      problems((team) => {
        team.agentDispatches.push({ dispatchId: "other" });
        team.agentResultLinks.push(
          link,
          { ...link, dispatchId: "other" },
          { dispatchId: "none", resultPath: "x.md" },
          { ...link, supersededBy: "nobody" },
        );
      }),
      [
        "/p/team.json /agentResultLinks/1/resultPath",
        "/p/team.json /agentResultLinks/2/dispatchId",
        "/p/team.json /agentResultLinks/3/supersededBy",
      ],
    );
    const hasContent = (path: string) => path !== "" && path !== "r.md";
    assertEquals(problems((team) => team.agentResultLinks.push(link), hasContent), [
      "/p/team.json /agentResultLinks/0/resultPath",
    ]);
  });

  it("finds a completed worker without result, and a row without file (P-10)", () => {
    assertEquals(problems(() => {}, () => false), [
      "/p/team.json /workers/0/resultPath",
      "/p/team.json /workerDispatches/0/completionPaths/0",
    ]);
  });

  it("asks of each result when its attempt ran: from its launch, or from its snapshot (P-10)", () => {
    const documents = goodRun(), asked: [string, RecordedTimes | undefined][] = [];
    const { teamState, execution } = documents as unknown as Record<string, never>;
    const change: Change = (team, { attempts }) => {
      const [row] = team.workerDispatches, endedAt = "2026-01-31T09:05:58Z";
      Object.assign(row, { promptPath: "p.md", attempt: 2, endedAt });
      const native = { dispatchId: "n:attempt-1", invocationRef: "n" };
      team.agentDispatches.push({ ...native, mutationAuditSnapshotPath: "n.json" });
      team.agentResultLinks.push({ dispatchId: "n:attempt-1", resultPath: "n.md" });
      attempts.push({ ...attempts[0], invocationRef: "n" });
    };
    change(teamState, execution);
    checkRun({ ...documents, findFault: (path, times) => (asked.push([path, times]), null) });
    const codex = asked.find(([path]) => path === "n.md");
    assertEquals(codex?.[1], { beginnings: ["n.json"], endedAt: "2026-01-31T09:06:00Z" });
    assertEquals(asked.at(-1)?.[1], {
      beginnings: ["p.md.launch-2", "p.md.launch-2-again"],
      endedAt: "2026-01-31T09:05:58Z",
    });
  });

  it("looks for the result of a retry where the retry wrote it (P-10)", () => {
    const retried: Change = (team) => team.workerDispatches[0].workerResultPath = "retry.md";
    const hasContent = (path: string) => path === "retry.md";
    assertEquals(problems(retried, hasContent), [
      "/p/team.json /workerDispatches/0/completionPaths/0",
    ]);
    assertEquals(problems(retried, (path) => path !== "retry.md"), [
      "/p/team.json /workers/0/resultPath",
    ]);
  });

  it("asks for no result that was rejected, whose file the next attempt has put aside (P-10, T-051)", () => {
    const rejected = { dispatchId: "i-claude:attempt-1", supersededBy: "i-claude:attempt-2" };
    const retry: Change = (team, { attempts }) => {
      const failed = { attempt: 2, dispatchId: "i-claude:attempt-2", status: "error" };
      team.workerDispatches.push({ ...team.workerDispatches[0], ...failed });
      attempts.push({ ...attempts[0], attempt: 2, status: "error" });
      team.workers[0].status = "error";
    };
    assertEquals(problems(retry, () => false), [
      "/p/team.json /workerDispatches/0/completionPaths/0",
    ]);
    const reject: Change = (team, execution) => {
      retry(team, execution);
      team.agentResultLinks = [rejected];
    };
    assertEquals(problems(reject, () => false), []);
  });

  it("finds a display model that differs from the manifest, and rows without worker (T-013, T-015)", () => {
    assertEquals(
      problems((team) => {
        team.workers[0].model = "other";
        team.workers[1].workerId = "gemini";
      }),
      [
        "/p/team.json /workers/0/model",
        "/p/team.json /workers/1/workerId",
        "/p/team.json /workers",
      ],
    );
  });

  it("wants teamCreate once a worker was dispatched (T-020)", () => {
    assertEquals(problems((team) => delete team.teamCreate), ["/p/team.json /teamCreate"]);
    assertEquals(
      problems((team, execution) => {
        delete team.teamCreate;
        team.workerDispatches = [];
        execution.attempts = [];
      }),
      [],
    );
  });

  it("wants rows and attempts to agree on what has ended (T-037, T-047)", () => {
    const row = "/p/team.json /workerDispatches/0";
    assertEquals(problems((_, execution) => execution.attempts[0].finishedAt = null), [row]);
    assertEquals(problems((_, execution) => execution.attempts = []), [row]);
    assertEquals(
      problems((team) => {
        team.workerDispatches[0].status = "running";
        team.workers[0].status = "in-progress";
      }),
      [row],
    );
    assertEquals(
      problems((_, execution) => {
        execution.attempts.push({ ...execution.attempts[0], attempt: 2 });
        execution.attempts.push({ ...execution.attempts[0], invocationRef: "i-none" });
      }),
      ["/p/exec.json /attempts/1", "/p/exec.json /attempts/2", "/p/exec.json /attempts/2"],
    );
  });

  it("finds rows that mix identities, and rows of a later version than their run (M-024, T-056)", () => {
    const mixed: Change = (team) => {
      team.workerDispatches[0].workerId = "claude";
      team.agentDispatches.push({ dispatchId: "other", dutyId: "analysis" });
      team.agentDispatches.push({ dispatchId: "first", workerId: "claude" });
    };
    assertEquals(problems(mixed), [
      "/p/team.json /workerDispatches/0",
      "/p/team.json /agentDispatches/0",
    ]);
    const first = { ...goodRun(), identityVersion: 1 as const };
    assertEquals(checkRun({ ...first, findFault: () => null }).map((issue) => issue.message), [
      "is of version 2, but the run manifest of version 1",
    ]);
  });

  it("compares a run of the first version without assignments with its roster (T-015)", () => {
    const first = structuredClone({ ...goodRun(), identityVersion: 1 as const });
    Object.assign(first.manifest, { workerAssignments: [], recommendedWorkers: ["claude", "old"] });
    Object.assign(first.teamState, { workerDispatches: [] });
    Object.assign(first.execution, { attempts: [] });
    const issues = checkRun({ ...first, findFault: () => null });
    assertEquals(issues.map((issue) => issue.pointer), ["/workers/1/workerId", "/workers"]);
  });

  it("wants the attempt of a ledger row, closed well where its result is linked (T-037, T-041)", () => {
    const recorded: Change = (team) => {
      const [row] = team.workerDispatches;
      team.agentDispatches.push({ ...row, dispatchId: "i-claude:attempt-1" });
      team.agentResultLinks.push({ dispatchId: "i-claude:attempt-1", resultPath: "r.md" });
    };
    assertEquals(problems(recorded), []);
    const ended = (status: string): Change => (team, execution) => {
      recorded(team, execution);
      execution.attempts[0].status = status;
    };
    assertEquals(problems(ended("violation")), ["/p/team.json /agentDispatches/0"]);
    assertEquals(
      problems((team, execution) => {
        recorded(team, execution);
        team.workerDispatches = [];
        execution.attempts = [];
      }),
      ["/p/team.json /agentDispatches/0"],
    );
  });

  it("wants a worker's row and its newest dispatch to agree (T-016)", () => {
    assertEquals(problems((team) => team.workers[0].status = "in-progress"), [
      "/p/team.json /workerDispatches/0/status",
    ]);
    assertEquals(
      problems((team) => {
        team.workers[0].status = "in-progress";
        team.workerDispatches[0].kind = "reverify-r1";
      }),
      [],
    );
  });
});
