// Values of options and positions, names and changes that a caller asks for.
import { isAbsolute, resolve } from "node:path";
import { parseOutcomes, parsePair } from "../../../packages/convergence/src/outcome-options.ts";
import { OUTCOME_STATUSES } from "../../../packages/convergence/src/vocabulary.ts";
import {
  formatRecordId,
  parseRecordId,
  RECORD_PREFIXES,
} from "../../../packages/discussion/src/record-ids.ts";
import { makeRow } from "../../../packages/dispatch/src/test-jobs.ts";
import { isBlank } from "../../../packages/manifest-io/src/blank.ts";
import { validateShape } from "../../../packages/manifest-io/src/document-kind.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { ROLES } from "../../../packages/manifest-io/src/roles.ts";
import { RECORD_KINDS } from "../../../packages/manifest-io/src/schemas/discussion-record.ts";
import { type TeamState, teamState } from "../../../packages/manifest-io/src/schemas/team-state.ts";
import { TIME_PATTERN } from "../../../packages/manifest-io/src/time.ts";
import { WORKER_STATUSES } from "../../../packages/manifest-io/src/vocabulary.ts";
import { parseSettlement } from "../../../packages/team-state/src/parse-rows.ts";
import { settleRow } from "../../../packages/team-state/src/rows.ts";
import {
  parseWorkerChange,
  setWorkerStatus,
} from "../../../packages/team-state/src/worker-status.ts";
import { PRESENTATIONS } from "../../../packages/wrapper-status/src/argv.ts";
import {
  parseRunRequest,
  RefusedRunError,
  type RunWords,
  WORKER_VARIABLES,
} from "../../../packages/wrapper-status/src/run-request.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { damage, makeText } from "../values.ts";

const isOurs = (error: Error) => error instanceof OkstraError;

/** What reads values of options. */
export const OPTION_TARGETS: readonly Target[] = [
  target("option-pair", "values of the form worker=value", (chooser) => ({
    given: damage(`${makeText(chooser, 2)}=${makeText(chooser, 3)}`, chooser),
  }), checkPair),
  target(
    "dispatch-outcomes",
    "what became of workers, as options say it",
    makeOutcomes,
    checkOutcomes,
  ),
  target("record-id", "names of records and texts like them", (chooser) => {
    const id = formatRecordId(
      chooser.pick(RECORD_KINDS),
      chooser.number(chooser.pick([3, 12_000, 2 ** 31])),
    );
    return { id: chooser.once(2) ? id : damage(id, chooser) };
  }, checkRecordId),
  target(
    "team-state-change",
    "changes of a row, to what checks them first",
    makeChange,
    checkChange,
  ),
  target("run-request", "words and environment of a wrapper's run", makeRequest, checkRequest),
];

function checkPair({ given }: { given: string }): string | null {
  const at = given.indexOf("="), sides = [given.slice(0, Math.max(at, 0)), given.slice(at + 1)];
  const isGood = at > 0 && sides.every((side) => !isBlank(side));
  const answer = attempt(() => parsePair("--result", given), isOurs);
  if ("refusal" in answer) return isGood ? "a good pair was refused" : null;
  const [name, value] = answer.value;
  if (!isGood) return `taken as ${name} and ${value}`;
  if (name !== sides[0]!.trim() || value !== sides[1]!.trim()) {
    return `read as ${name} and ${value}`;
  }
  return isSameJson(parsePair("--result", `${name}=${value}`), [name, value])
    ? null
    : "the second time it is another";
}

interface OutcomesCase {
  readonly planned: readonly string[];
  readonly given: readonly string[];
  /** `null`: not known. */
  readonly expected: Readonly<Record<string, unknown>> | null;
}

function makeOutcomes(chooser: Chooser): OutcomesCase {
  const { pick, number, once } = chooser;
  const planned = ["alpha", "beta-worker", "gamma", "__proto__"].filter(() => !once(3));
  const facts = planned.map((worker) => {
    const status = pick(OUTCOME_STATUSES), durationMs = number(pick([2, 90_000]));
    const name = once(3) ? pick([worker.replace(/-worker$/, ""), ` ${worker} `]) : worker;
    return { worker, status, durationMs, option: `${name}=${status}:${durationMs}` };
  });
  const options = facts.map(({ option }) => option), at = number(options.length + 1);
  const given = pick<() => readonly string[]>([
    () => options.toReversed(),
    () => options,
    () => options.toSpliced(at, 1),
    () => options.toSpliced(at, 0, pick([...options, `delta=completed:1`, makeText(chooser)])),
    () => options.map((option) => once(2) ? damage(option, chooser) : option),
  ])();
  const isWhole = isSameJson(given.toSorted(), options.toSorted());
  const expected = isWhole
    ? Object.fromEntries(
      facts.map(({ worker, status, durationMs }) => [worker, { status, durationMs }]),
    )
    : null;
  return { planned, given, expected };
}

function checkOutcomes({ planned, given, expected }: OutcomesCase): string | null {
  const answer = attempt(() => parseOutcomes(given, new Set(planned)), isOurs);
  if ("refusal" in answer) return expected === null ? null : `refused: ${answer.refusal.message}`;
  const outcomes = answer.value;
  if (!isSameJson([...outcomes.keys()].sort(), [...planned].sort())) {
    return `it knows ${[...outcomes.keys()]}`;
  }
  if (given.length !== planned.length) {
    return `${given.length} options for ${planned.length} workers`;
  }
  for (const [worker, { status, durationMs }] of outcomes) {
    const isTold = OUTCOME_STATUSES.includes(status) && Number.isSafeInteger(durationMs) &&
      durationMs >= 0 && given.some((option) => option.includes(`${status}:`));
    if (!isTold) return `${worker} is ${status} after ${durationMs}`;
  }
  return expected === null || isSameJson(Object.fromEntries(outcomes), expected)
    ? null
    : JSON.stringify([...outcomes]);
}

function checkRecordId({ id }: { id: string }): string | null {
  const named = parseRecordId(id), [prefix, digits = ""] = id.split("-");
  const kind = RECORD_KINDS.find((each) => RECORD_PREFIXES[each] === prefix);
  const isName = kind !== undefined && /^\d{1,15}$/.test(digits) && Number(digits) > 0 &&
    id === formatRecordId(kind, Number(digits));
  const right = isName ? { kind, number: Number(digits) } : null;
  return isSameJson(named, right) ? null : `read as ${JSON.stringify(named)}`;
}

interface Change {
  readonly status: string;
  readonly reason: string | null;
  readonly at: string;
  readonly model: string | null;
}

function makeChange(chooser: Chooser): Change {
  const { pick, once } = chooser, time = "2026-01-31T09:05:00Z";
  return {
    status: once(5) ? makeText(chooser, 2) : pick(WORKER_STATUSES),
    reason: pick([null, "", " ", "why", makeText(chooser)]),
    at: once(3) ? damage(time, chooser) : pick([time, " 2026-01-31 09:05+00:00"]),
    model: pick([null, "", " ", "m-2", makeText(chooser)]),
  };
}

const ROW = makeRow({ status: "running" });
const STATE = {
  ...{ schemaVersion: "1.0", revision: 1, workerDispatches: [ROW] },
  workers: [{
    ...{ workerId: "alpha", role: "x", provider: "p", model: "m", modelExecutionValue: "m-1" },
    ...{ resultPath: "r", status: "in-progress", reason: "", startedAt: "2026-01-01T00:00:00Z" },
  }],
} as TeamState;

function checkChange({ status, reason, at, model }: Change): string | null {
  const before = JSON.stringify(STATE);
  const input = { status, reason: reason ?? undefined, at };
  const answer = attempt(
    () => parseWorkerChange({ ...input, modelExecutionValue: model ?? undefined }),
    isOurs,
  );
  const needsReason = ["timeout", "error", "not-run"].includes(status);
  const isKnown = (WORKER_STATUSES as readonly string[]).includes(status);
  const isComplete = isKnown && !(needsReason && isBlank(reason ?? ""));
  if ("value" in answer) {
    if (!isComplete) return "half a change was taken";
    const { value } = answer, [row] = setWorkerStatus(STATE, "alpha", value, "t.json").workers;
    if (!TIME_PATTERN.test(value.at)) return `a time ${value.at}`;
    const isDone = row!.status === status && row!.reason === (reason ?? "").trim() &&
      row!.modelExecutionValue === ((model ?? "").trim() || "m-1") && row!.model === "m";
    if (!isDone) return `it became ${JSON.stringify(row)}`;
    const issues = validateShape(teamState, setWorkerStatus(STATE, "alpha", value, "t.json"));
    if (issues.length > 0) return `it became a state with ${JSON.stringify(issues)}`;
  } else if (isComplete && (answer.refusal as OkstraError).code !== "bad-time") {
    return `refused: ${answer.refusal.message}`;
  }
  if (!["completed", "timeout", "error"].includes(status)) return null;
  const end = status as "completed", { promptPath = "", attempt: number = 1 } = ROW;
  const settlement = attempt(
    () =>
      parseSettlement({ ...input, status: end, promptPath, attempt: number, reason: input.reason }),
    isOurs,
  );
  if (("value" in settlement) !== ("value" in answer)) return "one of two is refused";
  if ("value" in settlement) {
    const settled = settleRow(STATE, settlement.value);
    const { row } = settled ?? {};
    if (row?.status !== status || row.reason !== (reason ?? "").trim()) return "it is not settled";
    if (!TIME_PATTERN.test(row.endedAt ?? "")) return `it ended at ${row.endedAt}`;
    if (validateShape(teamState, settled!.state).length > 0) return "it became no team state";
  }
  return JSON.stringify(STATE) === before ? null : "the state was changed";
}

interface RequestCase {
  readonly words: RunWords;
  readonly env: Readonly<Record<string, string>>;
}

function makeRequest(chooser: Chooser): RequestCase {
  const { pick, once, list } = chooser;
  const odd = (usual: string) => once(6) ? pick(["", " ", "-", makeText(chooser, 3)]) : usual;
  const seconds = () => odd(pick(["5", "0.5", "0", "-1", "1e3", "2147483", "2147484", "007"]));
  const optional = <T>(name: string, make: () => T) => once(3) ? { [name]: make() } : {};
  const isCommand = once(2);
  const positionals = isCommand ? [] : [
    odd("/p"),
    odd("m-1"),
    odd("a.md"),
    odd(pick(["", "/w"])),
    odd(pick(Object.keys(ROLES))),
    once(2) ? "" : seconds(),
  ].slice(0, once(8) ? chooser.number(6) : 6);
  const isMixed = once(8);
  return {
    words: {
      positionals,
      command: isCommand || isMixed ? list(2, () => odd("x")) : [],
      options: {
        ...isCommand || isMixed ? { prompt: odd("/p/a.md") } : {},
        ...isCommand || isMixed ? optional("result", () => list(2, () => odd("r.md"))) : {},
        ...isCommand || isMixed ? optional("idle-timeout", seconds) : {},
        ...!isCommand || isMixed ? { provider: odd("claude") } : {},
        ...!isCommand || isMixed ? optional("invocation-metadata", () => odd("m.json")) : {},
        ...optional("presentation", () => odd(pick(PRESENTATIONS))),
        ...optional("session-id", () => odd("s-1")),
        ...optional("total-timeout", seconds),
      },
    },
    env: Object.fromEntries(
      WORKER_VARIABLES.filter(() => once(3)).map((name) => [
        name,
        odd(name === "OKSTRA_ATTEMPT" ? pick(["1", "2", "0"]) : pick(["/p/x", '["/p/x"]', "[]"])),
      ]),
    ),
  };
}

function checkRequest({ words, env }: RequestCase): string | null {
  const before = JSON.stringify(words);
  const context = {
    env: (name: string) => env[name],
    absolute: (path: string) => resolve("/cwd", path),
  };
  const answer = attempt(
    () => parseRunRequest(words, context),
    (error) => error instanceof RefusedRunError,
  );
  if (JSON.stringify(words) !== before) return "the words were changed";
  if ("refusal" in answer) {
    const { message, issues, promptPath } = answer.refusal as RefusedRunError;
    if (/: (?:0 problems|undefined|)$/.test(message)) return `refused without a reason: ${message}`;
    if (issues.some((issue) => issue.message === "") || issues.length === 1) return "no reasons";
    return promptPath === null || isAbsolute(promptPath) ? null : `a prompt ${promptPath}`;
  }
  const { value } = answer, { target: what } = value, { positionals, options } = words;
  const isCommand = positionals.length === 0;
  if ((what.kind === "command") !== isCommand) return `a ${what.kind}`;
  if (what.kind === "command" && !isSameJson(what.argv, words.command)) return "another command";
  const paths = what.kind === "command" ? value.completionPaths ?? [] : [
    ...[what.projectRoot, what.worktree, what.metadataPath, what.runManifestPath],
    ...[what.resultPath, what.auditPath, ...value.completionPaths ?? []],
  ];
  const relative = [value.promptPath, ...paths].find((path) => path !== null && !isAbsolute(path));
  if (relative !== undefined) return `a path ${relative}`;
  if ([...positionals.slice(0, 1), options.prompt ?? positionals[2]].includes("-")) {
    return '"-" is a file';
  }
  for (const seconds of [value.idleTimeoutSeconds ?? 1, value.totalTimeoutSeconds]) {
    if (!(seconds > 0 && seconds * 1000 < 2 ** 31)) return `a limit of ${seconds}`;
  }
  const given = options["total-timeout"];
  if (given !== undefined && value.totalTimeoutSeconds !== Number(given)) return "another limit";
  if (!Number.isSafeInteger(value.attempt) || value.attempt < 1) return `attempt ${value.attempt}`;
  if (value.sessionId === "" || value.dispatchId === "" || value.workerId === "") {
    return "a blank name";
  }
  if (what.kind === "command") return isBlank(what.argv[0]!) ? "a blank command" : null;
  const isTold = positionals.length === 6 && what.model === positionals[1] &&
    what.role === positionals[4] && what.provider === options.provider &&
    !isBlank(what.provider);
  return isTold ? null : `it is ${JSON.stringify(what)}`;
}
