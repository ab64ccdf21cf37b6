import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { FAILURE_CLASSES } from "../vocabulary.ts";
import { count, digest, object, positive, text, time } from "./common.ts";

/** The stages of a wrapper's run, in order; `refused` and `exited` are the ends. */
export const WRAPPER_STAGES = ["refused", "starting", "running", "ending", "exited"] as const;
export type WrapperStage = typeof WRAPPER_STAGES[number];

/** Which limit ended a worker. */
export const TIMEOUT_KINDS = ["idle", "first-output", "total"] as const;
export type TimeoutKind = typeof TIMEOUT_KINDS[number];

const processIdentity = object({
  pid: positive,
  startTime: v.nullable(text),
});

const usage = object({
  inputTokens: count,
  cachedInputTokens: v.nullable(count),
  outputTokens: count,
  reasoningOutputTokens: v.nullable(count),
  source: text,
});

const providerError = object({
  failureClass: v.picklist(FAILURE_CLASSES),
  message: v.string(),
  isTerminal: v.boolean(),
  at: time,
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  dispatchId: v.nullable(text),
  workerId: v.nullable(text),
  attempt: positive,
  promptPath: text,
  promptDigest: v.nullable(digest),
  completionPaths: v.array(text),
  argv: v.array(v.string()),
  cwd: v.nullable(text),
  envNames: v.array(text),
  sessionId: v.nullable(text),
  host: text,
  bootId: v.nullable(text),
  wrapper: processIdentity,
  child: v.nullable(processIdentity),
  pgid: v.nullable(positive),
  mark: v.exactOptional(v.nullable(text)),
  descendants: v.exactOptional(v.array(processIdentity)),
  stage: v.picklist(WRAPPER_STAGES),
  isTerminal: v.boolean(),
  exitCode: v.nullable(count),
  signal: v.nullable(text),
  timeout: v.nullable(v.picklist(TIMEOUT_KINDS)),
  reason: v.nullable(text),
  failureClass: v.nullable(v.picklist(FAILURE_CLASSES)),
  retryAfterMs: v.exactOptional(v.nullable(count)),
  providerError: v.exactOptional(v.nullable(providerError)),
  lastMessage: v.exactOptional(v.nullable(v.string())),
  missingCompletionPaths: v.array(text),
  startedAt: time,
  endedAt: v.nullable(time),
  durationMs: v.nullable(count),
  updatedAt: time,
  lastActivityAt: v.nullable(time),
  groupEmpty: v.nullable(v.boolean()),
  usage: v.nullable(usage),
});

/** A process by number and start time; a `null` start time could not be read. */
export type ProcessIdentity = v.InferOutput<typeof processIdentity>;

/**
 * Tokens that a worker used, as its own events tell.
 *
 * `inputTokens` counts all input, the part that was read from a cache (`cachedInputTokens`) included; `outputTokens`
 * counts all output, thinking (`reasoningOutputTokens`) included; `null`: the events do not tell. `source` names the
 * events.
 */
export type SidecarUsage = v.InferOutput<typeof usage>;

/**
 * The last thing that went wrong between an agent and its provider and that nothing mended since.
 *
 * `isTerminal`: the agent gave up; else it was about to try again.
 */
export type ProviderError = v.InferOutput<typeof providerError>;

/**
 * What the wrapper says about one attempt of one worker, beside the prompt.
 *
 * `exitCode` and `signal` are the child's own (64 if the arguments were refused, 126 or 127 if nothing could be
 * started); the attempt succeeded only if `failureClass` is `null` in a terminal sidecar. `updatedAt` is the wrapper's
 * heartbeat, `lastActivityAt` the child's last output or result. `mark` is the value of a variable that all
 * processes of the attempt inherit, `descendants` those that were seen last. `retryAfterMs` counts from `endedAt`: the
 * provider itself said not to ask again before. Paths are absolute, durations in milliseconds.
 */
export type StatusSidecar = v.InferOutput<typeof schema>;

/** The document kind `status-sidecar`. */
export const statusSidecar = defineKind("status-sidecar", "status sidecar", schema);
