import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { runApp, testIo } from "@okstra/kit/cli";
import { app as manifestIo } from "@okstra/manifest-io/cli";
import { digestBytes, digestJson } from "@okstra/manifest-io/digest";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { teamStatePath } from "./io/team-state.ts";
import { prepareNativeRun, recordWords } from "./test-native.ts";
import { listTree } from "../../../test/prepared-run.ts";
import { call, editJson, readState } from "./test-run.ts";

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../${path}.json`, import.meta.url)), "utf8");
const good = (kind: string) => read(`../manifest-io/testdata/${kind}/good-first-version`);
const bad = (name: string) => JSON.parse(read(`testdata/first-version/${name}`));
const MANIFEST = "runs/discussion/manifests/run-manifest-discussion-001.json";
const PROMPT = "runs/discussion/prompts/alpha-worker-prompt-discussion-001.md";
const RESULT = "runs/discussion/worker-results/alpha-worker-discussion-001.md";

/** A run of the first version, as its tools left it, with a prompt for `alpha`. */
function firstRun(): { run: Run; metadataPath: string; resultPath: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "okstra-first-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const manifest = JSON.parse(good("run-manifest"));
  write(MANIFEST, good("run-manifest"));
  write(manifest.teamStatePath, good("team-state"));
  write(PROMPT, "# alpha\n\n**Project Root:** /elsewhere\n");
  write(RESULT, "No findings\n");
  // Digests of catalogue and duty are the same for every version.
  const { digests } = JSON.parse(readFileSync(prepareNativeRun().alpha.metadataPath, "utf8"));
  const modelAssignment = manifest.invocationAssignments["initial/alpha"];
  write(
    `${PROMPT}.meta.json`,
    JSON.stringify({
      invocationId: "look-alpha-001",
      assignmentRef: "initial/alpha",
      audience: "discussion-analysis",
      workerId: "alpha",
      prompt: { path: PROMPT },
      modelAssignment,
      digests: {
        ...digests,
        assignmentDigest: digestJson(modelAssignment),
        promptDigest: digestBytes("# alpha\n\n**Project Root:** /elsewhere\n"),
      },
    }),
  );
  return {
    run: openRun(join(root, MANIFEST)),
    metadataPath: join(root, `${PROMPT}.meta.json`),
    resultPath: join(root, RESULT),
  };
}

/** Asserts that a call ends with exit status 2, prints `text` on stderr alone and changes nothing. */
async function refused(run: Run, words: readonly string[], text: string, stdin?: string) {
  const before = listTree(run.projectRoot);
  const result = await call(run, words, stdin === undefined ? {} : { stdin });
  assertEquals([result.status, result.stdout], [2, ""], text);
  assertStringIncludes(result.stderr, text);
  assertEquals(listTree(run.projectRoot), before);
}

describe("okstra-team-state on a run of the first version", () => {
  it("reads a document without revision, and its rows (M-023, T-055)", async () => {
    const { run } = firstRun();
    assertEquals((await call(run, ["show"])).output.note, { big: 9007199254740991 });
    const table = (await call(run, ["show", "--format", "text"])).stdout;
    assertStringIncludes(table, "alpha   not-run  -");
    assertStringIncludes(table, "beta    running  1");
    assertEquals((await call(run, ["sessions"])).output.sessions, ["s-1", "s-2"]);
    assertEquals((await call(run, ["dispatch", "running"])).output.running.length, 1);
    assertEquals((await call(run, ["usage"])).output.workers[1].unknownAttempts, 2);
  });

  it("changes it, counts revisions from then on, and keeps unknown fields (M-023, P-2)", async () => {
    const { run } = firstRun();
    const set = ["worker", "set", "--worker", "alpha", "--status", "in-progress"];
    assertEquals((await call(run, [...set, "--if-revision", "2"])).status, 3);
    assertEquals((await call(run, [...set, "--if-revision", "1"])).output.revision, 2);
    const row = { workerId: "alpha", schemaVersion: "1.0", promptPath: "a.md", status: "running" };
    const append = await call(run, ["dispatch", "append"], { stdin: JSON.stringify(row) });
    assertEquals([append.output.revision, append.output.workerDispatches], [3, 3]);
    const settle = [
      "dispatch",
      "settle",
      "--prompt",
      "/elsewhere/beta.md",
      "--status",
      "completed",
    ];
    assertEquals((await call(run, settle)).output.dispatch.status, "completed");
    await call(run, ["facts", "record", "--dispatch-mode", "cli-wrapper"]);
    const state = readState(run), first = JSON.parse(good("team-state"));
    assertEquals([state.revision, state.note], [5, first.note]);
    assertEquals(state.workerDispatches[1], first.workerDispatches[1]);
  });

  it("records a dispatch with its worker and without attempt, policy or audit (T-030, T-037)", async () => {
    const { run, metadataPath } = firstRun();
    const before = Object.keys(listTree(run.projectRoot));
    const words = recordWords(metadataPath, "host-native-spec-link-gate");
    const { output, stderr } = await call(run, words);
    assertEquals([stderr, output.isNew, output.revision], ["", true, 2]);
    const { digests } = JSON.parse(readFileSync(metadataPath, "utf8"));
    assertEquals(output.dispatch, {
      workerId: "alpha",
      dispatchId: "look-alpha-001:attempt-1",
      audience: "discussion-analysis",
      invocationId: "look-alpha-001",
      assignmentRef: "initial/alpha",
      promptPath: PROMPT,
      promptMetadataPath: `${PROMPT}.meta.json`,
      ...digests,
      modelExecutionValue: "m-1",
      hostModelValue: "Model One",
      enforcementMode: "host-native-spec-link-gate",
      promptDeliveryVerified: false,
      status: "dispatched",
    });
    assertEquals(Object.keys(listTree(run.projectRoot)), before);
    const again = await call(run, words);
    assertEquals(again.output, { ...output, isNew: false });
  });

  it("links and rejects without an attempt to close (T-047, T-050)", async () => {
    const { run, metadataPath, resultPath } = firstRun();
    await call(run, recordWords(metadataPath, "host-native-spec-link-gate"));
    const id = "look-alpha-001:attempt-1";
    const link = ["result", "link", "--dispatch-id", id, "--result", resultPath];
    assertEquals((await call(run, link)).output.link, { dispatchId: id, resultPath: RESULT });
    assertEquals(existsSync(run.at(run.manifest.executionManifestPath)), false);
    const reject = ["result", "reject", "--dispatch-id", id, "--superseded-by", "look-alpha-002"];
    const { output } = await call(run, [...reject, "--reason", "wrong form"]);
    assertEquals(output.link.supersededBy, "look-alpha-002");
  });

  it("is judged as a whole by validate-run (M-023)", async () => {
    const { run, metadataPath, resultPath } = firstRun();
    await call(run, recordWords(metadataPath, "host-native-spec-link-gate"));
    const id = "look-alpha-001:attempt-1";
    await call(run, ["result", "link", "--dispatch-id", id, "--result", resultPath]);
    const issues = async () => {
      const io = testIo({ env: { OKSTRA_RUN: run.manifestPath }, cwd: "/" });
      await runApp(manifestIo, ["validate-run"], io);
      return JSON.parse(io.stdout).issues.map((issue: { pointer: string }) => issue.pointer);
    };
    assertEquals(await issues(), ["/teamCreate"]);
    editJson(teamStatePath(run), (state) => ({
      ...state,
      teamCreate: { status: "skipped" },
      workerDispatches: [{ ...state.workerDispatches[0], dutyId: "analysis" }],
    }));
    assertEquals(await issues(), ["/workerDispatches/0"]);
  });
});

describe("mixing of versions", () => {
  it("is refused in a run manifest (M-023, M-024)", async () => {
    for (const { change, pointer } of bad("run-manifest")) {
      const { run } = firstRun();
      editJson(run.manifestPath, (manifest) => ({ ...manifest, ...change }));
      await refused(run, ["show"], pointer);
    }
  });

  it("is refused in rows that are recorded (M-024, T-056)", async () => {
    const { run } = firstRun();
    for (const { row, text } of bad("rows")) {
      await refused(
        run,
        ["dispatch", "append"],
        text,
        JSON.stringify({ status: "running", ...row }),
      );
    }
  });

  it("is refused in invocation metadata, and between it and its run (T-030, M-024)", async () => {
    const { run, metadataPath } = firstRun(),
      words = recordWords(metadataPath, "core-pre-dispatch");
    const good = readFileSync(metadataPath, "utf8");
    for (const { change, text } of bad("metadata")) {
      writeFileSync(metadataPath, JSON.stringify({ ...JSON.parse(good), ...change }));
      await refused(run, words, text);
    }
    const second = prepareNativeRun().alpha;
    writeFileSync(metadataPath, readFileSync(second.metadataPath));
    await refused(run, words, "its metadata has version 2, and the run manifest version 1");
    const { workerId: _, ...nameless } = JSON.parse(good);
    writeFileSync(metadataPath, JSON.stringify(nameless));
    await refused(run, words, "workerId is missing");
  });

  it("is refused where a row on disk mixes what a link would copy (T-048, M-024)", async () => {
    const { run, metadataPath, resultPath } = firstRun();
    await call(run, recordWords(metadataPath, "host-native-spec-link-gate"));
    editJson(teamStatePath(run), (state) => {
      state.agentDispatches[0].roleExecutionRef = "re/alpha/analyser";
      return state;
    });
    const id = "look-alpha-001:attempt-1";
    const link = ["result", "link", "--dispatch-id", id, "--result", resultPath];
    await refused(run, link, '"roleExecutionRef"');
    assert(readState(run).agentResultLinks === undefined);
  });
});
