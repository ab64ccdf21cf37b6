import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import { classifyError, delayIn, parseRetryAfter, statusIn, troubleOf } from "./classify.ts";

describe("classifyError()", () => {
  const byStatus: readonly (readonly [number, FailureClass])[] = [
    [400, "protocol"],
    [401, "auth"],
    [402, "quota"],
    [403, "permission"],
    [404, "model"],
    [408, "server"],
    [413, "context-overflow"],
    [418, "protocol"],
    [422, "protocol"],
    [429, "rate-limited"],
    [500, "server"],
    [502, "server"],
    [503, "server"],
    [529, "server"],
    [599, "server"],
  ];
  for (const [status, expected] of byStatus) {
    it(`gives ${expected} for status ${status} without telling words (P-14)`, () => {
      assertEquals(classifyError("it did not work", status), expected);
    });
  }

  const byWords: readonly (readonly [string, number | null, string, FailureClass])[] = [
    ["Your credit balance is too low", 400, "", "quota"],
    ["API key not valid. Please pass a valid API key.", 400, "", "auth"],
    ["prompt is too long: 250000 tokens > 200000 maximum", 400, "", "context-overflow"],
    ["The 'x' model is not supported when using this account", 400, "", "model"],
    ["The model `x` does not exist or you do not have access to it.", 404, "", "model"],
    ["Request rejected", 400, "prompt_too_long", "context-overflow"],
    ["You exceeded your current quota", 429, "rate_limit_error", "quota"],
    [
      "This request would exceed your account's rate limit; mind the context window",
      429,
      "",
      "rate-limited",
    ],
    ["the context window is small", 500, "", "server"],
    ["Overloaded", null, "", "server"],
    ["Too Many Requests", null, "", "rate-limited"],
    ["connect ECONNREFUSED 127.0.0.1:8080", null, "", "server"],
    ["Request timed out.", null, "", "server"],
    ["error reading a body: unexpected EOF during chunk size line", null, "", "server"],
    ["Provider Auth Error", null, "", "protocol"],
    ["Not logged in · Please run /login", null, "", "auth"],
    ["unexpected token < in JSON", null, "", "protocol"],
    ["", null, "", "protocol"],
  ];
  for (const [message, status, code, expected] of byWords) {
    it(`gives ${expected} for ${status ?? "no"} status, ${code || "no"} code, "${message}" (P-14)`, () => {
      assertEquals(classifyError(message, status, code), expected);
    });
  }
});

describe("statusIn()", () => {
  const rows: readonly (readonly [string, number | null])[] = [
    ["unexpected status 401 Unauthorized: no", 401],
    ["exceeded retry limit, last status: 429 Too Many Requests", 429],
    ["401: {}", 401],
    ["[API Error: 404 no]", 404],
    ['[API Error: {"error":{"code":503}}]', 503],
    ["Request failed with status code 502", 502],
    ["got 503 Service Unavailable", 503],
    ["error after 500 tokens", null],
    ["404.5 seconds", null],
    ["status 200", null],
    ["status 4011", null],
    ["HTTP", null],
  ];
  for (const [message, expected] of rows) {
    it(`finds ${expected ?? "nothing"} in "${message}"`, () => {
      assertEquals(statusIn(message), expected);
    });
  }
});

describe("delayIn()", () => {
  const rows: readonly (readonly [string, number | null])[] = [
    ["Please try again in 11.054s.", 11_054],
    ["Please try again in 250ms", 250],
    ["Please retry in 34.0748s.", 34_075],
    ["retry after 2 minutes", 120_000],
    ["resets in 3h", 10_800_000],
    ['"retryDelay": "34s"', 34_000],
    ["Retry-After: 20 seconds", 20_000],
    ["Please try again in 7m12s. Visit the page.", 432_000],
    ["Please try again in 1m30.5s", 90_500],
    ["Try again in 1 hour and 20 minutes.", 4_800_000],
    ["or try again in 2 days 3 hours, 4 minutes", 183_840_000],
    ["retry after lunch, or try again in 5m 3 times", 300_000],
    ["Please try again later", null],
    ["retried 5 times (total retry wait time: 59.95 seconds)", null],
    ["Retrying in 60s (attempt 1/10)", null],
    ["retry in 5", null],
    ["try again in 5 steps", null],
  ];
  for (const [message, expected] of rows) {
    it(`finds ${expected ?? "nothing"} in "${message}" (P-14)`, () => {
      assertEquals(delayIn(message), expected);
    });
  }
});

describe("parseRetryAfter()", () => {
  it("reads seconds and dates, and nothing else (P-14)", () => {
    assertEquals(parseRetryAfter("2"), { retryAfterMs: 2000 });
    assertEquals(parseRetryAfter(" 1.5 "), { retryAfterMs: 1500 });
    assertEquals(parseRetryAfter("Thu, 01 Jan 2026 01:00:00 GMT"), {
      retryAt: Date.UTC(2026, 0, 1, 1),
    });
    for (const text of ["", "soon", "-1", "1e9", "12345678901"]) {
      assertEquals(parseRetryAfter(text), {});
    }
  });
});

describe("troubleOf()", () => {
  it("takes a waiting time from the header before one from the words", () => {
    const message = "429: try again in 5s";
    assertEquals(troubleOf({ message, isTerminal: true }).retryAfterMs, 5000);
    assertEquals(troubleOf({ message, isTerminal: true, retryAfterMs: 7 }).retryAfterMs, 7);
  });
});
