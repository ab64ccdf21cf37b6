import { inPieces, type Json, objectsIn, propertiesOf, textOf, TOKENS, type Wire } from "./wire.ts";

const USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
  prompt_tokens_details: { cached_tokens: TOKENS.cached },
};

/** OpenAI's Chat Completions, which pi, opencode, qwen and copilot speak. */
export const chatWire: Wire = {
  name: "chat",
  matches: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const messages = objectsIn(body.messages);
    const said = (role: string) =>
      messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
    return {
      model: String(body.model),
      isStreamed: body.stream === true,
      tools: objectsIn(body.tools).map(({ function: tool }) => ({
        name: String((tool as Json).name),
        parameters: propertiesOf((tool as Json).parameters),
      })),
      prompt: said("user").join("\n"),
      toolResults: said("tool"),
    };
  },
  encode(answer, model, ids) {
    const frame = {
      id: ids("chatcmpl"),
      object: "chat.completion.chunk",
      created: 1_767_225_600,
      model,
    };
    const chunk = (delta: Json, finish: string | null = null) => ({
      data: { ...frame, choices: [{ index: 0, delta, finish_reason: finish }] },
    });
    const said = answer.kind === "call"
      ? [
        {
          index: 0,
          id: ids("call"),
          type: "function",
          function: { name: answer.name, arguments: "" },
        },
        { index: 0, function: { arguments: JSON.stringify(answer.args) } },
      ].map((call) => chunk({ tool_calls: [call] }))
      : inPieces(answer.text).map((content) => chunk({ content }));
    return [
      chunk({ role: "assistant", content: "" }),
      ...said,
      chunk({}, answer.kind === "call" ? "tool_calls" : "stop"),
      { data: { ...frame, choices: [], usage: USAGE } },
      { data: "[DONE]" },
    ];
  },
  encodeWhole: (answer, model, ids) => ({
    id: ids("chatcmpl"),
    object: "chat.completion",
    created: 1_767_225_600,
    model,
    choices: [{
      index: 0,
      finish_reason: answer.kind === "call" ? "tool_calls" : "stop",
      message: answer.kind === "text" ? { role: "assistant", content: answer.text } : {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: ids("call"),
          type: "function",
          function: { name: answer.name, arguments: JSON.stringify(answer.args) },
        }],
      },
    }],
    usage: USAGE,
  }),
  encodeError: ({ code, message }) => ({ error: { message, type: code, param: null, code } }),
  overflow: {
    status: 400,
    code: "context_length_exceeded",
    message:
      "This model's maximum context length is 128000 tokens. Your messages resulted in 250000 tokens.",
  },
};
