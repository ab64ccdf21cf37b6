// The documents of a run on disk, to the check of a whole run.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { openAttempt } from "../../../packages/manifest-io/src/io/attempts.ts";
import { readDocument, updateDocument } from "../../../packages/manifest-io/src/io/document.ts";
import { materializePrompts } from "../../../packages/manifest-io/src/io/prompts.ts";
import { openRun, type Run } from "../../../packages/manifest-io/src/io/run.ts";
import { validateRun } from "../../../packages/manifest-io/src/io/validate-run.ts";
import { parsePointer } from "../../../packages/manifest-io/src/json-pointer.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import { invocationMetadata } from "../../../packages/manifest-io/src/schemas/invocation-metadata.ts";
import {
  type DispatchRow,
  teamState,
} from "../../../packages/manifest-io/src/schemas/team-state.ts";
import { prepareTestRun } from "../../../test/prepared-run.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, target } from "../target.ts";
import { damage, mutate } from "../values.ts";

/** What judges whole runs. */
export const RUN = target("run", "the documents of a run on disk, each damaged", makeRun, checkRun);

interface RunCase {
  /** Which document is damaged, and its text; the place of the project stands in it as {@linkcode ROOT}. */
  readonly path: string;
  readonly text: string;
}

const ROOT = "/the/project";

/** Adds a row that says that an invocation is under way. */
function addRow(run: Run, metadataPath: string): void {
  const { prompt, ...metadata } = readDocument(invocationMetadata, metadataPath);
  updateDocument(teamState, run.at(run.manifest.teamStatePath), {}, (state) => ({
    ...state,
    teamCreate: { attempted: false, status: "not-needed" },
    workers: state.workers.map((row) => ({ ...row, status: "in-progress", reason: "" })),
    workerDispatches: [...state.workerDispatches ?? [], {
      ...{ schemaVersion: "2.0", executionIdentityVersion: 2, kind: "initial", status: "running" },
      ...{ attempt: 1, promptPath: run.at(prompt.path), promptMetadataPath: metadataPath },
      ...{ invocationId: metadata.invocationId, invocationRef: metadata.invocationRef },
      ...{ dispatchId: `${metadata.invocationId}:attempt-1`, dutyId: metadata.dutyId },
      ...{ assignmentRef: metadata.assignmentRef, participantRef: metadata.participantRef },
      ...{ roleExecutionRef: metadata.roleExecutionRef, executionLabel: metadata.executionLabel },
    } as DispatchRow],
  }));
}

/** A run and the texts of its documents; made once, when the first input needs it. */
let prepared: { readonly run: Run; readonly texts: ReadonlyMap<string, string> } | null = null;

function prepareOnce() {
  if (prepared !== null) return prepared;
  const run = prepareTestRun(), { manifest, projectRoot } = run, now = "2026-01-31T10:00:00Z";
  process.on("exit", () => rmSync(projectRoot, { recursive: true, force: true }));
  const metadata = materializePrompts(run, { delivery: "include", now: new Date(now) }).invocations
    .map(({ metadataPath }) => run.at(metadataPath));
  for (const metadataPath of metadata) {
    openAttempt(run, { metadataPath, attempt: 1, startedAt: now });
    addRow(run, metadataPath);
  }
  const paths = [
    ...[manifest.runManifestPath, manifest.teamStatePath, manifest.executionManifestPath],
    ...metadata.map((path) => run.relative(path)),
  ];
  const texts = paths.map((path) =>
    [path, readFileSync(run.at(path), "utf8").replaceAll(projectRoot, ROOT)] as const
  );
  return prepared = { run, texts: new Map(texts) };
}

function makeRun(chooser: Chooser): RunCase {
  const { pick, number, once } = chooser, [path, text] = pick([...prepareOnce().texts]);
  if (once(20)) return { path, text: damage(text, chooser) };
  let value = JSON.parse(text) as JsonValue;
  for (let i = number(4); i > 0; i--) {
    const { workerDispatches: rows } = (value ?? {}) as { workerDispatches?: JsonValue[] };
    // Most of what rows may contradict each other in is deep inside.
    if (Array.isArray(rows) && once(2)) {
      const damaged = rows.map((row) => once(2) ? mutate(row, chooser) : row);
      value = { ...value as object, workerDispatches: damaged };
    } else value = mutate(value, chooser);
  }
  return { path, text: JSON.stringify(value) };
}

function checkRun({ path, text }: RunCase): string | null {
  const { run, texts } = prepareOnce(), good = texts.get(path)!;
  const place = (content: string) => content.replaceAll(ROOT, run.projectRoot);
  writeFileSync(run.at(path), place(text));
  try {
    const answer = attempt(
      () => validateRun(openRun(run.manifestPath)),
      (error) => error instanceof OkstraError,
    );
    if (!readFileSync(run.at(path)).equals(Buffer.from(place(text)))) {
      return "the document was changed";
    }
    const isGood = isGoodJson(text) && isSameJson(JSON.parse(text), JSON.parse(good));
    if ("refusal" in answer) {
      const isNeeded = !path.endsWith(".meta.json");
      return isNeeded && !isGood ? null : `refused: ${answer.refusal.message}`;
    }
    if (isGood) return answer.value.length === 0 ? null : JSON.stringify(answer.value);
    for (const { file, pointer = "", message } of answer.value) {
      if (message === "" || file === undefined || parsePointer(pointer) === null) {
        return `an issue ${message} at ${pointer} of ${file}`;
      }
    }
    return null;
  } finally {
    writeFileSync(run.at(path), place(good));
  }
}

function isGoodJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
