import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import { shorten, type Trouble } from "./findings.ts";

/** What is known about an error of a provider. */
export interface ErrorFacts {
  /** The words of the error event. */
  readonly message: string;
  /** HTTP status of the answer, where the event tells it. */
  readonly status?: number | null;
  /** The provider's own short name of the error, where the event tells it. */
  readonly code?: string;
  readonly isTerminal: boolean;
  readonly retryAfterMs?: number | null;
  readonly retryAt?: number | null;
}

/** Words of providers and agents for what a status alone does not tell, or where there is no status; first match counts. */
const WORDS: readonly (readonly [FailureClass, RegExp])[] = [
  [
    "context-overflow",
    /context[ _-]?(length|window|overflow)|maximum context|prompt[ _](is )?too[ _]long|input token count|exceeds the maximum number of tokens|request[_ ]too[_ ]large/i,
  ],
  [
    "quota",
    /insufficient[_ ]quota|quota exceeded|(exceeded|exhausted) your (current |daily |monthly )*quota|usage limit|hit your \w* ?limit|billing|credit balance|out of credits/i,
  ],
  ["rate-limited", /rate[ _-]?limit|too many requests|resource[_ ]exhausted/i],
  [
    "auth",
    /invalid[_ ]api[_ ]key|incorrect api key|api key not valid|authenticat(ion|e)|unauthenticated|unauthorized|not logged in|missing (environment variable|api key)|no api key|invalid[_ ]grant|token (has )?expired/i,
  ],
  [
    "model",
    /model[_ ]not[_ ]found|\bmodels?\b[^.]{0,80}(does not exist|not found|not supported|not available)|no such model|unknown model|issue with the selected model/i,
  ],
  [
    "permission",
    /permission[_ ]denied|permission[_ ]error|forbidden|not have (access|permission)/i,
  ],
  [
    "server",
    /high demand|overloaded|server[_ ]error|internal error|unavailable|bad gateway|gateway time-?out|stream (disconnected|ended|closed)|disconnected|connection (error|refused|reset|closed|aborted|lost)|cannot connect|fetch failed|network error|socket|unexpected eof|error decoding|econn|etimedout|epipe|eai_again|enotfound|terminated|timed? ?out|finish[_ ]reason|error sending request/i,
  ],
];

/** Statuses whose meaning the words may refine, for all others the status alone decides. */
const VAGUE_STATUSES: readonly number[] = [400, 403, 404, 413, 422, 429];

/** Builds the trouble that an error event tells of. */
export function troubleOf(facts: ErrorFacts): Trouble {
  const { message, status = null, code = "", isTerminal, retryAfterMs = null, retryAt = null } =
    facts;
  return {
    failureClass: classifyError(message, status ?? statusIn(message), code),
    message: shorten(message),
    isTerminal,
    retryAfterMs: retryAfterMs ?? delayIn(message),
    retryAt,
  };
}

/**
 * Classifies an error of a provider by the HTTP status, the provider's code and the words, which all come from a parsed
 * error event.
 */
export function classifyError(message: string, status: number | null, code = ""): FailureClass {
  const byStatus = status === null ? null : classOfStatus(status);
  if (byStatus !== null && !VAGUE_STATUSES.includes(status!)) return byStatus;
  const found = [classOfWords(code), classOfWords(message)];
  // A limit stays one whatever else its message mentions.
  if (status === 429) return found.includes("quota") ? "quota" : "rate-limited";
  return found[0] ?? found[1] ?? byStatus ?? "protocol";
}

function classOfStatus(status: number): FailureClass | null {
  switch (status) {
    case 401:
    case 407:
      return "auth";
    case 402:
      return "quota";
    case 403:
      return "permission";
    case 404:
    case 410:
      return "model";
    case 408:
    case 409:
    case 425:
      return "server";
    case 413:
      return "context-overflow";
    case 429:
      return "rate-limited";
  }
  return status >= 500 && status <= 599 ? "server" : status >= 400 ? "protocol" : null;
}

function classOfWords(text: string): FailureClass | null {
  return WORDS.find(([, words]) => words.test(text))?.[0] ?? null;
}

/** Finds the HTTP status that a message names in the ways in which agents name it. */
export function statusIn(message: string): number | null {
  const match =
    /(?:\bstatus(?: code)?:? ?|\bAPI Error:? ?|"code": ?|^)([45]\d\d)\b(?!\.\d)/i.exec(message) ??
      /\b([45]\d\d) (?:Unauthorized|Forbidden|Not Found|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)\b/
        .exec(message);
  return match ? Number(match[1]) : null;
}

/** What stands before a waiting time. */
const ASKED = /\b(?:try again|retry|resets?) (?:in|after) |\bretry[-_ ]?(?:after|delay)\W{1,5}/gi;
/** One part of a waiting time, such as the two of `6m30s` or of `1 hour and 20 minutes`. */
const PART =
  /(?:,? ?(?:and )?)?(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])/iy;

/** Finds the waiting time that a message asks for, in milliseconds. */
export function delayIn(message: string): number | null {
  for (const { 0: words, index } of message.matchAll(ASKED)) {
    let delayMs: number | null = null;
    PART.lastIndex = index + words.length;
    for (let part = PART.exec(message); part; part = PART.exec(message)) {
      delayMs = (delayMs ?? 0) + Number(part[1]) * unitMs(part[2]!.toLowerCase());
    }
    if (delayMs !== null) return Math.ceil(delayMs);
  }
  return null;
}

function unitMs(unit: string): number {
  if (unit.startsWith("ms") || unit.startsWith("milli")) return 1;
  return { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit[0]!] ?? 0;
}

/** Reads the value of a header `Retry-After`: seconds, or a date. */
export function parseRetryAfter(value: string): { retryAfterMs?: number; retryAt?: number } {
  const text = value.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return { retryAfterMs: Math.ceil(Number(text) * 1000) };
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : NaN;
  return Number.isFinite(at) ? { retryAt: at } : {};
}
