// Rows and other parts of a run's documents, whose shape alone does not make them right.
import {
  formatAudit,
  isAuditDue,
  parseAudits,
  rowsDuring,
  uncovered,
} from "../../../packages/dispatch/src/batch-audit.ts";
import { originWords, parseStoredJob } from "../../../packages/dispatch/src/stored-job.ts";
import { makeRow } from "../../../packages/dispatch/src/test-jobs.ts";
import { isBlank } from "../../../packages/manifest-io/src/blank.ts";
import { parseOrigin } from "../../../packages/manifest-io/src/dispatch-origin.ts";
import { validateShape } from "../../../packages/manifest-io/src/document-kind.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { parseItemIdentity, workerKey } from "../../../packages/manifest-io/src/identity.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import { parseWritePolicy } from "../../../packages/manifest-io/src/parse-write-policy.ts";
import {
  type DispatchRow,
  dispatchRow,
} from "../../../packages/manifest-io/src/schemas/team-state.ts";
import { BACKENDS } from "../../../packages/manifest-io/src/vocabulary.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { makeText, makeValue, mutate } from "../values.ts";

const isOurs = (error: Error) => error instanceof OkstraError;
const codeOf = (error: Error) => (error as OkstraError).code;

type Row = { [key: string]: JsonValue };

const REFERENCES = [
  ...["participantRef", "roleExecutionRef", "executionLabel", "dutyId", "invocationRef"] as const,
];
const WHOLE: Row = JSON.parse(JSON.stringify({
  ...makeRow(),
  ...Object.fromEntries(REFERENCES.map((name) => [name, `of ${name}`])),
  ...{ origin: { option: "batch", path: "b.json" }, idleTimeoutSeconds: 5, sessionId: "s" },
  ...{ provider: "lint", modelExecutionValue: "m-1", wrapperPath: "/bin/wrap", role: "analyser" },
  ...{ resultPath: "/p/run/result.md", backendType: "cli-wrapper", hostModelValue: null },
  ...{ completionPaths: ["/p/run/result.md"], audience: "discussion-analysis", digests: {} },
}));
const FIRST: Row = Object.fromEntries(
  Object.entries(WHOLE).filter(([name]) =>
    !["schemaVersion", "executionIdentityVersion", "invocationId", ...REFERENCES].includes(name)
  ).concat([["workerId", "alpha"]]),
);

/** What reads rows and other parts of documents. */
export const ROW_TARGETS: readonly Target[] = [
  target("item-identity", "rows of both versions and mixtures", makeOddRow, checkIdentity),
  target("stored-job", "rows with odd fields, to what tries one again", makeOddRow, checkJob),
  target("dispatch-origin", "what a row may name as its origin", (chooser) => ({
    value: chooser.once(3)
      ? makeValue(chooser)
      : mutate({ option: chooser.pick(["batch", "jobs-file"]), path: makeText(chooser) }, chooser),
  }), checkOrigin),
  target("batch-audits", "audits of a team state, whole and damaged", (chooser) => ({
    audits: chooser.list(4, () => {
      const audit = chooser.pick(AUDITS);
      return chooser.once(3) ? audit : mutate(audit, chooser);
    }),
  }), checkAudits),
  target("write-policy", "write policies that were stored, whole and damaged", (chooser) => {
    let value: JsonValue = POLICY;
    for (let i = chooser.number(3); i > 0; i--) value = mutate(value, chooser);
    return { value };
  }, checkPolicy),
];

function makeOddRow(chooser: Chooser): { row: Row } {
  const { number, pick, once } = chooser, row: Row = { ...pick([WHOLE, FIRST]) };
  for (let i = number(4); i > 0; i--) {
    const name = pick(Object.keys({ ...WHOLE, ...FIRST })), value = row[name] ?? null;
    if (once(3)) delete row[name];
    else if (typeof value === "string" && !once(4)) {
      row[name] = once(2) ? ` ${value}\t` : makeText(chooser, 3);
    } else row[name] = once(3) ? pick([null, 1, 2, 0, "1.0", "2.0"]) : mutate(value, chooser);
  }
  return { row };
}

function checkIdentity({ row }: { row: Row }): string | null {
  const before = JSON.stringify(row), answer = attempt(() => parseItemIdentity(row), isOurs);
  if (JSON.stringify(row) !== before) return "the row was changed";
  const named = REFERENCES.filter((name) => Object.hasOwn(row, name));
  if ("refusal" in answer) {
    const code = codeOf(answer.refusal);
    if (!["mixed-identity", "unsupported-identity", "bad-identity"].includes(code)) return code;
    const isGood = REFERENCES.every((name) => {
      const text = row[name];
      return typeof text === "string" && !isBlank(text);
    }) && row["schemaVersion"] === "2.0" &&
      row["executionIdentityVersion"] === 2 && !Object.hasOwn(row, "workerId") &&
      [1, 2, undefined, null].includes(row["attempt"] as number);
    const isOld = named.length === 0 && !Object.hasOwn(row, "executionIdentityVersion") &&
      [null, undefined, 1, "1", "1.0"].includes(row["schemaVersion"] as number);
    return isGood || isOld ? `a good row was refused: ${answer.refusal.message}` : null;
  }
  const identity = answer.value;
  if (identity === null) {
    return named.length > 0 || row["schemaVersion"] === "2.0"
      ? "the second version is the first"
      : null;
  }
  const isSame = REFERENCES.every((name) =>
    identity[name] !== "" && identity[name] === String(row[name]).trim()
  );
  if (!isSame || identity.attempt !== (row["attempt"] ?? 1)) return JSON.stringify(identity);
  const isSecond = row["schemaVersion"] === "2.0" && row["executionIdentityVersion"] === 2;
  if (!isSecond || Object.hasOwn(row, "workerId")) return "a mixture was taken";
  const again = parseItemIdentity({
    ...{ schemaVersion: "2.0", executionIdentityVersion: 2 },
    ...identity,
  });
  return isSameJson(again, identity) ? null : "the second time it is another";
}

function checkJob({ row }: { row: Row }): string | null {
  // Only rows of a team state come here, which has a schema.
  if (validateShape(dispatchRow, row).length > 0) return null;
  const stored = row as DispatchRow, before = JSON.stringify(row);
  const facts = {
    projectRoot: "/p",
    wrapperOf: (name: string) => ({ path: name, prefix: [name], isProviderScript: false }),
  };
  const answer = attempt(() => parseStoredJob(stored, facts), isOurs);
  const words = originWords(stored);
  if (JSON.stringify(row) !== before) return "the row was changed";
  if (!/^(?: --(?:batch|jobs-file) [\s\S]+)?$/.test(words)) return `words ${words}`;
  const text = (name: string) => typeof row[name] === "string" ? (row[name] as string).trim() : "";
  if ("refusal" in answer) {
    const { message, code } = answer.refusal as OkstraError;
    if ([WHOLE, FIRST].some((good) => isSameJson(row, good))) return `a good row: ${message}`;
    if (code !== "row-incomplete") return /identity/.test(code) ? null : code;
    const lacking = /lacks (.*)$/s.exec(message)?.[1]?.split(", ") ?? [];
    const isTrue = lacking.length > 0 &&
      lacking.every((name) => text(name).split("/").at(-1) === "");
    return isTrue ? null : message;
  }
  const job = answer.value, { identity, invocation } = job;
  const told = {
    workerId: workerKey(stored),
    provider: text("provider"),
    modelExecutionValue: text("modelExecutionValue"),
    promptPath: text("promptPath"),
    resultPath: text("resultPath"),
    workerResultPath: text("workerResultPath"),
    role: text("role"),
    dispatchKind: text("kind"),
  };
  for (const [name, value] of Object.entries(told)) {
    if (value === "" || job[name as "role"] !== value) return `${name} is ${job[name as "role"]}`;
  }
  if (!BACKENDS.includes(job.backend)) return `a backend ${job.backend}`;
  if (job.attempt !== (row["attempt"] ?? 1)) return `attempt ${job.attempt}`;
  if (identity !== null && identity.attempt !== job.attempt) return "two attempts";
  for (const name of ["idleTimeoutSeconds", "totalTimeoutSeconds"] as const) {
    const given = row[name];
    if (job[name] !== (typeof given === "number" ? given : null)) return `${name} is ${job[name]}`;
  }
  if ((invocation !== null) !== (text("invocationId") !== "")) return "an invocation of its own";
  return isSameJson(job.origin, parseOrigin(row["origin"])) ? null : "another origin";
}

function checkOrigin({ value }: { value: JsonValue }): string | null {
  const origin = parseOrigin(value), given = value as Row | null;
  const isGood = typeof given === "object" && given !== null &&
    ["batch", "jobs-file"].includes(given["option"] as string) && typeof given["path"] === "string";
  const right = isGood ? { option: given["option"], path: given["path"] } : null;
  return isSameJson(origin, right) ? null : `read as ${JSON.stringify(origin)}`;
}

const SUMMARY = {
  ...{ mutationStatus: "violation", changedPaths: ["a"], sourceChanged: true, gitChanged: false },
  ...{ attribution: "batch", retryAllowed: false, violations: ['"a" is new'] },
  ...{ beforeDigest: "", afterDigest: "" },
};
const OPEN = {
  ...{ auditId: "batch-1", status: "open", startedAt: "2026-01-01T10:00:00Z", finishedAt: null },
  ...{ snapshotPath: "s.json", invocations: ["a", "b"], workerId: null, changeSummary: null },
};
const AUDITS: readonly JsonValue[] = [
  OPEN,
  { ...OPEN, status: "violation", finishedAt: OPEN.startedAt, changeSummary: SUMMARY },
  { ...OPEN, status: "ok", workerId: "alpha", changeSummary: { ...SUMMARY, violations: [] } },
];

function checkAudits({ audits }: { audits: JsonValue[] }): string | null {
  const before = JSON.stringify(audits), kept = parseAudits(audits);
  const isText = (value: unknown) => typeof value === "string";
  for (const audit of kept) {
    const { invocations, status, startedAt, snapshotPath, changeSummary } = audit;
    if (![status, startedAt, snapshotPath].every(isText) || !invocations.every(isText)) {
      return `an audit ${JSON.stringify(audit)}`;
    }
    const line = formatAudit(audit, ["alpha"]);
    const isTold = changeSummary !== null && status !== "open" && status !== "ok";
    if ((line !== null) !== isTold) return `it says ${line}`;
    if (line !== null && !changeSummary!.violations.every((each) => line.includes(each))) {
      return `it leaves out what happened: ${line}`;
    }
    isAuditDue(audit, [makeRow()], []);
    rowsDuring(audit, [makeRow()]);
  }
  uncovered(["a"], kept);
  if (JSON.stringify(audits) !== before) return "the audits were changed";
  const whole = AUDITS.map((each) => JSON.stringify(each));
  const lost = audits.filter((each) => whole.includes(JSON.stringify(each)))
    .find((each) => !kept.some((other) => isSameJson(other, each)));
  return lost === undefined ? null : "a good audit is left out";
}

const POLICY: JsonValue = {
  ...{ role: "implementer", projectRoot: "/p", artifactPaths: ["/p/a"], auxiliaryRoots: [] },
  ...{ precision: "none", extra: 1 },
  sourcePolicy: { allowedRoot: "/p/w", plannedPaths: ["x"], plannedPathsDeclared: true },
};

function checkPolicy({ value }: { value: JsonValue }): string | null {
  const before = JSON.stringify(value),
    answer = attempt(() => parseWritePolicy("inv", value), isOurs);
  if (JSON.stringify(value) !== before) return "the policy was changed";
  if ("refusal" in answer) {
    const { code, issues } = answer.refusal as OkstraError;
    if (isSameJson(value, POLICY)) return "a good policy was refused";
    const isTold = code === "bad-write-policy" && issues.length > 0 &&
      issues.every(({ pointer, message }) =>
        /^\/writePolicy(?:\/|$)/.test(pointer!) && message !== ""
      );
    return isTold ? null : `refused as ${code}: ${JSON.stringify(issues)}`;
  }
  if (answer.value as unknown !== value) return "another policy";
  const { role, projectRoot, artifactPaths, auxiliaryRoots, precision, sourcePolicy } =
    answer.value;
  const { allowedRoot, plannedPaths, plannedPathsDeclared } = sourcePolicy;
  const texts = [role, projectRoot, precision, allowedRoot ?? ""].concat(
    ...[artifactPaths, auxiliaryRoots, plannedPaths],
  );
  const isOne = texts.every((text) => typeof text === "string") && projectRoot !== "" &&
    [artifactPaths, auxiliaryRoots, plannedPaths].every(Array.isArray) &&
    typeof plannedPathsDeclared === "boolean";
  return isOne ? null : "what is no policy was taken";
}
