import { quoteWord } from "@okstra/kit/command-line";
import { parseOrigin } from "@okstra/manifest-io/dispatch-origin";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, parseItemIdentity, workerKey } from "@okstra/manifest-io/identity";
import type { PromptDigests } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { type Backend, BACKENDS, INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { dispatchLabel } from "./awaited.ts";
import type { Job, WrapperCommand } from "./job.ts";

const REQUIRED = [
  "provider",
  "modelExecutionValue",
  "wrapperPath",
  "promptPath",
  "resultPath",
  "workerResultPath",
  "role",
  "kind",
] as const;

/**
 * Rebuilds the job of a stored row, so that a retry needs nothing but the row; backend and budgets stay what they were.
 *
 * @throws {OkstraError} `row-incomplete`, naming every missing field, or as `parseItemIdentity`
 */
export function parseStoredJob(
  row: DispatchRow,
  facts: {
    readonly projectRoot: string;
    wrapperOf(provider: string): WrapperCommand;
  },
): Job {
  const label = dispatchLabel(row);
  const identity = parseItemIdentity(row, label);
  const text = (key: string): string => {
    const value = row[key];
    return typeof value === "string" ? value.trim() : "";
  };
  const lacking: string[] = REQUIRED.filter((key) => text(key) === "");
  if (workerKey(row) === "") lacking.unshift(identity === null ? "workerId" : "assignmentRef");
  if (lacking.length > 0) {
    throw new OkstraError(
      "row-incomplete",
      `Cannot try ${label} again: its row lacks ${lacking.join(", ")}`,
      {
        hint: `okstra-dispatch run --worker ${workerKey(row) || "ID"}${originWords(row)}`,
      },
    );
  }
  const seconds = (name: string) => typeof row[name] === "number" ? row[name] : null;
  return {
    workerId: workerKey(row),
    provider: text("provider"),
    backend: BACKENDS.find((known) => known === row.backendType) ?? ("cli-wrapper" as Backend),
    degradedFrom: "",
    origin: parseOrigin(row["origin"]),
    projectRoot: facts.projectRoot,
    modelExecutionValue: text("modelExecutionValue"),
    wrapper: facts.wrapperOf(text("provider")),
    promptPath: text("promptPath"),
    resultPath: text("resultPath"),
    workerResultPath: text("workerResultPath"),
    completionPaths: row.completionPaths ?? [],
    worktreePath: text("worktreePath"),
    role: text("role"),
    idleTimeoutSeconds: seconds("idleTimeoutSeconds"),
    totalTimeoutSeconds: seconds("totalTimeoutSeconds"),
    dispatchKind: text("kind"),
    sessionId: text("sessionId"),
    attempt: attemptOf(row),
    invocation: text("invocationId") === "" ? null : {
      invocationId: text("invocationId"),
      audience: text("audience"),
      assignmentRef: text("assignmentRef"),
      promptMetadataPath: text("promptMetadataPath"),
      digests: (row.digests ?? null) as PromptDigests | null,
      hostModelValue: row.hostModelValue ?? null,
      enforcementMode: "core-pre-dispatch",
    },
    identity,
  };
}

/** Names the file that a dispatch came from, as the command line takes it. */
export function originWords(row: DispatchRow): string {
  const origin = parseOrigin(row["origin"]);
  if (origin !== null && origin.path !== "-") {
    return ` --${origin.option} ${quoteWord(origin.path)}`;
  }
  return row.kind === INITIAL_KIND && origin === null ? "" : " --batch FILE";
}
