import { assertEquals } from "@std/assert";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { teamStatePath } from "./io/team-state.ts";
import { prepareNativeRun } from "./test-native.ts";
import { listTree, prepareTestRun } from "../../../test/prepared-run.ts";
import { call, editJson } from "./test-run.ts";

function writeSidecar(
  path: string,
  dispatchId: string | null,
  attempt: number,
  tokens: number | null,
) {
  const sidecar: StatusSidecar = {
    schemaVersion: "1.0",
    dispatchId,
    workerId: "alpha",
    attempt,
    promptPath: "/p/alpha.md",
    promptDigest: null,
    completionPaths: [],
    argv: ["agent"],
    cwd: null,
    envNames: [],
    sessionId: null,
    host: "build-7",
    bootId: null,
    wrapper: { pid: 100, startTime: null },
    child: null,
    pgid: null,
    stage: "exited",
    isTerminal: true,
    exitCode: 0,
    signal: null,
    timeout: null,
    reason: null,
    failureClass: null,
    missingCompletionPaths: [],
    startedAt: "2026-01-31T09:05:00Z",
    endedAt: "2026-01-31T09:06:00Z",
    durationMs: 60_000,
    updatedAt: "2026-01-31T09:06:00Z",
    lastActivityAt: null,
    groupEmpty: true,
    usage: tokens === null ? null : {
      inputTokens: tokens,
      cachedInputTokens: 1,
      outputTokens: 3,
      reasoningOutputTokens: null,
      source: "codex turn.completed",
    },
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(sidecar));
}

async function append(run: Run, ...rows: object[]): Promise<void> {
  const stdin = rows.map((row) => JSON.stringify(row)).join("\n");
  assertEquals((await call(run, ["dispatch", "append"], { stdin })).status, 0);
}

const row = (fields: object = {}) => ({
  workerId: "alpha",
  dispatchId: "look:attempt-1",
  promptPath: "prompts/a.md",
  attempt: 1,
  status: "completed",
  ...fields,
});

describe("okstra-team-state usage", () => {
  it("counts every attempt of a worker from the status that it left (T-024)", async () => {
    const run = prepareTestRun(), status = run.at("prompts/a.md.status.json");
    await append(run, row(), row({ attempt: 2, dispatchId: "look:attempt-2" }));
    writeSidecar(`${status}.before-1`, "look:attempt-1", 1, 10);
    writeSidecar(status, "look:attempt-2", 2, 5);
    const { output } = await call(run, ["usage"]);
    const [alpha, beta] = output.workers;
    assertEquals(alpha.usage, {
      inputTokens: 15,
      cachedInputTokens: 2,
      outputTokens: 6,
      reasoningOutputTokens: null,
    });
    assertEquals([alpha.unknownAttempts, alpha.sources], [0, ["codex turn.completed"]]);
    assertEquals(
      alpha.attempts.map((each: { attempt: number; sidecarPath: string }) => [
        each.attempt,
        each.sidecarPath,
      ]),
      [[1, `${status}.before-1`], [2, status]],
    );
    assertEquals([beta.usage, beta.attempts], [null, []]);
    assertEquals(output.total.usage, alpha.usage);
    assertEquals(output.runManifestPath, run.manifestPath);
  });

  it("is null where a status is missing, silent, damaged or of another dispatch (T-024)", async () => {
    const run = prepareTestRun(), status = run.at("prompts/a.md.status.json");
    await append(run, row());
    const usage = async () => {
      const { unknownAttempts, usage } = (await call(run, ["usage"])).output.workers[0];
      return [usage, unknownAttempts];
    };
    assertEquals(await usage(), [null, 1]);
    writeSidecar(status, "look:attempt-1", 1, null);
    assertEquals(await usage(), [null, 1]);
    writeSidecar(status, "other:attempt-1", 1, 10);
    assertEquals(await usage(), [null, 1]);
    writeSidecar(status, "look:attempt-1", 2, 10);
    assertEquals(await usage(), [null, 1]);
    writeFileSync(status, "{");
    assertEquals(await usage(), [null, 1]);
    writeSidecar(status, null, 1, 10);
    assertEquals(await usage(), [null, 1]);
    writeSidecar(status, "look:attempt-1", 1, 10);
    assertEquals((await usage())[1], 0);
  });

  it("counts a status once, and an attempt that was run again twice (T-024)", async () => {
    const run = prepareTestRun(), status = run.at("prompts/a.md.status.json");
    await append(run, row({ dispatchId: "" }), row({ dispatchId: "" }));
    writeSidecar(status, null, 1, 10);
    const first = (await call(run, ["usage"])).output.workers[0];
    assertEquals([first.usage.inputTokens, first.unknownAttempts], [10, 1]);
    assertEquals(first.attempts[1].sidecarPath, status);
    editJson(teamStatePath(run), (state) => ({ ...state, workerDispatches: [row()] }));
    writeSidecar(status, "look:attempt-1", 1, 10);
    writeSidecar(`${status}.before-1`, "look:attempt-1", 1, 7);
    const again = (await call(run, ["usage"])).output.workers[0];
    assertEquals([again.usage.inputTokens, again.unknownAttempts], [17, 0]);
  });

  it("looks into the agent's own session where the status tells nothing, once (T-024)", async () => {
    const run = prepareTestRun(), status = run.at("prompts/a.md.status.json");
    editJson(run.manifestPath, (manifest) => {
      Object.assign(manifest.providers.lint, {
        eventStream: "codex",
        sessionDirectories: ["$AGENT_HOME/sessions"],
      });
      return manifest;
    });
    const home = run.at("agent"), session = `${home}/sessions/rollout-s-1.jsonl`;
    mkdirSync(dirname(session), { recursive: true });
    cpSync(new URL("../testdata/sessions/codex.jsonl", import.meta.url), session);
    const fresh = openRun(run.manifestPath);
    await append(
      fresh,
      row({ provider: "lint" }),
      row({ attempt: 2, dispatchId: "look:attempt-2" }),
    );
    writeSidecar(`${status}.before-1`, "look:attempt-1", 1, null);
    writeSidecar(status, "look:attempt-2", 2, null);
    const usage = async (env: Record<string, string>) =>
      (await call(fresh, ["usage"], { env })).output;
    assertEquals((await usage({ AGENT_HOME: home })).total.usage, null);
    for (const path of [status, `${status}.before-1`]) {
      editJson(path, (sidecar) => ({ ...sidecar, sessionId: "s-1" }));
    }
    const [alpha] = (await usage({ AGENT_HOME: home })).workers;
    assertEquals([alpha.usage.inputTokens, alpha.unknownAttempts], [200, 1]);
    assertEquals(alpha.sources, ["codex session file"]);
    assertEquals(alpha.attempts.map((each: { sessionPaths: string[] }) => each.sessionPaths), [
      [],
      [session],
    ]);
    assertEquals((await usage({})).total, { usage: null, unknownAttempts: 2, sources: [] });
    const { stdout } = await call(fresh, ["usage", "--format", "text"], {
      env: { AGENT_HOME: home },
    });
    assertEquals(
      stdout.split("\n")[1]?.split(/ {2,}/),
      ["alpha", "2", "200+", "20+", "40+", "10+", "codex session file, 1 unknown"],
    );
  });

  it("does not know what a session of the host used, and changes nothing (T-024)", async () => {
    const { run, alpha } = prepareNativeRun();
    await call(run, alpha.record);
    const before = listTree(run.projectRoot);
    const { output } = await call(run, ["usage"]);
    assertEquals(output.workers[0].attempts, [{
      dispatchId: alpha.dispatchId,
      kind: "initial",
      attempt: 1,
      sidecarPath: null,
      sessionPaths: [],
      usage: null,
    }]);
    assertEquals(output.total, { usage: null, unknownAttempts: 1, sources: [] });
    assertEquals(listTree(run.projectRoot), before);
  });
});
