import {
  type IdSource,
  inPieces,
  type Json,
  type ModelAnswer,
  objectsIn,
  propertiesOf,
  type StreamEvent,
  textOf,
  TOKENS,
  type Wire,
} from "./wire.ts";

/** OpenAI's Responses, which codex speaks. */
export const responsesWire: Wire = {
  name: "responses",
  matches: (path) => path.endsWith("/responses"),
  read(body) {
    const items = typeof body.input === "string"
      ? [{ role: "user", content: body.input }]
      : objectsIn(body.input);
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: objectsIn(body.tools).map((tool) => ({
        name: String(tool.name ?? tool.type),
        parameters: propertiesOf(tool.parameters),
      })),
      prompt: items.filter(({ role }) => role === "user").map(({ content }) => textOf(content))
        .join("\n"),
      toolResults: items.filter(({ type }) => String(type).endsWith("_call_output"))
        .map(({ output }) => typeof output === "string" ? output : JSON.stringify(output)),
    };
  },
  encode(answer, model, ids) {
    const { response, item } = build(answer, model, ids);
    const events: StreamEvent[] = [];
    const add = (type: string, rest: Json) =>
      events.push({ name: type, data: { type, sequence_number: events.length, ...rest } });
    const place = { output_index: 0, item_id: item.id };
    add("response.created", { response: { ...response, status: "in_progress", output: [] } });
    if (answer.kind === "call") {
      const text = item.arguments;
      add("response.output_item.added", { output_index: 0, item: { ...item, arguments: "" } });
      add("response.function_call_arguments.delta", { ...place, delta: text });
      add("response.function_call_arguments.done", { ...place, arguments: text });
    } else {
      const part = { ...place, content_index: 0 };
      add("response.output_item.added", { output_index: 0, item: { ...item, content: [] } });
      add("response.content_part.added", {
        ...part,
        part: { type: "output_text", text: "", annotations: [] },
      });
      for (const delta of inPieces(answer.text)) {
        add("response.output_text.delta", { ...part, delta });
      }
      add("response.output_text.done", { ...part, text: answer.text });
    }
    add("response.output_item.done", { output_index: 0, item });
    add("response.completed", { response });
    return events;
  },
  encodeWhole: (answer, model, ids) => build(answer, model, ids).response,
  encodeError: ({ code, message }) => ({ error: { message, type: code, param: null, code } }),
  overflow: {
    status: 400,
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Shorten it and try again.",
  },
};

function build(answer: ModelAnswer, model: string, ids: IdSource): { response: Json; item: Json } {
  const item: Json = answer.kind === "call"
    ? {
      type: "function_call",
      id: ids("fc"),
      call_id: ids("call"),
      name: answer.name,
      arguments: JSON.stringify(answer.args),
      status: "completed",
    }
    : {
      type: "message",
      id: ids("msg"),
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer.text, annotations: [] }],
    };
  const response = {
    id: ids("resp"),
    object: "response",
    created_at: 1_767_225_600,
    status: "completed",
    model,
    output: [item],
    usage: {
      input_tokens: TOKENS.input,
      input_tokens_details: { cached_tokens: TOKENS.cached },
      output_tokens: TOKENS.output,
      output_tokens_details: { reasoning_tokens: TOKENS.reasoning },
      total_tokens: TOKENS.input + TOKENS.output,
    },
  };
  return { response, item };
}
