import { writeFileSync } from "node:fs";
import { materializePrompts } from "@okstra/manifest-io/io/prompts";
import type { PrepareOptions } from "@okstra/manifest-io/io/prepare";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { NATIVE_SESSION } from "@okstra/manifest-io/vocabulary";
import { prepareTestRun } from "../../../test/prepared-run.ts";
import { call, editJson } from "./test-run.ts";

/** A prepared invocation and the words that record it; for tests only. */
export interface TestDispatch {
  readonly dispatchId: string;
  readonly invocationId: string;
  readonly metadataPath: string;
  readonly promptPath: string;
  readonly resultPath: string;
  readonly record: readonly string[];
  readonly link: readonly string[];
}

/** Prepares a run whose workers are sessions of the host, with a prompt for each; for tests only. */
export function prepareNativeRun(
  options: Partial<PrepareOptions> & { runner?: string } = {},
): { run: Run; alpha: TestDispatch; beta: TestDispatch } {
  const { runner = NATIVE_SESSION, ...rest } = options;
  const made = prepareTestRun(rest);
  editJson(made.manifestPath, (manifest) => {
    for (const assignment of Object.values(manifest.invocationAssignments)) {
      Object.assign(assignment as object, { runner });
    }
    return manifest;
  });
  const run = openRun(made.manifestPath);
  const now = new Date("2026-01-31T09:10:00Z");
  const [alpha, beta] = materializePrompts(run, { delivery: "include", now }).invocations.map(
    ({ invocationId, metadataPath, promptPath, resultPath }): TestDispatch => {
      const dispatchId = `${invocationId}:attempt-1`;
      return {
        dispatchId,
        invocationId,
        metadataPath,
        promptPath,
        resultPath,
        record: recordWords(metadataPath, "host-native-spec-link-gate"),
        link: ["result", "link", "--dispatch-id", dispatchId, "--result", resultPath],
      };
    },
  );
  return { run, alpha: alpha!, beta: beta! };
}

/** The words that record a dispatch; for tests only. */
export const recordWords = (metadataPath: string, enforcement: string): string[] => [
  ...["ledger", "record", "--metadata", metadataPath, "--enforcement", enforcement],
];

/** Records a dispatch and writes its result as its worker would; for tests only. */
export async function recordAndWork(run: Run, dispatch: TestDispatch): Promise<void> {
  const { status, stderr } = await call(run, dispatch.record);
  if (status !== 0) throw new Error(stderr);
  writeFileSync(dispatch.resultPath, "# Findings\n\nNo findings\n");
}
