import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { ENFORCEMENT_MODES } from "@okstra/manifest-io/vocabulary";
import { app } from "./cli.ts";
import { teamStatePath } from "./io/team-state.ts";
import { prepareNativeRun, recordWords } from "./test-native.ts";
import { listTree } from "../../../test/prepared-run.ts";
import { call, editJson, readState } from "./test-run.ts";

/** Asserts that a call ends with exit status 2, prints `text` on stderr alone and changes nothing. */
async function refused(run: Run, words: readonly string[], ...texts: string[]): Promise<void> {
  const before = listTree(run.projectRoot);
  const { status, stdout, stderr } = await call(run, words);
  assertEquals([status, stdout], [2, ""]);
  for (const text of texts) assertStringIncludes(stderr, text);
  assertEquals(listTree(run.projectRoot), before);
}

describe("okstra-team-state ledger record", () => {
  it("offers the modes of the vocabulary, and names an invalid one (T-030)", async () => {
    const { options } = await app.commands["ledger record"]!();
    assertEquals(options["enforcement"]!.choices, ENFORCEMENT_MODES);
    const { run, alpha } = prepareNativeRun();
    await refused(
      run,
      recordWords(alpha.metadataPath, "by-hand"),
      '"by-hand"',
      "core-pre-dispatch",
    );
  });

  it("opens the attempt, records the tree, and then writes the row (T-037, T-038, T-039)", async () => {
    const { run, alpha } = prepareNativeRun();
    writeFileSync(join(run.projectRoot, "source.ts"), "1\n");
    const { revision } = readState(run);
    const { status, output, stderr } = await call(run, alpha.record);
    assertEquals([status, stderr], [0, ""]);
    assertEquals([output.isNew, output.revision], [true, revision + 1]);
    const metadata = JSON.parse(readFileSync(alpha.metadataPath, "utf8"));
    const relative = run.relative(alpha.metadataPath);
    const { invocations, attempts } = readExecutionManifest(run);
    const { writePolicyDigest, writeEnforcement } = invocations[0]!;
    assertEquals(output.dispatch, {
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      participantRef: "p/alpha",
      roleExecutionRef: "re/alpha/analyser",
      executionLabel: "alpha",
      dutyId: "discussion-analysis",
      invocationRef: alpha.invocationId,
      attempt: 1,
      dispatchId: alpha.dispatchId,
      dispatchKind: "initial",
      audience: "discussion-analysis",
      invocationId: alpha.invocationId,
      assignmentRef: "initial/alpha",
      promptPath: metadata.prompt.path,
      promptMetadataPath: relative,
      ...metadata.digests,
      modelExecutionValue: "m-1",
      hostModelValue: null,
      enforcementMode: "host-native-spec-link-gate",
      promptDeliveryVerified: false,
      status: "dispatched",
      writePolicyDigest,
      writeEnforcement,
      mutationAuditSnapshotPath: `${relative}.mutation-audit.json`,
    });
    assertEquals(readState(run).agentDispatches, [output.dispatch]);
    assertEquals(attempts.map((each) => [each.invocationRef, each.attempt, each.status]), [
      [alpha.invocationId, 1, "started"],
    ]);
    assertEquals(attempts[0]!.startedAt, "2026-01-31T10:00:00Z");
    const snapshot = JSON.parse(readFileSync(`${alpha.metadataPath}.mutation-audit.json`, "utf8"));
    assertEquals(snapshot.roots.map((root: { path: string }) => root.path), [run.projectRoot]);
    assertEquals(
      snapshot.roots[0].files.map((file: { path: string }) => file.path),
      ["providers.json", "source.ts"],
    );
    const runDirectory = run.at(run.manifest.runDirectoryPath);
    for (
      const path of [
        runDirectory,
        run.manifestPath,
        teamStatePath(run),
        `${teamStatePath(run)}.lock`,
        `${alpha.metadataPath}.mutation-audit.json`,
      ]
    ) assert(snapshot.orchestratorPaths.includes(path), path);
  });

  it("returns the same dispatch as it is and changes nothing (T-036)", async () => {
    const { run, alpha } = prepareNativeRun();
    const first = await call(run, alpha.record);
    const before = listTree(run.projectRoot);
    writeFileSync(join(run.projectRoot, "later.ts"), "");
    const again = await call(run, alpha.record, { now: "2026-01-31T12:00:00Z" });
    assertEquals(again.output, { ...first.output, isNew: false });
    unlinkSync(join(run.projectRoot, "later.ts"));
    assertEquals(listTree(run.projectRoot), before);
  });

  it("refuses the id with other content, and two rows of it, before any side effect (T-036)", async () => {
    const { run, alpha, beta } = prepareNativeRun();
    const { output } = await call(run, alpha.record);
    const row = output.dispatch;
    for (
      const [rows, text] of [
        [[{ ...row, promptDigest: `sha256:${"0".repeat(64)}` }], "promptDigest"],
        [[row, row], "2 rows"],
      ] as const
    ) {
      editJson(teamStatePath(run), (state) => ({ ...state, agentDispatches: rows }));
      await refused(run, alpha.record, `"${alpha.dispatchId}"`, text);
    }
    editJson(teamStatePath(run), (state) => ({
      ...state,
      agentDispatches: [{ ...row, dispatchId: beta.dispatchId }],
    }));
    await refused(run, beta.record, `"${beta.dispatchId}"`);
    assertEquals(readExecutionManifest(run).attempts.length, 1);
  });

  it("succeeds after a crash between any two of its steps (T-037)", async () => {
    const whole = prepareNativeRun();
    await call(whole.run, whole.alpha.record);
    for (const kept of ["attempt", "snapshot"]) {
      const { run, alpha } = prepareNativeRun();
      await call(run, alpha.record);
      const snapshot = `${alpha.metadataPath}.mutation-audit.json`;
      const before = readFileSync(snapshot, "utf8");
      editJson(teamStatePath(run), (state) => ({ ...state, agentDispatches: [] }));
      if (kept === "attempt") rmSync(snapshot);
      const { status, output } = await call(run, alpha.record, { now: "2026-01-31T11:00:00Z" });
      assertEquals([status, output.isNew], [0, true]);
      assertEquals(readExecutionManifest(run).attempts.map((each) => each.startedAt), [
        "2026-01-31T10:00:00Z",
      ]);
      assertEquals(JSON.parse(readFileSync(snapshot, "utf8")).digest, JSON.parse(before).digest);
    }
  });

  it("refuses an invocation that was recorded with other content (T-037)", async () => {
    const { run, alpha } = prepareNativeRun();
    await call(run, alpha.record);
    editJson(teamStatePath(run), (state) => ({ ...state, agentDispatches: [] }));
    editJson(alpha.metadataPath, (metadata) => ({ ...metadata, dispatchKind: "reverify-r2" }));
    await refused(run, alpha.record, alpha.invocationId, "dispatchKind, round");
  });

  it("writes no snapshot where the operating system keeps the worker inside (T-037)", async () => {
    const { run, alpha } = prepareNativeRun();
    editJson(run.manifestPath, (manifest) => {
      manifest.providers.lint.sandbox = true;
      return manifest;
    });
    const { output } = await call(run, alpha.record);
    assertEquals(output.dispatch.mutationAuditSnapshotPath, "");
    assertEquals(output.dispatch.writeEnforcement.mutationAudit, "none");
    assert(!existsSync(`${alpha.metadataPath}.mutation-audit.json`));
  });

  it("records what the tools start, and refuses a mode that does not fit the runner (T-031)", async () => {
    const started = prepareNativeRun({ runner: "cli-wrapper" });
    const core = recordWords(started.alpha.metadataPath, "core-pre-dispatch");
    await refused(started.run, started.alpha.record, '"cli-wrapper"', "native-session");
    const { output } = await call(started.run, core);
    assertEquals(output.dispatch.enforcementMode, "core-pre-dispatch");
    const native = prepareNativeRun();
    const words = recordWords(native.alpha.metadataPath, "core-pre-dispatch");
    await refused(native.run, words, '"native-session"', "--allow-native-core");
    assertEquals((await call(native.run, [...words, "--allow-native-core"])).status, 0);
  });

  it("refuses metadata that is missing, elsewhere or not what it must be (T-030, M-018)", async () => {
    const { run, alpha } = prepareNativeRun();
    const missing = join(run.projectRoot, "none.meta.json");
    await refused(
      run,
      recordWords(missing, "core-pre-dispatch"),
      missing,
      "agent invocation metadata",
    );
    const { run: other, alpha: theirs } = prepareNativeRun();
    const foreign = recordWords(theirs.metadataPath, "core-pre-dispatch");
    await refused(run, foreign, theirs.metadataPath, "outside the project");
    const link = join(run.projectRoot, "link.meta.json");
    symlinkSync(theirs.metadataPath, link);
    await refused(run, recordWords(link, "core-pre-dispatch"), "outside");
    assertEquals(readState(other).agentDispatches, []);
    const text = readFileSync(alpha.metadataPath, "utf8");
    const metadata = JSON.parse(text);
    for (
      const [change, ...texts] of [
        [{ digests: undefined }, "/digests", "missing"],
        [{ digests: { ...metadata.digests, dutyDigest: "" } }, "/digests/dutyDigest"],
        [{ prompt: undefined }, "/prompt", "missing"],
        [{ prompt: { path: " " } }, "/prompt/path", "blank"],
        [{ assignmentRef: undefined }, "/assignmentRef", "missing"],
        [{ audience: "" }, "/audience"],
        [{ invocationId: 7 }, "/invocationId"],
        [
          { modelAssignment: { ...metadata.modelAssignment, hostModelValue: 5 } },
          "/modelAssignment/hostModelValue",
        ],
      ] as const
    ) {
      writeFileSync(alpha.metadataPath, JSON.stringify({ ...metadata, ...change }));
      await refused(run, alpha.record, "agent invocation metadata", ...texts as string[]);
    }
    writeFileSync(alpha.metadataPath, text.slice(0, 100));
    await refused(run, alpha.record, "agent invocation metadata", "line");
  });

  it("refuses an identity that is mixed, unknown or incomplete (T-030, M-024)", async () => {
    const { run, alpha } = prepareNativeRun();
    const metadata = JSON.parse(readFileSync(alpha.metadataPath, "utf8"));
    for (
      const [change, text] of [
        [{ workerId: "alpha" }, '"workerId"'],
        [{ schemaVersion: "1.0" }, '"executionIdentityVersion"'],
        [{ schemaVersion: "3.0" }, "not supported"],
        [{ participantRef: undefined }, '"participantRef" is missing'],
      ] as const
    ) {
      writeFileSync(alpha.metadataPath, JSON.stringify({ ...metadata, ...change }));
      await refused(run, alpha.record, text);
    }
    const first = { ...metadata, workerId: "alpha" };
    for (
      const key of [
        "schemaVersion",
        "executionIdentityVersion",
        "participantRef",
        "roleExecutionRef",
        "executionLabel",
        "dutyId",
        "invocationRef",
      ]
    ) delete first[key];
    writeFileSync(alpha.metadataPath, JSON.stringify(first));
    await refused(run, alpha.record, "version 1", "the run manifest version 2");
  });

  it("lists every finding of the verification in one error (T-030, D-030)", async () => {
    const { run, alpha } = prepareNativeRun();
    editJson(alpha.metadataPath, (metadata) => ({
      ...metadata,
      invocationRef: "another",
      executionLabel: "beta",
    }));
    writeFileSync(alpha.promptPath, readFileSync(alpha.promptPath, "utf8") + "more\n");
    await refused(
      run,
      alpha.record,
      "4 things do not agree",
      "/digests/promptDigest: the prompt changed",
      `/invocationRef: invocationRef is "another", expected "${alpha.invocationId}"`,
      '/executionLabel: executionLabel is "beta", expected "alpha"',
      '/roleExecutionRef: executionLabel of role execution "re/alpha/analyser" is "alpha"',
    );
  });

  it("refuses an assignment that the run manifest does not have (T-030)", async () => {
    const { run, alpha } = prepareNativeRun();
    editJson(run.manifestPath, (manifest) => ({ ...manifest, invocationAssignments: {} }));
    await refused(
      run,
      alpha.record,
      'invocationAssignments of the run manifest has no "initial/alpha"',
    );
    editJson(run.manifestPath, ({ invocationAssignments: _, ...manifest }) => manifest);
    await refused(run, alpha.record, "/invocationAssignments");
  });

  it("refuses a run whose write contract cannot be built, before anything is written (T-033, T-034, T-035)", async () => {
    const { run, alpha } = prepareNativeRun();
    editJson(run.manifestPath, (manifest) => {
      for (const execution of manifest.roleExecutions) delete execution.binding;
      return manifest;
    });
    await refused(run, alpha.record, "re/alpha/analyser");
    const round = prepareNativeRun();
    editJson(round.alpha.metadataPath, (data) => ({ ...data, dispatchKind: "reverify-r" }));
    await refused(round.run, round.alpha.record, '"reverify-r"');
    const unread = prepareNativeRun();
    rmSync(unread.alpha.promptPath);
    mkdirSync(unread.alpha.promptPath);
    await refused(unread.run, unread.alpha.record, unread.alpha.promptPath, "prompt");
  });

  it("records the session that leads, with the project's .okstra as its own (T-032, T-033)", async () => {
    const { run } = prepareNativeRun({ leadRuntime: "claude", runner: "cli-wrapper" });
    const directory = run.manifest.runDirectoryPath;
    const { materializePrompts } = await import("@okstra/manifest-io/io/prompts");
    const { invocations } = materializePrompts(run, {
      delivery: "include",
      now: new Date(0),
      batch: {
        invocations: [{
          "invocation-id": "lead-001",
          "worker-id": "lead",
          "audience": "lead",
          "dispatch-kind": "initial",
          "assignment-ref": "initial/lead",
          "instruction": `${directory}/state/task-brief-discussion-001.md`,
          "prompt": `${directory}/prompts/lead-discussion-001.md`,
          "result": `${directory}/worker-results/lead-discussion-001.md`,
        }],
      },
    });
    const words = recordWords(invocations[0]!.metadataPath, "host-native-spec-link-gate");
    const { status, output } = await call(run, words);
    assertEquals([status, output.dispatch.roleExecutionRef], [0, "re/lead/leader"]);
    assertEquals(output.dispatch.mutationAuditSnapshotPath, "");
    const { writePolicy } = readExecutionManifest(run).invocations[0]!;
    assertEquals(writePolicy["artifactPaths"], [join(run.projectRoot, ".okstra")]);
  });

  it("refuses an agentDispatches of a wrong type before any side effect (T-030, T-036)", async () => {
    const { run, alpha } = prepareNativeRun();
    editJson(teamStatePath(run), (state) => ({ ...state, agentDispatches: {} }));
    await refused(run, alpha.record, teamStatePath(run), "/agentDispatches");
    editJson(teamStatePath(run), ({ agentDispatches: _, ...state }) => state);
    assertEquals((await call(run, alpha.record)).status, 0);
    assertEquals(readState(run).agentDispatches.length, 1);
  });

  it("exits 3 and opens no attempt if the revision is another one (P-2)", async () => {
    const { run, alpha } = prepareNativeRun(), { revision } = readState(run);
    const before = listTree(run.projectRoot);
    const words = [...alpha.record, "--if-revision", String(revision + 1)];
    assertEquals((await call(run, words)).status, 3);
    assertEquals(listTree(run.projectRoot), before);
    const right = [...alpha.record, "--if-revision", String(revision)];
    assertEquals((await call(openRun(run.manifestPath), right)).status, 0);
  });
});
