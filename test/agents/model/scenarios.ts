import { playPart } from "./parts.ts";
import { callShell } from "./tool-calls.ts";
import type { ModelAnswer, ModelError, ModelRequest } from "./wire.ts";

/** How a streamed answer ends. */
export type Ending =
  | "complete"
  /** Half of it, and then nothing, on an open connection. */
  | "silence"
  /** Half of it, and then comments that keep the connection alive. */
  | "comments"
  /** Half of it, and the connection is cut. */
  | "cut"
  /** Half of it, and a clean end. */
  | "early";

/** What the server does with a request. */
export type Reaction =
  | { readonly kind: "answer"; readonly answer: ModelAnswer; readonly ending: Ending }
  | {
    readonly kind: "error";
    readonly error: ModelError | "overflow";
    readonly headers: Readonly<Record<string, string>>;
  }
  | { readonly kind: "nothing" };

/** How often a scenario was asked before this request. */
export type Scenario = (request: ModelRequest, before: number) => Reaction;

const answer = (given: ModelAnswer, ending: Ending = "complete"): Reaction => ({
  kind: "answer",
  answer: given,
  ending,
});
const say = (text: string): ModelAnswer => ({ kind: "text", text });
const refuse = (status: number, code: string, message: string, headers = {}): Scenario => () => ({
  kind: "error",
  error: { status, code, message },
  headers,
});
const LONG_TEXT = "I look at the task, and then at the sources, and say what I think of them. "
  .repeat(4);

const work: Scenario = (request) => answer(playPart(request));

/** The scenarios by name; the name is the first part of the path of a request. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  /** Does what the prompt asks: writes the result by a tool, then ends. */
  "work": work,
  /** Says that it is done, and has done nothing. */
  "words-only": () => answer(say("All done.")),
  "401": refuse(401, "invalid_api_key", "Incorrect API key provided."),
  "403": refuse(403, "permission_denied", "This key has no access to this project."),
  "404": refuse(404, "model_not_found", "The model does not exist."),
  "429": refuse(429, "rate_limit_exceeded", "Rate limit reached for requests."),
  "429-retry-after": refuse(429, "rate_limit_exceeded", "Rate limit reached for requests.", {
    "retry-after": "2",
  }),
  /** Refuses once, then works. */
  "429-once": (request, before) =>
    before === 0 ? SCENARIOS["429"]!(request, before) : work(request, before),
  "quota": refuse(
    429,
    "insufficient_quota",
    "You exceeded your current quota; check your billing.",
  ),
  "500": refuse(500, "server_error", "The server had an error while processing your request."),
  "overflow": () => ({ kind: "error", error: "overflow", headers: {} }),
  "hang": () => ({ kind: "nothing" }),
  "hang-in-stream": () => answer(say(LONG_TEXT), "silence"),
  "comments-in-stream": () => answer(say(LONG_TEXT), "comments"),
  "cut": () => answer(say(LONG_TEXT), "cut"),
  "ended-early": () => answer(say(LONG_TEXT), "early"),
  /** Runs a command that never ends. */
  "endless-tool": ({ tools }) => answer(callShell(tools, "tail -f /dev/null") ?? say("Title")),
  /** Runs a command, and another one, and so on. */
  "endless-work": ({ tools }) => answer(callShell(tools, "sleep 0.2; date") ?? say("Title")),
};
