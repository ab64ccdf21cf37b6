import { taskRoot } from "./task-key.ts";

/** Project-relative paths of the files of one run; those of which it has several are functions. */
export interface RunNames {
  readonly taskRoot: string;
  readonly taskManifest: string;
  readonly taskBrief: string;
  readonly analysisProfile: string;
  readonly analysisPacket: string;
  readonly runDirectory: string;
  readonly manifestsDirectory: string;
  readonly promptsDirectory: string;
  readonly stateDirectory: string;
  readonly resultsDirectory: string;
  readonly reportsDirectory: string;
  readonly carryDirectory: string;
  readonly logsDirectory: string;
  readonly sequenceLock: string;
  readonly runManifest: string;
  readonly executionManifest: string;
  readonly activeRunContext: string;
  readonly teamState: string;
  readonly leadEvents: string;
  readonly runBrief: string;
  readonly reportRecord: string;
  readonly providerHold: (provider: string) => string;
  readonly convergenceGroups: string;
  readonly convergenceWork: string;
  readonly convergenceState: string;
  readonly convergenceCoverage: string;
  readonly convergencePlan: (round: number) => string;
  readonly convergenceResults: (round: number) => string;
}

/** Names the files of one run; every path is relative to the project root. */
export function runNames(taskKey: string, taskType: string, seq: string): RunNames {
  const root = taskRoot(taskKey), run = `${root}/runs/${taskType}`, tail = `${taskType}-${seq}`;
  const state = (name: string) => `${run}/state/${name}-${tail}.json`;
  return {
    taskRoot: root,
    taskManifest: `${root}/task-manifest.json`,
    taskBrief: `${root}/instruction-set/task-brief.md`,
    analysisProfile: `${root}/instruction-set/analysis-profile.md`,
    analysisPacket: `${root}/instruction-set/analysis-packet.md`,
    runDirectory: run,
    manifestsDirectory: `${run}/manifests`,
    promptsDirectory: `${run}/prompts`,
    stateDirectory: `${run}/state`,
    resultsDirectory: `${run}/worker-results`,
    reportsDirectory: `${run}/reports`,
    carryDirectory: `${run}/carry`,
    logsDirectory: `${run}/logs`,
    sequenceLock: `${run}/sequence`,
    runManifest: `${run}/manifests/run-manifest-${tail}.json`,
    executionManifest: `${run}/manifests/execution-manifest-${tail}.json`,
    activeRunContext: state("active-run-context"),
    teamState: state("team-state"),
    leadEvents: `${run}/state/lead-events-${tail}.jsonl`,
    runBrief: `${run}/state/task-brief-${tail}.md`,
    reportRecord: `${run}/reports/final-report-${tail}.data.json`,
    providerHold: (provider: string) => state(`provider-hold-${fileSegment(provider)}`),
    convergenceGroups: state("convergence-groups"),
    convergenceWork: state("convergence-work"),
    convergenceState: state("convergence"),
    convergenceCoverage: state("convergence-coverage"),
    convergencePlan: (round: number) => state(`convergence-plan-r${round}`),
    convergenceResults: (round: number) => state(`convergence-results-r${round}`),
  };
}

/** Makes any text a part of a file name; two texts never become one. */
function fileSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Formats a run's number: three digits, four after 999. */
export function formatSequence(sequence: number): string {
  return String(sequence).padStart(3, "0");
}

/** Names a worker's prompt; `topic` tells the prompts of one worker in one run apart. */
export function workerPromptName(
  worker: string,
  topic: string | null,
  taskType: string,
  seq: string,
): string {
  return `${worker}-worker-prompt-${topic === null ? "" : `${topic}-`}${taskType}-${seq}.md`;
}

/** Names a worker's result; `topic` as in {@linkcode workerPromptName}. */
export function workerResultName(
  worker: string,
  topic: string | null,
  taskType: string,
  seq: string,
): string {
  return `${worker}-worker-${topic === null ? "" : `${topic}-`}${taskType}-${seq}.md`;
}

/** Names a file in the state directory that tells which prompts are given to workers together. */
export function batchName(topic: string, taskType: string, seq: string): string {
  return `${topic}${batchTail(taskType, seq)}`;
}

/** Tells whether a file in the state directory of a run is one of its batches. */
export function isBatchName(name: string, taskType: string, seq: string): boolean {
  return name.endsWith(batchTail(taskType, seq));
}

const batchTail = (taskType: string, seq: string) => `-batch-${taskType}-${seq}.json`;

/**
 * Returns the claims of an attempt: the one of its first launch, and the one of its launch without a pane, which is made
 * only after the first one was withdrawn.
 */
export function claimPaths(promptPath: string, attempt: number): readonly [string, string] {
  const first = `${promptPath}.launch-${attempt}`;
  return [first, `${first}-again`];
}

/** The wrapper's status of the worker that got a prompt. */
export const sidecarPath = (promptPath: string): string => `${promptPath}.status.json`;

/** The output of the worker that got a prompt. */
export const logPath = (promptPath: string): string => `${promptPath}.log`;

/** The invocation metadata of a prompt. */
export const metadataPath = (promptPath: string): string => `${promptPath}.meta.json`;

/** The snapshot that a mutation audit compares with, by metadata path. */
export const mutationSnapshotPath = (metadata: string): string => `${metadata}.mutation-audit.json`;

/** A worker's own audit trail, by result path. */
export const auditSidecarPath = (resultPath: string): string => `${resultPath}.audit.json`;

/** A worker's own list of errors, by result path. */
export const errorsSidecarPath = (resultPath: string): string => `${resultPath}.errors.json`;

/** The data file of a report: `X.md` → `X.data.json`; a data path is its own. */
export function reportDataPath(path: string): string {
  if (path.endsWith(".data.json")) return path;
  return `${stripSuffix(path)}.data.json`;
}

/** The Markdown file of a report: `X.data.json` → `X.md`. */
export function reportMarkdownPath(path: string): string {
  return `${path.endsWith(".data.json") ? path.slice(0, -10) : stripSuffix(path)}.md`;
}

function stripSuffix(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1), dot = name.lastIndexOf(".");
  return dot > 0 ? path.slice(0, path.length - name.length + dot) : path;
}
