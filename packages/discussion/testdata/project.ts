// A real project with runs of a discussion, for tests that go through the command line.
import { prepareRun } from "@okstra/manifest-io/io/prepare";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { formatJson } from "@okstra/manifest-io/json-text";
import { runApp, testIo, type TestIoOptions } from "@okstra/kit/cli";
import { updateTeamState } from "@okstra/team-state/io/team-state";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { app } from "../src/cli.ts";
import { openStore } from "../src/io/open-store.ts";
import { listRecords } from "../src/record-book.ts";

export const TASK = "demo/review/src";

/** Where the record of that task lies in a project. */
export const STORE = ".okstra/discussions/demo/review/src";

/** The command with which a discussion begins. */
export const SUBJECT = ["confirm-subject", "--subject", "src", "--question", "Which faults?"];

/** Makes a new project directory. */
export function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "okstra-discussion-")));
  const providers = { lint: { argv: ["true"] } };
  writeFileSync(
    join(root, "providers.json"),
    JSON.stringify({ schemaVersion: "1.0", providers }),
  );
  return root;
}

/** Runs a test in a new project and removes it afterwards. */
export async function withProject(test: (root: string) => void | Promise<void>): Promise<void> {
  const root = makeProject();
  try {
    await test(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Prepares a run of `alpha` and `beta`; returns the path of its manifest. */
export function prepare(
  projectRoot: string,
  taskType: "discussion" | "analysis" = "discussion",
): string {
  return prepareRun({
    projectRoot,
    taskKey: TASK,
    taskType,
    brief: "Look at everything.\n",
    workers: ["alpha,provider=lint,model=m-1", "beta,provider=lint"],
    leadRuntime: "external",
    backend: "cli-wrapper",
    providerFile: join(projectRoot, "providers.json"),
    now: "2026-01-31T09:05:00Z",
  }).runManifestPath;
}

/** What came out of one call. */
export interface Called {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

/** Calls the tool in this process. */
export async function call(words: readonly string[], options: TestIoOptions = {}): Promise<Called> {
  const io = testIo({ cwd: "/", ...options });
  const status = await runApp(app, words, io);
  const { stdout, stderr } = io;
  return { status, stdout, stderr, json: parseDocument(stdout) };
}

// A list of records is no document, nor is a page.
function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads all records of a store. */
export function readStore(storeDirectory: string): readonly DiscussionRecord[] {
  return listRecords(openStore(storeDirectory).book);
}

/** Calls the tool for a run; fails unless the status is 0. */
export async function ok(run: string, ...words: readonly string[]) {
  const called = await call(words, { env: { OKSTRA_RUN: run } });
  if (called.status !== 0) throw new Error(`${words.join(" ")}: ${called.stderr}`);
  return called.json;
}

/** Lists every file below a directory with its bytes, locks left out. */
export function listTree(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true }) as string[]) {
    const path = join(directory, name);
    if (!name.endsWith(".lock")) files[name] = statSync(path).isFile() ? read(path) : "<directory>";
  }
  return files;
}

/** Makes a directory hold just the files that {@linkcode listTree} listed. */
export function restoreTree(directory: string, tree: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(listTree(directory)).sort().reverse()) {
    if (!Object.hasOwn(tree, name)) rmSync(join(directory, name), { recursive: true });
  }
  for (const [name, text] of Object.entries(tree)) {
    const path = join(directory, name);
    if (text === "<directory>") mkdirSync(path, { recursive: true });
  }
  for (const [name, text] of Object.entries(tree)) {
    if (text !== "<directory>") writeFileSync(join(directory, name), text, "latin1");
  }
}

export const read = (path: string): string => readFileSync(path, "latin1");

/** Writes into the team state what became of the workers of a cycle. */
export function finishWorkers(
  runPath: string,
  batchPath: string,
  statuses: Record<string, string>,
) {
  const run = openRun(runPath);
  const { invocations } = JSON.parse(readFileSync(batchPath, "utf8"));
  const rows = invocations.map((entry: Record<string, string>) => ({
    assignmentRef: entry["assignment-ref"],
    kind: entry["dispatch-kind"],
    invocationId: entry["invocation-id"],
    dispatchId: `${entry["invocation-id"]}:attempt-1`,
    promptPath: run.at(entry["prompt"] ?? ""),
    attempt: 1,
    status: statuses[entry["worker-id"] ?? ""] ?? "completed",
    reason: "made by a test",
    workerResultPath: run.at(entry["result"] ?? ""),
  }));
  for (const { workerResultPath } of rows) {
    writeFileSync(
      workerResultPath,
      "# Findings\n\nNo findings\n\n# Questions for the user\n\n- Why?\n",
    );
  }
  updateTeamState(run, {}, (state) => ({
    ...state,
    workerDispatches: [...state.workerDispatches ?? [], ...rows],
  }));
}

/** Writes a final convergence state without findings. */
export function writeFinalState(run: Run, fields: object = {}): string {
  const path = run.at(run.manifest.convergenceStatePath);
  writeFileSync(
    path,
    formatJson({
      schemaVersion: "1.0",
      taskKey: TASK,
      finalState: "no-findings",
      round2SkippedReason: "there is nothing to verify",
      workers: ["alpha", "beta"].map((worker) => ({ worker, provider: "lint" })),
      rounds: [],
      findings: [],
      coverage: null,
      counts: {},
      ...fields,
    }),
  );
  return path;
}
