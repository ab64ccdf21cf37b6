import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { compareText } from "@okstra/manifest-io/json-text";
import { resolveWorker } from "./names.ts";
import { OUTCOME_STATUSES } from "./vocabulary.ts";

/** What became of a worker, as the caller says it. */
export interface NamedOutcome {
  readonly status: string;
  readonly durationMs: number;
}

/**
 * Splits an option value `<worker>=<value>` at its first `=`.
 *
 * @throws {OkstraError} `bad-pair`
 */
export function parsePair(option: string, given: string): readonly [string, string] {
  const at = given.indexOf("="), name = given.slice(0, Math.max(at, 0)).trim();
  const value = given.slice(at + 1).trim();
  if (at >= 0 && !isBlank(name) && !isBlank(value)) return [name, value];
  throw new OkstraError(
    "bad-pair",
    `Cannot read ${option} ${JSON.stringify(given)}: it is no pair`,
    {
      hint: `write it as ${option} <worker>=<value>`,
    },
  );
}

/**
 * Reads the options `--dispatch <worker>=<status>:<durationMs>`, which must name every planned worker once and nobody
 * else.
 *
 * @param planned the workers of the plan
 * @throws {OkstraError} `bad-pair` or `bad-outcome`
 */
export function parseOutcomes(
  given: readonly string[],
  planned: ReadonlySet<string>,
): ReadonlyMap<string, NamedOutcome> {
  const outcomes = new Map<string, NamedOutcome>();
  for (const option of given) {
    const [name, value] = parsePair("--dispatch", option);
    const worker = requirePlanned("--dispatch", name, planned, outcomes);
    outcomes.set(worker, parseOutcome(name, value));
  }
  const missing = [...planned].filter((worker) => !outcomes.has(worker)).sort(compareText);
  if (missing.length === 0) return outcomes;
  throw new OkstraError(
    "bad-outcome",
    `Cannot collect results: nothing says what became of ${missing.join(", ")}`,
    { hint: "add --dispatch <worker>=<status>:<durationMs> for each, or give --await FILE" },
  );
}

/**
 * Returns the plan's name of a worker that an option names.
 *
 * @throws {OkstraError} `bad-outcome` if the plan does not have it, or the option named it before
 */
export function requirePlanned(
  option: string,
  name: string,
  planned: ReadonlySet<string>,
  seen: { has(worker: string): boolean },
): string {
  const worker = resolveWorker(planned, name);
  if (worker === null) {
    throw new OkstraError(
      "bad-outcome",
      `Cannot take ${option} for ${name}: the plan did not ask it`,
      { hint: `it asked ${[...planned].join(", ")}` },
    );
  }
  if (!seen.has(worker)) return worker;
  throw new OkstraError("bad-outcome", `Cannot take ${option} for ${name}: it is given twice`, {
    hint: `give ${option} once for each worker`,
  });
}

function parseOutcome(worker: string, value: string): NamedOutcome {
  const refuse = (state: string): never => {
    throw new OkstraError(
      "bad-outcome",
      `Cannot read --dispatch ${JSON.stringify(value)} of ${worker}: ${state}`,
      { hint: `write it as --dispatch ${worker}=<status>:<durationMs>, such as completed:1250` },
    );
  };
  const at = value.indexOf(":");
  const status = value.slice(0, Math.max(at, 0)), digits = value.slice(at + 1);
  if (at < 0 || !/^[0-9]+$/.test(digits)) refuse("it does not end in a duration in milliseconds");
  if (!OUTCOME_STATUSES.includes(status)) {
    refuse(`status ${JSON.stringify(status)} is not one of ${OUTCOME_STATUSES.join(", ")}`);
  }
  const durationMs = Number(digits);
  if (!Number.isSafeInteger(durationMs)) refuse("the duration is too large");
  return { status, durationMs };
}
