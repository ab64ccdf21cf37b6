import { isBlank } from "@okstra/manifest-io/blank";
import { isAbsolute } from "@std/path";
import type { Issue } from "@okstra/manifest-io/errors";
import { type Role, ROLES } from "@okstra/manifest-io/roles";
import { type Presentation, PRESENTATIONS } from "./argv.ts";
import { REFUSED_STATUS } from "./conclusion.ts";
import { DEFAULT_TOTAL_SECONDS } from "./limits.ts";

/** The command line of `run`, taken apart but not understood. */
export interface RunWords {
  readonly positionals: readonly string[];
  /** The words after `--`. */
  readonly command: readonly string[];
  readonly options: {
    readonly provider?: string | undefined;
    readonly presentation?: string | undefined;
    readonly "invocation-metadata"?: string | undefined;
    readonly "session-id"?: string | undefined;
    readonly prompt?: string | undefined;
    readonly result?: readonly string[] | undefined;
    readonly "idle-timeout"?: string | undefined;
    readonly "total-timeout"?: string | undefined;
  };
}

/** What `run` takes from outside its command line. */
export interface RunContext {
  env(name: string): string | undefined;
  /** Makes a path absolute. */
  absolute(path: string): string;
}

/** What is to be run: a provider's command line, or any. */
export type RunTarget =
  | {
    readonly kind: "provider";
    readonly provider: string;
    readonly projectRoot: string;
    readonly model: string;
    /** `null`: the worker works in the project root. */
    readonly worktree: string | null;
    readonly role: Role;
    readonly metadataPath: string | null;
    readonly runManifestPath: string | null;
    /** `null`: the prompt's headers name it. */
    readonly resultPath: string | null;
    readonly auditPath: string | null;
  }
  | { readonly kind: "command"; readonly argv: readonly string[] };

/** A run that may begin as far as its words go; paths are absolute. */
export interface RunRequest {
  readonly promptPath: string;
  readonly target: RunTarget;
  readonly presentation: Presentation;
  readonly sessionId: string | null;
  readonly dispatchId: string | null;
  readonly workerId: string | null;
  readonly attempt: number;
  /** `null`: those that the prompt implies. */
  readonly completionPaths: readonly string[] | null;
  readonly idleTimeoutSeconds: number | null;
  readonly totalTimeoutSeconds: number;
}

/** Arguments that `run` does not accept: exit status 64. */
export class RefusedRunError extends Error {
  override readonly name = "RefusedRunError";
  readonly code = "refused-arguments";
  readonly exitCode = REFUSED_STATUS;
  readonly hint: string;
  readonly issues: readonly Issue[];
  /** Where the refusal may be recorded; `null` if the prompt is not known. */
  readonly promptPath: string | null;

  constructor(
    problems: readonly string[],
    promptPath: string | null,
    hint = "okstra-wrapper-status run --help",
  ) {
    const object = promptPath === null ? "a worker" : `the worker of ${JSON.stringify(promptPath)}`;
    const state = problems.length === 1 ? problems[0] : `${problems.length} problems`;
    super(`Cannot run ${object}: ${state}`);
    this.issues = problems.length === 1 ? [] : problems.map((message) => ({ message }));
    this.promptPath = promptPath;
    this.hint = hint;
  }
}

/** Names of the positions, in order. */
export const POSITIONS = [
  "PROJECT_ROOT",
  "MODEL",
  "PROMPT",
  "WORKTREE",
  "ROLE",
  "IDLE_TIMEOUT",
] as const;

/** Variables by which dispatch tells a wrapper what it works for; they go on to the child. */
export const WORKER_VARIABLES = [
  "OKSTRA_ATTEMPT",
  "OKSTRA_COMPLETION_PATHS",
  "OKSTRA_DISPATCH_ID",
  "OKSTRA_REPORT_WRITER_MARKDOWN_PATH",
  "OKSTRA_RUN_MANIFEST_PATH",
  "OKSTRA_WORKER_AUDIT_PATH",
  "OKSTRA_WORKER_ID",
  "OKSTRA_WORKER_RESULT_PATH",
] as const;

/**
 * Reads what is to be run from the words and the environment of `run`.
 *
 * @throws {RefusedRunError} with every problem of the words
 */
export function parseRunRequest(words: RunWords, context: RunContext): RunRequest {
  const problems: string[] = [];
  const isCommand = words.positionals.length === 0;
  const written = isCommand ? words.options.prompt : words.positionals[2];
  const place = (path: string) => {
    if (path === "-") {
      problems.push('"-" is no file here: name the file, or write ./- for one of that name');
    } else if (path.includes("\ufffd")) {
      problems.push(`${JSON.stringify(path)} is not UTF-8: give it a name in UTF-8`);
    } else if (!isAbsent(path)) return context.absolute(path);
    return "";
  };
  const promptPath = place(written ?? "") || null;
  const request = isCommand
    ? readCommandForm(words, place, problems)
    : readProviderForm(words, context.env, place, problems);
  const presentation = PRESENTATIONS.find((word) =>
    word === (words.options.presentation ?? "quiet")
  );
  if (presentation === undefined) {
    const shown = JSON.stringify(words.options.presentation);
    problems.push(`--presentation ${shown} is none of ${PRESENTATIONS.join(", ")}`);
  }
  const total = readSeconds("--total-timeout", words.options["total-timeout"], problems);
  if (problems.length > 0 || promptPath === null || !request || !presentation) {
    throw new RefusedRunError(problems, promptPath);
  }
  return {
    ...request,
    promptPath,
    presentation,
    sessionId: trimmed(words.options["session-id"]),
    totalTimeoutSeconds: total ?? DEFAULT_TOTAL_SECONDS,
  };
}

/** Makes a path absolute, and notes a problem with one that names no file; "" for that and for a blank one. */
type Place = (path: string) => string;

type PartialRequest = Omit<
  RunRequest,
  "promptPath" | "presentation" | "sessionId" | "totalTimeoutSeconds"
>;

function readCommandForm(
  { command, options }: RunWords,
  place: Place,
  problems: string[],
): PartialRequest {
  if (isAbsent(options.prompt)) problems.push("--prompt is missing");
  if (isAbsent(command[0])) problems.push("no command stands after --");
  for (const name of ["provider", "invocation-metadata"] as const) {
    if (options[name] !== undefined) {
      problems.push(`--${name} goes with ${POSITIONS.join(" ")} only`);
    }
  }
  if (options.result?.some(isAbsent)) problems.push("--result is blank");
  const idleTimeoutSeconds = readSeconds("--idle-timeout", options["idle-timeout"], problems);
  return {
    target: { kind: "command", argv: command },
    dispatchId: null,
    workerId: null,
    attempt: 1,
    completionPaths: (options.result ?? []).map(place),
    idleTimeoutSeconds,
  };
}

function readProviderForm(
  { positionals, command, options }: RunWords,
  env: RunContext["env"],
  place: Place,
  problems: string[],
): PartialRequest | null {
  if (positionals.length !== POSITIONS.length) {
    problems.push(
      `expected ${POSITIONS.join(" ")}, got ${positionals.length} of ${POSITIONS.length}`,
    );
  }
  if (command.length > 0) problems.push("a command after -- goes with --prompt only");
  for (const name of ["prompt", "idle-timeout"] as const) {
    if (options[name] !== undefined) problems.push(`--${name} goes with a command after -- only`);
  }
  if (options.result?.length) problems.push("--result goes with a command after -- only");
  if (isAbsent(options.provider)) problems.push("--provider is missing");
  const [projectRoot = "", model = "", prompt = "", worktree = "", role = "", idle = ""] =
    positionals;
  for (
    const [name, value] of Object.entries({
      PROJECT_ROOT: projectRoot,
      MODEL: model,
      PROMPT: prompt,
    })
  ) {
    if (isAbsent(value)) problems.push(`${name} is blank`);
  }
  const isRole = Object.hasOwn(ROLES, role);
  if (!isRole) {
    problems.push(`ROLE ${JSON.stringify(role)} is none of ${Object.keys(ROLES).join(", ")}`);
  }
  const idleTimeout = idle.trim() === "" ? undefined : idle.trim();
  const given = readSeconds("IDLE_TIMEOUT", idleTimeout, problems);
  const variable = (name: typeof WORKER_VARIABLES[number]) => trimmed(env(name));
  const path = (name: typeof WORKER_VARIABLES[number]) => {
    const value = variable(name);
    return value === null ? null : place(value);
  };
  const attempt = readAttempt(variable("OKSTRA_ATTEMPT"), problems);
  const completionPaths = readCompletionPaths(variable("OKSTRA_COMPLETION_PATHS"), problems);
  if (!isRole || attempt === null) return null;
  const metadata = options["invocation-metadata"];
  return {
    target: {
      kind: "provider",
      provider: options.provider ?? "",
      projectRoot: place(projectRoot),
      model,
      worktree: place(worktree.trim()) || null,
      role: role as Role,
      metadataPath: place(metadata ?? "") || null,
      runManifestPath: path("OKSTRA_RUN_MANIFEST_PATH"),
      resultPath: path("OKSTRA_WORKER_RESULT_PATH"),
      auditPath: path("OKSTRA_WORKER_AUDIT_PATH"),
    },
    dispatchId: variable("OKSTRA_DISPATCH_ID"),
    workerId: variable("OKSTRA_WORKER_ID"),
    attempt,
    completionPaths,
    idleTimeoutSeconds: idleTimeout === undefined ? ROLES[role as Role] : given,
  };
}

/** A timer holds at most 2^31 - 1 milliseconds; a larger number would fire at once. */
const MAX_SECONDS = 2_147_483;

function readSeconds(name: string, text: string | undefined, problems: string[]): number | null {
  if (text === undefined) return null;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  const range = `above 0 and up to ${MAX_SECONDS}`;
  problems.push(`${name} ${JSON.stringify(text)} is not a number of seconds ${range}`);
  return null;
}

function readAttempt(text: string | null, problems: string[]): number | null {
  if (text === null) return 1;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  problems.push(`OKSTRA_ATTEMPT ${JSON.stringify(text)} is not a number from 1`);
  return null;
}

function readCompletionPaths(text: string | null, problems: string[]): readonly string[] | null {
  if (text === null) return null;
  try {
    const paths: unknown = JSON.parse(text);
    const isList = Array.isArray(paths) &&
      paths.every((path) => typeof path === "string" && isAbsolute(path));
    if (isList) return paths as string[];
  } catch { /* said below */ }
  problems.push("OKSTRA_COMPLETION_PATHS is not a JSON list of absolute paths");
  return null;
}

/** Returns a text without the blanks around it; `null` if nothing is left that a reader would see. */
export function trimmed(text = ""): string | null {
  return isBlank(text) ? null : text.trim();
}

function isAbsent(text: string | undefined): boolean {
  return text === undefined || isBlank(text);
}
