import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { digestJson } from "../digest.ts";
import { OkstraError } from "../errors.ts";
import { listTree, prepareTestRun } from "../../../../test/prepared-run.ts";
import { readInvocationRecord } from "./invocation-record.ts";
import { materializePrompts } from "./prompts.ts";
import type { PrepareOptions } from "./prepare.ts";
import { openRun, type Run } from "./run.ts";

type Values = Record<string, unknown>;

/** Rewrites a JSON file. */
function edit(path: string, change: (value: Values) => Values): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

function prepared(options: Partial<PrepareOptions> = {}, worker = "alpha") {
  const run = prepareTestRun(options);
  const { invocations } = materializePrompts(run, { delivery: "include", now: new Date(0) });
  const invocation = invocations.find((each) => each.workerId === worker)!;
  const withoutHeader = (label: string) => {
    const lines = readFileSync(invocation.promptPath, "utf8").split("\n");
    const rest = lines.filter((line) => !line.startsWith(`**${label}:**`));
    writeFileSync(invocation.promptPath, rest.join("\n"));
  };
  return { run, ...invocation, withoutHeader };
}

function policyOf(run: Run, metadataPath: string) {
  const { writePolicy } = readInvocationRecord(run, metadataPath);
  return writePolicy as Values & { sourcePolicy: Values; artifactPaths: string[] };
}

/** Asserts a refusal that leaves no trace; returns it. */
function refuse(run: Run, metadataPath: string): OkstraError {
  const before = listTree(run.projectRoot);
  const error = assertThrows(() => readInvocationRecord(run, metadataPath), OkstraError);
  assertEquals(listTree(run.projectRoot), before);
  return error;
}

describe("readInvocationRecord()", () => {
  it("takes the artifacts from the prompt's headers (T-034)", () => {
    const { run, metadataPath, promptPath, withoutHeader } = prepared();
    const own = [`${promptPath}.log`, `${promptPath}.status.json`];
    writeFileSync(
      promptPath,
      [
        "**Result Path:** out/r.md",
        "**Audit sidecar path:** /elsewhere/a.json",
        "**Errors sidecar path:** out/e.json",
        "**Worker Result Path:** out/w.md",
        "**Worktree:** tree",
      ].join("\n"),
    );
    const out = (name: string) => run.at(`out/${name}`);
    const named = ["/elsewhere/a.json", ...own, out("e.json"), out("r.md")].sort();
    assertEquals(policyOf(run, metadataPath).artifactPaths, [...named, out("w.md")].sort());
    withoutHeader("Worker Result Path");
    assertEquals(policyOf(run, metadataPath).artifactPaths, named);
  });

  it("falls back to manifest and team state if a header is missing or blank (T-034)", () => {
    const { run, metadataPath, promptPath, workerResultPath } = prepared();
    const whole = policyOf(run, metadataPath);
    const text = readFileSync(promptPath, "utf8");
    for (const label of ["Result Path", "Audit sidecar path", "Errors sidecar path"]) {
      for (const line of ["", `**${label}:** `]) {
        writeFileSync(promptPath, text.replace(new RegExp(`^\\*\\*${label}:.*$`, "m"), line));
        assertEquals(policyOf(run, metadataPath), whole, `${label} ${line}`);
      }
    }
    assert(whole.artifactPaths.includes(`${workerResultPath}.errors.json`));
    rmSync(run.at(run.manifest.activeRunContextPath));
    assert(
      !policyOf(run, metadataPath).artifactPaths.includes(`${workerResultPath}.errors.json`),
    );
  });

  it("refuses incomplete headers where nothing else says it (T-034)", () => {
    const { run, metadataPath, withoutHeader } = prepared();
    withoutHeader("Result Path");
    const teamStatePath = run.at(run.manifest.teamStatePath);
    const [row] = JSON.parse(readFileSync(teamStatePath, "utf8")).workers;
    for (const workers of [[], [row, row]]) {
      edit(teamStatePath, (state) => ({ ...state, workers }));
      const error = refuse(run, metadataPath);
      assertEquals(error.code, "worker-row-ambiguous");
      assertStringIncludes(error.message, `${workers.length} rows of worker "alpha"`);
    }
    edit(teamStatePath, (state) => ({ ...state, workers: [{ ...row, resultPath: " " }] }));
    assertStringIncludes(refuse(run, metadataPath).message, "alpha has no resultPath");
    for (const assignmentRef of ["later/alpha", "initial/", "initial/alpha/x", "alpha"]) {
      edit(metadataPath, (metadata) => ({ ...metadata, assignmentRef }));
      const error = refuse(run, metadataPath);
      assertEquals(error.code, "headers-incomplete");
      assertStringIncludes(error.message, `incomplete, and "${assignmentRef}"`);
    }
  });

  it("does not fall back if the prompt cannot be read (T-034)", () => {
    const { run, metadataPath, promptPath } = prepared();
    rmSync(promptPath);
    assertEquals(refuse(run, metadataPath).code, "not-found");
    writeFileSync(promptPath, new Uint8Array([0xff]));
    assertEquals(refuse(run, metadataPath).code, "not-utf8");
  });

  it("gives an implementer its worktree and planned paths (T-033)", () => {
    const worktree = prepareTestRun().projectRoot;
    const made = prepared({ taskType: "implementation", worktree });
    assertEquals(policyOf(made.run, made.metadataPath).sourcePolicy, {
      allowedRoot: worktree,
      plannedPaths: [],
      plannedPathsDeclared: false,
    });
    edit(made.run.manifestPath, (manifest) => ({ ...manifest, plannedPaths: ["src/a.ts"] }));
    const run = openRun(made.run.manifestPath);
    const whole = policyOf(run, made.metadataPath);
    assertEquals(whole.sourcePolicy, {
      allowedRoot: worktree,
      plannedPaths: ["src/a.ts"],
      plannedPathsDeclared: true,
    });
    made.withoutHeader("Errors sidecar path");
    assertEquals(policyOf(run, made.metadataPath), whole);
  });

  it("gives the session that leads its project's .okstra, and nobody else (T-033, T-032)", () => {
    const run = prepareTestRun({ leadRuntime: "claude" });
    const directory = run.manifest.runDirectoryPath, name = "lead-prompt-discussion-001.md";
    writeFileSync(run.at(`${directory}/state/brief.md`), "Lead.\n");
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
          "instruction": `${directory}/state/brief.md`,
          "prompt": `${directory}/prompts/${name}`,
          "result": `${directory}/worker-results/lead-discussion-001.md`,
        }],
      },
    });
    const { metadataPath } = invocations[0]!;
    const { writePolicy, writeEnforcement } = readInvocationRecord(run, metadataPath);
    assertEquals(writePolicy, {
      role: "leader",
      projectRoot: run.projectRoot,
      sourcePolicy: { allowedRoot: null, plannedPaths: [], plannedPathsDeclared: true },
      artifactPaths: [join(run.projectRoot, ".okstra")],
      auxiliaryRoots: [],
      precision: "none",
    });
    assertEquals(writeEnforcement, { mutationAudit: "none", boundary: "none" });
    const external = prepareTestRun();
    assertEquals(
      external.manifest.roleExecutions.filter((row) => row.role === "leader"),
      [],
    );
  });

  it("refuses a leader without .okstra, and a manifest that says not where it works (T-033)", () => {
    const { run, metadataPath } = prepared({ leadRuntime: "claude" });
    edit(metadataPath, (metadata) => ({
      ...metadata,
      dutyId: "lead",
      roleExecutionRef: "re/lead/leader",
    }));
    const home = run.at(".okstra"), moved = run.at("elsewhere");
    renameSync(home, moved);
    const path = join(moved, metadataPath.slice(home.length + 1));
    writeFileSync(home, "");
    const error = refuse(run, path);
    assertEquals(error.code, "leader-root-missing");
    assertStringIncludes(error.message, home);
    rmSync(home);
    renameSync(moved, home);
    edit(run.manifestPath, (manifest) => ({ ...manifest, taskRootPath: " " }));
    const shape = assertThrows(() => openRun(run.manifestPath), OkstraError);
    assertEquals(shape.issues.map((issue) => issue.pointer), ["/taskRootPath"]);
  });

  it("refuses a role execution that is missing or whose runner has no write capability (T-033)", () => {
    const { run, metadataPath } = prepared();
    for (
      const binding of [undefined, {}, { workerWriteCapability: { maxBoundaryPrecision: "" } }]
    ) {
      edit(run.manifestPath, (manifest) => ({
        ...manifest,
        roleExecutions: (manifest["roleExecutions"] as Values[]).map((row) => ({
          ...row,
          binding,
        })),
      }));
      const error = refuse(openRun(run.manifestPath), metadataPath);
      assertEquals(error.code, "runner-capability-missing");
      assertStringIncludes(error.message, "re/alpha/analyser");
    }
    edit(run.manifestPath, (manifest) => ({ ...manifest, roleExecutions: [] }));
    const error = refuse(openRun(run.manifestPath), metadataPath);
    assertEquals(error.code, "role-execution-missing");
    assertStringIncludes(error.message, "re/alpha/analyser");
  });

  it("holds a provider that the operating system does not sandbox by an audit of its batch (T-033)", () => {
    const { run, metadataPath } = prepared();
    const record = readInvocationRecord(run, metadataPath);
    assertEquals(record.writeEnforcement, { mutationAudit: "batch", boundary: "none" });
    assertEquals(record.writePolicyDigest, digestJson(record.writePolicy));
    edit(run.manifestPath, (manifest) => ({
      ...manifest,
      providers: { lint: { argv: ["true"], sandbox: true } },
    }));
    const sandboxed = readInvocationRecord(openRun(run.manifestPath), metadataPath);
    assertEquals(sandboxed.writeEnforcement, { mutationAudit: "none", boundary: "none" });
  });

  it("refuses a verification round without a number, and metadata of version 1 (T-035)", () => {
    const { run, metadataPath } = prepared();
    edit(metadataPath, (metadata) => ({ ...metadata, dispatchKind: "reverify-r0" }));
    const error = refuse(run, metadataPath);
    assertEquals(error.code, "bad-dispatch-kind");
    assertStringIncludes(error.message, '"reverify-r0"');
    edit(metadataPath, ({ dutyId: _, ...metadata }) => metadata);
    assertEquals(refuse(run, metadataPath).code, "identity-missing");
  });
});
