import type { Walk } from "./walk.ts";

const IO = "okstra-manifest-io";

/** Every command of okstra-manifest-io. */
export async function walkManifestIo(walk: Walk): Promise<void> {
  walk.write({ "tree/a.txt": "x\n", "empty/.okstra/.keep": "", "profile.md": "p\n" });
  const { paths, runManifestPath } = await walk.prepare("walk/manifest/io", [
    "alpha,provider=idle",
  ], {
    "task-key": ["walk/manifest/other"],
    "task-type": ["analysis"],
    "brief": ["other.md"],
    "worker": ["alpha,provider=idle", "beta,provider=idle"],
    "lead": ["codex"],
    "backend": ["tmux-pane"],
    "provider-file": [walk.at("none.json")],
    "worktree": ["tree"],
    "profile": ["profile.md"],
    "packet": ["profile.md"],
    "project-root": ["empty"],
  });
  await walk.step("okstra-discussion confirm-subject --subject src --question", ["Why?"]);
  const again = ["--provider-file", "providers.json", "--worker", "alpha,provider=idle"];
  await walk.step(
    `${IO} prepare --backend cli-wrapper --discussion-start walk/manifest/io`,
    again,
    {
      "discussion-start": ["walk/manifest/nowhere"],
    },
  );
  await walk.step(`${IO} show`);
  await walk.step(`${IO} get`, [runManifestPath, "/taskKey"], { raw: [] });
  await walk.step(`${IO} validate team-state`, [paths.teamState]);
  await walk.step(`${IO} schema`);
  await walk.step(`${IO} validate-run`);
  await walkPrompts(walk);
  const change = ["--merge", '{"note":1}'];
  await walk.step(`${IO} update team-state`, [paths.teamState, ...change], {
    merge: ['{"note":2}'],
  });
  const patch = '[{"op":"add","path":"/note","value":3}]';
  await walk.step(`${IO} update team-state`, [paths.teamState, "--patch", patch], {
    patch: [patch.replace("3", "4")],
  });
  for (const note of [1, 2]) {
    await walk.step(`${IO} write team-state`, [walk.at(".okstra/copy.json")], {}, {
      stdin: JSON.stringify({ ...walk.read(paths.teamState), note }),
    });
  }
  await walk.step(`${IO} with-lock`, [paths.teamState, "--", "true"], {}, { prints: "nothing" });
  await walk.step(`${IO} context-cost`);
  const { env } = walk;
  walk.env = {};
  await walk.step(`${IO} context-cost --task-key walk/manifest/io`);
  walk.env = env;
  const plan = ".okstra/tasks/walk/carry/it/runs/implementation-planning";
  const carry = ".okstra/tasks/walk/carry/it/runs/implementation/carry";
  walk.write({
    [`${plan}/consumers.jsonl`]: '{"kind":"pr","stages":[2]}\n',
    [`${carry}/stage-1.json`]: '{"stageCommitRange":{"head":"c1"}}',
  });
  await walk.step(`${IO} carry backfill --plan-run-root`, [plan], {
    "plan-run-root": [walk.at("tree")],
    "task-key": ["walk/carry/it"],
  });
  await walk.step(`${IO} carry covered --plan-run-root`, [plan], {
    "plan-run-root": [walk.at("tree")],
  });
}

async function walkPrompts(walk: Walk): Promise<void> {
  const { runDirectoryPath } = await walk.step(`${IO} show`);
  const { invocations: [{ metadataPath, invocationId }] } = await walk.step(
    `${IO} prompt materialize`,
  );
  walk.write({
    "batch.json": JSON.stringify({
      invocations: [{
        "invocation-id": "walk-alpha-001",
        "worker-id": "alpha",
        "audience": "discussion-analysis",
        "dispatch-kind": "initial",
        "assignment-ref": "initial/alpha",
        "instruction": "other.md",
        "prompt": `${runDirectoryPath}/prompts/alpha-worker-prompt-walk-discussion-001.md`,
        "result": `${runDirectoryPath}/worker-results/alpha-worker-walk-discussion-001.md`,
      }],
    }),
    "none.json": '{"invocations":[]}',
  });
  const batch = ["--batch", "batch.json"];
  await walk.step(`${IO} prompt materialize`, batch, { batch: ["none.json"] });
  walk.write({ "other.md": "Review nothing.\n" });
  await walk.step(`${IO} prompt materialize --replace-undispatched`, batch, {
    worker: ["beta"],
    "replace-undispatched": ["--no-replace-undispatched"],
  });
  const metadata = ["--metadata", metadataPath];
  await walk.step(`${IO} prompt verify`, metadata, { metadata: [walk.at("none.json")] });
  const at = ["2026-02-01T00:00:00Z"];
  await walk.step(`${IO} attempt open`, metadata, {
    metadata: [walk.at("none.json")],
    attempt: ["2"],
    at,
  });
  walk.write({ [`${runDirectoryPath}/worker-results/r.md`]: "done\n" });
  await walk.step(`${IO} attempt finish --invocation`, [invocationId, "--status", "ok"], {
    invocation: ["nobody-001"],
    attempt: ["2"],
    status: ["error"],
    result: [walk.at(`${runDirectoryPath}/worker-results/r.md`)],
    at,
  });
  await walk.step(`${IO} attempt list`, [], { invocation: ["nobody-001"] });
  for (const details of ['{"a":1}', '{"a":2}']) {
    await walk.step(`${IO} event append --type note --details`, [details], {
      type: ["other"],
      details: ['{"a":3}'],
    });
  }
  await walk.step(`${IO} event list`, [], { type: ["nothing"] }, { prints: "lines" });
}
