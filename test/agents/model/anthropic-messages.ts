import {
  inPieces,
  type Json,
  objectsIn,
  propertiesOf,
  type StreamEvent,
  textOf,
  TOKENS,
  type Wire,
} from "./wire.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};
const INPUT_USAGE = {
  input_tokens: TOKENS.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: TOKENS.cached,
};

/** Anthropic's Messages, which claude speaks. */
export const messagesWire: Wire = {
  name: "messages",
  matches: (path) => path.endsWith("/messages"),
  read(body) {
    const parts = objectsIn(body.messages).filter(({ role }) => role === "user").flatMap(
      ({ content }): readonly Json[] =>
        typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content),
    );
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: objectsIn(body.tools).map((tool) => ({
        name: String(tool.name),
        parameters: propertiesOf(tool.input_schema),
      })),
      prompt: parts.filter(({ type }) => type === "text").map(({ text }) => String(text)).join(
        "\n",
      ),
      toolResults: parts.filter(({ type }) => type === "tool_result").map(({ content }) =>
        textOf(content)
      ),
    };
  },
  encode(answer, model, ids) {
    const events: StreamEvent[] = [];
    const add = (type: string, rest: Json = {}) =>
      events.push({ name: type, data: { type, ...rest } });
    const delta = (rest: Json) => add("content_block_delta", { index: 0, delta: rest });
    const message = {
      id: ids("msg"),
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...INPUT_USAGE, output_tokens: 1 },
    };
    add("message_start", { message });
    if (answer.kind === "call") {
      const block = { type: "tool_use", id: ids("toolu"), name: answer.name, input: {} };
      add("content_block_start", { index: 0, content_block: block });
      delta({ type: "input_json_delta", partial_json: JSON.stringify(answer.args) });
    } else {
      add("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
      for (const text of inPieces(answer.text)) delta({ type: "text_delta", text });
    }
    add("content_block_stop", { index: 0 });
    add("message_delta", {
      delta: { stop_reason: answer.kind === "call" ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: TOKENS.output },
    });
    add("message_stop");
    return events;
  },
  encodeWhole: (answer, model, ids) => ({
    id: ids("msg"),
    type: "message",
    role: "assistant",
    model,
    content: [
      answer.kind === "call"
        ? { type: "tool_use", id: ids("toolu"), name: answer.name, input: answer.args }
        : { type: "text", text: answer.text },
    ],
    stop_reason: answer.kind === "call" ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { ...INPUT_USAGE, output_tokens: TOKENS.output },
  }),
  encodeError: ({ status, message }) => ({
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message },
  }),
  overflow: {
    status: 400,
    code: "",
    message: "prompt is too long: 250000 tokens > 200000 maximum",
  },
};
