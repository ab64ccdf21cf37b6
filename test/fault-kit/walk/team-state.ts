import type { Walk } from "./walk.ts";

const TEAM = "okstra-team-state";

/** Every command of okstra-team-state. */
export async function walkTeamState(walk: Walk): Promise<void> {
  await walk.prepare("walk/team/state", [
    ...["alpha,provider=idle", "beta,provider=idle"],
  ]);
  await walk.step(`${TEAM} show`, [], { format: ["text"] });
  await walk.step(`${TEAM} worker set --worker alpha --status completed`, [], {
    "worker": ["beta"],
    "status": ["in-progress"],
    "reason": ["so it is"],
    "model-execution-value": ["m-1"],
    "at": ["2026-02-01T00:00:00Z"],
  });
  const row = {
    ...{ kind: "walk", status: "running", attempt: 1, workerId: "alpha", dispatchId: "walk-1" },
    ...{ promptPath: walk.at("prompt.md"), invocationId: "walk-1", assignmentRef: "initial/alpha" },
    sessionId: "s-1",
  };
  await walk.step(`${TEAM} dispatch append`, [], {}, { stdin: JSON.stringify(row) });
  await walk.step(`${TEAM} dispatch running`);
  await walk.step(`${TEAM} sessions`, [], { worker: ["beta"] });
  await walk.step(`${TEAM} dispatch settle --status completed --prompt`, [row.promptPath], {
    prompt: [walk.at("none.md")],
    attempt: ["2"],
    status: ["error"],
    reason: ["so it is"],
  });
  await walk.step(`${TEAM} facts record --dispatch-mode mixed`, [], {
    "dispatch-mode": ["cli-wrapper"],
  });
  await walk.step(`${TEAM} usage`, [], { format: ["text"] });
  await walkNative(walk);
}

/** Workers that are sessions of the host. */
async function walkNative(walk: Walk): Promise<void> {
  const { runManifestPath, paths } = await walk.prepare("walk/team/native", [
    ...["alpha,provider=idle", "beta,provider=idle"],
  ]);
  const runner = { runner: "native-session" };
  const merge = { invocationAssignments: { "initial/alpha": runner, "initial/beta": runner } };
  await walk.step("okstra-manifest-io update run-manifest", [
    ...[runManifestPath, "--merge", JSON.stringify(merge)],
  ]);
  const { invocations } = await walk.step("okstra-manifest-io prompt materialize");
  const [alpha, beta] = invocations as Record<string, string>[];
  const host = ["--enforcement", "host-native-spec-link-gate"];
  for (const each of [alpha!, beta!]) {
    await walk.step(`${TEAM} ledger record`, ["--metadata", each["metadataPath"]!, ...host], {
      "metadata": [walk.at("none.json")],
      "enforcement": ["core-pre-dispatch"],
      "allow-native-core": ["--enforcement", "core-pre-dispatch"],
    });
  }
  const ids = [];
  for (const each of [alpha!, beta!]) {
    const result = each["workerResultPath"]!, id = `${each["invocationId"]}:attempt-1`;
    walk.write({ [result.slice(walk.project.length + 1)]: "# Findings\n\nNo findings\n" });
    await walk.step(`${TEAM} result link --dispatch-id`, [id, "--result", result], {
      "dispatch-id": ["nobody-001:attempt-1"],
      "result": [paths.teamState],
    });
    ids.push(id);
  }
  const [id, second] = ids as [string, string];
  await walk.step(`${TEAM} result reject --dispatch-id`, [
    ...[second, "--superseded-by", id, "--reason", "wrong form"],
  ], {
    "dispatch-id": ["nobody-001:attempt-1"],
    "superseded-by": ["nobody-001:attempt-1"],
    "reason": ["another one"],
  });
}
