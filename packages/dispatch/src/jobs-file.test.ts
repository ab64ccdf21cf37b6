import { describe, it } from "node:test";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { PlanPayload } from "./plan-payload.ts";
import { firstEntry, makeFirstRun, prepareQuestions, writeQuestions } from "./test-batch.ts";
import { type TestRun, withRun } from "./test-run.ts";

type Entry = Record<string, unknown>;
const TWO = { alpha: "ok", beta: "ok" };

/** Asserts that a jobs file is refused by plan, start and run with words, and that nothing is written. */
async function assertRefused(run: TestRun, file: unknown, said: readonly string[], code = 2) {
  writeFileSync(run.at("jobs.json"), JSON.stringify(file));
  const before = run.files();
  for (const command of ["plan", "start", "run"]) {
    const result = await run.call([command, "--jobs-file", "jobs.json"]);
    assertEquals([result.code, result.stdout], [code, ""], result.stderr);
    for (const each of said) assertStringIncludes(result.stderr, each);
  }
  assertEquals(run.files(), before);
}

/** Prepares questions and returns the jobs file that they come to. */
async function writeJobs(run: TestRun, workers: readonly string[]) {
  const batch = prepareQuestions(run, workers);
  const { json, code, stderr } = await run.call(["jobs", "--batch", batch]);
  assertEquals(code, 0, stderr);
  return json as { dispatchKind: string; workers: Entry[] };
}

describe("okstra-dispatch jobs", () => {
  it("jobs prints what the metadata imply, and a plan of that is the plan of the batch (D-020, D-021)", () =>
    withRun(TWO, async (run) => {
      const file = await writeJobs(run, ["alpha", "beta"]);
      assertEquals(file.dispatchKind, "discussion-question");
      writeFileSync(run.at("jobs.json"), JSON.stringify(file));
      const before = run.files();
      const ofJobs = (await run.call(["plan", "--jobs-file", "jobs.json"])).json as PlanPayload;
      const ofBatch = (await run.call(["plan", "--batch", "batch.json"])).json as PlanPayload;
      assertEquals(ofJobs.workers, ofBatch.workers);
      const strip = ({ workerDispatches }: PlanPayload) =>
        workerDispatches.map(({ origin: _, ...row }) => row);
      assertEquals(strip(ofJobs), strip(ofBatch));
      assertEquals(run.files(), before);
    }));

  it("jobs refuses a batch whose prompts are not prepared, and names the command that does it", () =>
    withRun(TWO, async (run) => {
      writeQuestions(run, ["alpha"]);
      const { code, stderr } = await run.call(["jobs", "--batch", "batch.json"]);
      assertEquals(code, 2);
      assertStringIncludes(stderr, "okstra-manifest-io prompt materialize --batch batch.json");
      renameSync(run.at("batch.json"), run.at("my batch.json"));
      const odd = await run.call(["jobs", "--batch", "my batch.json"]);
      assertStringIncludes(odd.stderr, "materialize --batch 'my batch.json'");
    }));
});

describe("okstra-dispatch plan --jobs-file", () => {
  it("plan takes a jobs file on standard input, one of its workers once, and no batch beside it (D-003, D-002)", () =>
    withRun(TWO, async (run) => {
      const file = JSON.stringify(await writeJobs(run, ["alpha", "beta"]));
      const one = await run.call(["plan", "--jobs-file", "-", "--worker", "beta"], {}, file);
      const { workers } = one.json as PlanPayload;
      assertEquals(workers.map((job) => job["executionLabel"]), ["beta"]);
      const both = await run.call(["plan", "--jobs-file", "x", "--batch", "y"]);
      assertEquals(both.code, 2);
      assertStringIncludes(both.stderr, "cannot be given together");
      const none = await run.call(["plan", "--jobs-file", "-", "--worker", "gamma"], {}, file);
      assertEquals(none.code, 2);
      const twice = ["--worker", "beta", "--worker", "beta-worker"];
      for (const words of [["--jobs-file", "-"], ["--batch", "batch.json"], []]) {
        const { code, stderr } = await run.call(["plan", ...words, ...twice], {}, file);
        assertEquals(code, 2);
        assertStringIncludes(stderr, "beta is requested twice");
      }
    }));

  it("plan names the entries of one prompt by their places in the file, whatever else is wrong (D-002)", () =>
    withRun({ ...TWO, gamma: "ok" }, async (run) => {
      const file = await writeJobs(run, ["alpha", "beta", "gamma"]);
      const [{ attempt: _, ...first }, second, third] = file.workers as [Entry, Entry, Entry];
      const workers = [first, second, { ...third, promptPath: second["promptPath"] }];
      await assertRefused(run, { ...file, workers }, [
        '/workers/0: Cannot read entry 0 of the jobs file: "attempt" is missing',
        "/workers/2/promptPath",
        "is that of entry 1 too",
      ]);
    }));

  it("plan derives results and completion paths, whatever the file says (D-021, M-022)", () =>
    withRun(TWO, async (run) => {
      const { dispatchKind, workers: [entry] } = await writeJobs(run, ["alpha"]);
      const lie = { ...entry, resultPath: "/etc/passwd", completionPaths: ["/etc/passwd"] };
      const file = JSON.stringify({ dispatchKind, workers: [lie] });
      const { json } = await run.call(["plan", "--jobs-file", "-"], {}, file);
      const [job] = (json as PlanPayload).workers;
      assertEquals(job?.["resultPath"], run.at(String(entry?.["workerResultPath"])));
      assertEquals(job?.["completionPaths"], [job?.["resultPath"]]);
    }));

  const refusals: [string, (entry: Entry) => unknown, string[]][] = [
    ["an entry that is no object (D-020)", () => 7, ["/workers/0"]],
    ["another participant (D-023)", (it) => ({ ...it, participantRef: "p/beta" }), [
      'alpha: participantRef is "p/alpha" in the metadata, and "p/beta" in the jobs file',
    ]],
    ["another role execution (D-023)", (it) => ({ ...it, roleExecutionRef: "re/x/y" }), [
      'roleExecutionRef is "re/alpha/analyser" in the metadata',
      'the run manifest has no role execution "re/x/y"',
    ]],
    ["another label (D-023)", (it) => ({ ...it, executionLabel: "beta" }), [
      'executionLabel is "alpha" in the metadata, and "beta" in the jobs file',
      'executionLabel is "alpha" in the role execution',
    ]],
    ["another duty (D-023)", (it) => ({ ...it, dutyId: "coverage-critique" }), [
      'dutyId is "discussion-analysis" in the metadata',
      'duty "coverage-critique" requires "critic"',
    ]],
    ["another attempt (D-023)", (it) => ({ ...it, attempt: 2 }), ["attempt is 1 in the metadata"]],
    ["another invocation (D-023)", (it) => ({ ...it, invocationRef: "x" }), [
      'invocationRef is "question-r-0001-alpha-001" in the metadata',
    ]],
    ["another role (D-023)", (it) => ({ ...it, role: "critic" }), [
      'role is "analyser" in the role execution, and "critic" in the jobs file',
    ]],
    ["another provider (D-023)", (it) => ({ ...it, provider: "claude" }), [
      'provider is "fake" in the role execution, and "claude" in the jobs file',
    ]],
    ["an unknown provider (W-006)", (it) => ({ ...it, provider: "nobody" }), ['"nobody"', "alpha"]],
    ["another model (D-023, D-030)", (it) => ({ ...it, modelExecutionValue: "m-2" }), [
      'modelExecutionValue is "ok" in the metadata, and "m-2" in the jobs file',
    ]],
    ["another host model (D-030)", (it) => ({ ...it, hostModelValue: "h" }), ["hostModelValue"]],
    ["a host model of another type (D-021)", (it) => ({ ...it, hostModelValue: 7 }), [
      "/workers/0/hostModelValue",
    ]],
    ["another mode (D-030)", (it) => ({ ...it, enforcementMode: "x" }), [
      'enforcementMode is "x", expected "core-pre-dispatch"',
    ]],
    ["a missing digest (D-030)", (it) => ({
      ...it,
      digests: { ...it["digests"] as object, dutyDigest: "" },
    }), ["it lacks digests.dutyDigest"]],
    ["no digests at all (D-030)", (it) => ({ ...it, digests: "x" }), ["digests.catalogDigest"]],
    ["another digest (D-030)", (it) => ({
      ...it,
      digests: { ...it["digests"] as object, promptDigest: "sha256:0" },
    }), ["promptDigest is"]],
    ["missing fields, all of them (D-030)", ({ audience: _, enforcementMode: __, ...it }) => it, [
      "it lacks audience, enforcementMode",
    ]],
    ["a path for metadata that is no path (D-030)", (it) => ({ ...it, promptMetadataPath: "." }), [
      "it lacks promptMetadataPath",
    ]],
    ["metadata that are not there (D-023)", (it) => ({ ...it, promptMetadataPath: "x.json" }), [
      "x.json",
      "is not there",
    ]],
    ["a worker id beside version 2, be it null (M-024)", (it) => ({ ...it, workerId: null }), [
      'version 2 must not have "workerId"',
    ]],
    ["an attempt that is no number (M-024, M-034)", (it) => ({ ...it, attempt: true }), [
      "attempt",
    ]],
    ["no attempt (M-024)", ({ attempt: _, ...it }) => it, ['"attempt" is missing']],
    ["another version (M-024)", (it) => ({ ...it, schemaVersion: "3.0" }), ["not supported"]],
    ["half an identity (W-005)", ({ dutyId: _, ...it }) => it, ['"dutyId" is missing']],
    ["no provider (D-021)", ({ provider: _, ...it }) => it, ['"provider" is missing']],
    ["an assignment without a worker (M-025)", (it) => ({ ...it, assignmentRef: "initial/" }), [
      '"assignmentRef" names no worker',
    ]],
    ["identity version 1 under version 2 (D-023)", (it) => ({
      workerId: "alpha",
      ...Object.fromEntries(
        Object.entries(it).filter(([key]) =>
          ![
            "schemaVersion",
            "executionIdentityVersion",
            "participantRef",
            "roleExecutionRef",
            "executionLabel",
            "dutyId",
            "invocationRef",
            "attempt",
          ].includes(key)
        ),
      ),
    }), ["it has identity version 1, and its run has version 2"]],
  ];
  for (const [name, change, said] of refusals) {
    it(`plan, start and run refuse ${name.replace(/ \(.*/, "")}, and write nothing ${/\(.*\)$/.exec(name)![0]}`, () =>
      withRun(TWO, async (run) => {
        const { dispatchKind, workers: [entry] } = await writeJobs(run, ["alpha"]);
        await assertRefused(run, { dispatchKind, workers: [change(entry!)] }, said);
      }));
  }

  it("plan refuses entries of one prompt, an empty file and one without a list (D-020, D-002)", () =>
    withRun(TWO, async (run) => {
      const { dispatchKind, workers: [entry] } = await writeJobs(run, ["alpha"]);
      await assertRefused(run, { dispatchKind, workers: [entry, entry] }, [
        "is that of entry 0 too",
      ]);
      await assertRefused(run, { dispatchKind, workers: [] }, ["/workers", "it is empty"]);
      await assertRefused(run, { dispatchKind }, ["/workers"]);
      await assertRefused(run, { dispatchKind: "initial-retry", workers: [entry] }, [
        'dispatchKind is "discussion-question" in the metadata, and "initial-retry" in the jobs file',
      ]);
      const kind = await run.call([
        "plan",
        "--jobs-file",
        "jobs.json",
        "--dispatch-kind",
        "initial",
      ]);
      assertEquals(kind.code, 2);
    }));

  it("plan reports every problem of every entry at once, by worker (D-023)", () =>
    withRun(TWO, async (run) => {
      const { dispatchKind, workers } = await writeJobs(run, ["alpha", "beta"]);
      const wrong = workers.map((entry) => ({ ...entry, executionLabel: "x", attempt: 3 }));
      await assertRefused(run, { dispatchKind, workers: wrong }, [
        "alpha: executionLabel is",
        "alpha: attempt is",
        "beta: executionLabel is",
        "beta: attempt is",
      ]);
    }));

  it("plan refuses a prompt that changed, and one that breaks the contract of its kind (D-030, D-031, D-033)", () =>
    withRun(TWO, async (run) => {
      const file = await writeJobs(run, ["alpha"]);
      const path = run.at(String(file.workers[0]!["promptPath"]));
      writeFileSync(path, readFileSync(path, "utf8").replace("## Evidence ledger", "## Ledger"));
      await assertRefused(run, file, ["the prompt changed since it was prepared".slice(0, 18)]);
    }));

  it("plan refuses a translator, who is reserved (D-024)", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      const file = await writeJobs(run, ["alpha"]);
      const manifest = JSON.parse(readFileSync(run.run.manifestPath, "utf8"));
      manifest.roleExecutions[0].role = "translator";
      writeFileSync(run.run.manifestPath, JSON.stringify(manifest));
      const { code, stderr } = await run.call(
        ["plan", "--jobs-file", "-"],
        {},
        JSON.stringify(file),
      );
      assertEquals(code, 2);
      assertStringIncludes(stderr, "translator");
    }));
});

describe("okstra-dispatch over a run of identity version 1", () => {
  it("jobs says that no metadata tell what belongs into the file, and names no way that is closed (D-025)", () =>
    withRun(TWO, async (run) => {
      makeFirstRun(run);
      const { code, stdout, stderr } = await run.call(["jobs"]);
      assertEquals([code, stdout], [2, ""]);
      assertStringIncludes(stderr, "the run has identity version 1");
      assertStringIncludes(stderr, "okstra-manifest-io schema jobs-file");
    }));

  it("plan of its roster takes the prompts that are there, and writes jobs of version 1 (D-007, W-018, D-009)", () =>
    withRun(TWO, async (run) => {
      makeFirstRun(run);
      const before = run.files();
      const { code, json, stderr } = await run.call(["plan"]);
      assertEquals(code, 0, stderr);
      const { workers, workerDispatches } = json as PlanPayload;
      assertEquals(workers.map((job) => [job["schemaVersion"], job["workerId"], job["role"]]), [
        [1, "alpha", "analyser"],
        [1, "beta", "analyser"],
      ]);
      const command = workers[0]?.["command"] as string[];
      assert(!command.includes("--invocation-metadata"));
      assertEquals(
        [workerDispatches[0]?.dispatchId, workerDispatches[0]?.["participantRef"]],
        [undefined, undefined],
      );
      assertEquals(run.files(), before);
    }));

  it("plan takes a provider's own script from the project's file, roster and jobs file alike (W-006, D-007)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      makeFirstRun(run);
      const table = { fake: { argv: ["true"], wrapper: "own.sh" } };
      const providers = JSON.stringify({ schemaVersion: "1.0", providers: table });
      writeFileSync(run.at(".okstra/providers.json"), providers);
      mkdirSync(run.at("scripts"));
      writeFileSync(run.at("scripts/own.sh"), "#!/bin/sh\n");
      const file = JSON.stringify({ workers: [firstEntry(run, "alpha")] });
      for (const words of [[], ["--jobs-file", "-"]]) {
        const { json, stderr } = await run.call(["plan", ...words], {}, file);
        const [job] = (json as PlanPayload).workers;
        assertEquals(job?.["wrapperPath"], run.at("scripts/own.sh"), stderr);
      }
    }));

  it("plan of a jobs file of version 1 takes the provider from the worker, and the role as it is (D-021, W-004)", () =>
    withRun({ claude: "ok", beta: "ok" }, async (run) => {
      makeFirstRun(run);
      const { provider: _, ...entry } = firstEntry(run, "claude");
      const file = { workers: [{ ...entry, role: "researcher" }, firstEntry(run, "beta")] };
      const { json, stderr } = await run.call(
        ["plan", "--jobs-file", "-"],
        {},
        JSON.stringify(file),
      );
      const { workers } = json as PlanPayload;
      assertEquals(workers.map((job) => `${job["provider"]} ${job["role"]}`), [
        "claude researcher",
        "fake analyser",
      ], stderr);
      assertEquals(workers[0]?.["dispatchKind"], "initial");
    }));

  const refusals: [string, (entry: Entry) => unknown, string][] = [
    ["entries of version 2 (D-025)", (it) => ({
      ...Object.fromEntries(Object.entries(it).filter(([key]) => key !== "workerId")),
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      assignmentRef: "initial/alpha",
      participantRef: "p",
      roleExecutionRef: "r",
      executionLabel: "l",
      dutyId: "d",
      invocationRef: "i",
      attempt: 1,
    }), "the run has version 1"],
    [
      "mixed identities (M-024)",
      (it) => ({ ...it, dutyId: null }),
      'version 1 must not have "dutyId"',
    ],
    ["a worker without a row (D-002, T-015)", (it) => ({ ...it, workerId: "zeta" }), "no row in"],
    [
      "a role that the wrapper does not know (W-004)",
      (it) => ({ ...it, role: "Alpha worker" }),
      "Alpha worker",
    ],
    ["a prompt that is not there (D-031)", (it) => ({ ...it, promptPath: "none.md" }), "none.md"],
  ];
  for (const [name, change, said] of refusals) {
    it(`plan, start and run refuse ${name}`, () =>
      withRun(TWO, async (run) => {
        makeFirstRun(run);
        await assertRefused(run, { workers: [change(firstEntry(run, "alpha"))] }, [said]);
      }));
  }

  it("plan wants the whole invocation where the manifest has an agent contract, by its presence alone (D-030)", () =>
    withRun(TWO, async (run) => {
      makeFirstRun(run, { agentContract: {} });
      await assertRefused(run, { workers: [firstEntry(run, "alpha")] }, [
        "alpha: it lacks invocationId, audience, assignmentRef, promptMetadataPath, " +
        "digests.catalogDigest",
      ]);
      const jobs = { workers: [firstEntry(run, "alpha")] };
      makeFirstRun(run, { agentContract: {}, runManifestPath: undefined });
      await assertRefused(run, jobs, ["has an agentContract and no runManifestPath"]);
    }));

  it("plan, start and run refuse a batch, and a roster whose prompts are missing or poor (D-025, D-009, D-031)", () =>
    withRun(TWO, async (run) => {
      makeFirstRun(run);
      const { path } = writeQuestions(run, ["alpha"]);
      const refused = async (words: string[], said: string) => {
        for (const command of ["plan", "start", "run"]) {
          const { code, stderr } = await run.call([command, ...words]);
          assertEquals(code, 2);
          assertStringIncludes(stderr, said);
        }
      };
      await refused(["--batch", path], "--jobs-file");
      const prompt = run.run.at(run.run.manifest.workerPromptPathByWorkerId["beta"]!);
      writeFileSync(prompt, readFileSync(prompt, "utf8").replace("## Evidence ledger", ""));
      await refused([], 'beta: it has no section "Evidence ledger"');
    }));
});
