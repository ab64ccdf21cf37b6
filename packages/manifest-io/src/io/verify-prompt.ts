import { isAbsolute, join, relative } from "@std/path";
import { canonicalJson } from "../canonical-json.ts";
import { digestBytes, digestJson } from "../digest.ts";
import { dutyText } from "../duty-text.ts";
import { type Issue, OkstraError } from "../errors.ts";
import { isInside } from "../project-path.ts";
import { parsePromptHeaders, PROMPT_LABELS } from "../prompt-headers.ts";
import { promptHeaders } from "../prompt-text.ts";
import { catalogText, DUTIES, roleForDuty } from "../roles.ts";
import { metadataPath } from "../run-names.ts";
import { type InvocationMetadata, invocationMetadata } from "../schemas/invocation-metadata.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import { readDocument } from "./document.ts";
import { readExternalText } from "./external.ts";
import { relativePath, type Run } from "./run.ts";

/** What a caller knows about an invocation from elsewhere; what is left out is not compared. */
export interface InvocationExpectation {
  readonly invocationId?: string | undefined;
  readonly assignmentRef?: string | undefined;
  readonly audience?: string | undefined;
  readonly workerId?: string | undefined;
  readonly participantRef?: string | undefined;
  readonly roleExecutionRef?: string | undefined;
  readonly dispatchKind?: string | undefined;
}

type Report = (
  pointer: string,
  message: string,
  values?: { expected: string; received: string },
) => void;

/**
 * Checks a prepared prompt against its run: the five digests are computed anew and every identity is
 * compared with the run manifest, the prompt's header lines and what the caller expects.
 *
 * @param path of the invocation metadata
 * @param mayBeMoved whether the prompt may name the place in which the project was when it was prepared
 * @returns what is wrong; empty if nothing is
 * @throws {OkstraError} if the metadata itself cannot be read
 */
export function verifyPrompt(
  run: Run,
  path: string,
  expected: InvocationExpectation = {},
  mayBeMoved = false,
): readonly Issue[] {
  const metadata = readDocument(invocationMetadata, path);
  const issues: Issue[] = [];
  const report: Report = (pointer, message, values) =>
    issues.push({ file: path, pointer, message, ...values });
  checkPlace(run, path, metadata, report);
  const prompt = readText(run, metadata.prompt.path, "prompt", "/prompt/path", report);
  checkDigests(run, metadata, prompt, report);
  if (metadata.schemaVersion === "2.0") checkIdentity(run, metadata, report);
  else checkFirstIdentity(metadata, report);
  checkHeaders(run, metadata, prompt, mayBeMoved, report);
  for (const [key, value] of Object.entries(expected)) {
    if (value !== undefined) compare(report, `/${key}`, key, metadata[key], value);
  }
  return issues;
}

function compare(
  report: Report,
  pointer: string,
  name: string,
  received: unknown,
  expected: unknown,
): void {
  const [is, wanted] = [canonical(received), canonical(expected)];
  if (is !== wanted) {
    report(pointer, `${name} is ${is}, expected ${wanted}`, { expected: wanted, received: is });
  }
}

function canonical(value: unknown): string {
  return value === undefined ? "missing" : canonicalJson(value);
}

function checkPlace(run: Run, path: string, metadata: InvocationMetadata, report: Report): void {
  const place = metadataPath(run.at(metadata.prompt.path));
  const actual = join(run.projectRoot, relativePath(run.projectRoot, path));
  compare(report, "/prompt/path", "metadata path of the prompt", place, actual);
  const { runManifestPath } = run.manifest;
  if (metadata.runManifestPath !== undefined) {
    compare(
      report,
      "/runManifestPath",
      "runManifestPath",
      metadata.runManifestPath,
      runManifestPath,
    );
  }
}

function checkDigests(
  run: Run,
  metadata: InvocationMetadata,
  prompt: string | null,
  report: Report,
): void {
  const { assignmentRef, audience, instruction, digests } = metadata;
  const check = (key: keyof typeof digests, what: string, actual: string | null) => {
    if (actual === null || actual === digests[key]) return;
    report(`/digests/${key}`, `${what} changed since the prompt was prepared`, {
      expected: digests[key],
      received: actual,
    });
  };
  const assignments = run.manifest.invocationAssignments;
  const assignment = Object.hasOwn(assignments, assignmentRef) ? assignments[assignmentRef] : null;
  if (assignment === null) {
    const state = `invocationAssignments of the run manifest has no "${assignmentRef}"`;
    report("/assignmentRef", state);
  } else {
    check("assignmentDigest", "the model assignment", digestJson(assignment));
    compare(
      report,
      "/modelAssignment",
      "modelAssignment",
      metadata.modelAssignment,
      assignment,
    );
  }
  check("catalogDigest", "the catalogue of roles and duties", digestBytes(catalogText()));
  if (Object.hasOwn(DUTIES, audience)) {
    check("dutyDigest", `the text of duty "${audience}"`, digestBytes(dutyText(audience)));
  } else report("/audience", `"${audience}" is not a duty`);
  if (instruction !== undefined) {
    const text = readText(run, instruction.path, "instruction", "/instruction/path", report);
    check("instructionDigest", "the instruction", text === null ? null : digestBytes(text));
  }
  check("promptDigest", "the prompt", prompt === null ? null : digestBytes(prompt));
}

function readText(
  run: Run,
  path: string,
  label: string,
  pointer: string,
  report: Report,
): string | null {
  try {
    return readExternalText(run.at(path), { root: run.projectRoot, label });
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    report(pointer, error.message);
    return null;
  }
}

function checkFirstIdentity(metadata: InvocationMetadata, report: Report): void {
  if (metadata.workerId === undefined) report("/workerId", "workerId is missing");
}

function checkIdentity(run: Run, metadata: InvocationMetadata, report: Report): void {
  const segments = metadata.assignmentRef.split("/");
  const worker = segments[1] ?? "";
  if (segments.length !== 2 || segments[0] !== "initial" || worker === "") {
    report("/assignmentRef", `"${metadata.assignmentRef}" is not initial/<worker>`);
    return;
  }
  const isDuty = Object.hasOwn(DUTIES, metadata.audience);
  const role = isDuty ? roleForDuty(metadata.audience) : null;
  const wanted = {
    executionIdentityVersion: 2,
    invocationRef: metadata.invocationId,
    dutyId: metadata.audience,
    participantRef: `p/${worker}`,
    executionLabel: worker,
    attempt: 1,
    workerId: undefined,
    ...(role === null ? {} : { roleExecutionRef: `re/${worker}/${role}` }),
  };
  for (const [key, value] of Object.entries(wanted)) {
    compare(report, `/${key}`, key, metadata[key], value);
  }
  if (metadata.dispatchKind === undefined) report("/dispatchKind", "dispatchKind is missing");
  checkRoleExecution(run, metadata, role, report);
}

function checkRoleExecution(
  run: Run,
  metadata: InvocationMetadata,
  role: string | null,
  report: Report,
): void {
  const { manifest } = run;
  const reference = metadata.roleExecutionRef;
  const execution = manifest.roleExecutions.find((row) => row.roleExecutionRef === reference);
  if (execution === undefined) {
    report("/roleExecutionRef", `the run manifest has no role execution "${reference}"`);
  } else {
    const pointer = "/roleExecutionRef";
    const name = (field: string) => `${field} of role execution "${reference}"`;
    if (role !== null) compare(report, pointer, name("role"), execution.role, role);
    compare(
      report,
      pointer,
      name("participantRef"),
      execution.participantRef,
      metadata.participantRef,
    );
    compare(
      report,
      pointer,
      name("executionLabel"),
      execution.executionLabel,
      metadata.executionLabel,
    );
    const { provider } = metadata.modelAssignment;
    if (provider !== undefined) {
      compare(report, pointer, name("provider"), execution.provider, provider);
    }
  }
  const participants = manifest.participantAssignments;
  if (!participants.some((row) => row.participantRef === metadata.participantRef)) {
    const state = `the run manifest has no participant "${metadata.participantRef}"`;
    report("/participantRef", state);
  }
}

function checkHeaders(
  run: Run,
  metadata: InvocationMetadata,
  prompt: string | null,
  mayBeMoved: boolean,
  report: Report,
): void {
  const { workerResultPath, resultPath, modelAssignment } = metadata;
  if (prompt === null || workerResultPath === undefined || resultPath === undefined) return;
  const headers = parsePromptHeaders(prompt), named = headers["Project Root"] ?? "";
  const root = mayBeMoved && isAbsolute(named) ? named : run.projectRoot;
  const at = (inner: string) => {
    const here = run.at(inner);
    return isInside(run.projectRoot, here) ? join(root, relative(run.projectRoot, here)) : here;
  };
  const worktree = worktreePath(run, readActiveContext(run));
  const wanted = promptHeaders({
    invocation: { workerResultPath, resultPath, modelAssignment },
    at,
    projectRoot: root,
    worktree: worktree === "" ? "" : at(worktree),
  });
  for (const label of PROMPT_LABELS) {
    compare(report, "/prompt/path", `header "${label}"`, headers[label], wanted[label]);
  }
}
