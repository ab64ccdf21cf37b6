import { inPieces, type Json, objectsIn, propertiesOf, TOKENS, type Wire } from "./wire.ts";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** Google's generateContent, which gemini speaks. */
export const geminiWire: Wire = {
  name: "gemini",
  matches: (path) => /:(streamGenerateContent|generateContent)$/.test(path),
  read(body, path) {
    const parts = objectsIn(body.contents).filter(({ role }) => role !== "model")
      .flatMap(({ parts }) => objectsIn(parts));
    return {
      model: /models\/([^:/]+):/.exec(path)?.[1] ?? "",
      isStreamed: path.endsWith(":streamGenerateContent"),
      tools: objectsIn(body.tools).flatMap((tool) => objectsIn(tool.functionDeclarations)).map((
        tool,
      ) => ({
        name: String(tool.name),
        parameters: propertiesOf(tool.parametersJsonSchema ?? tool.parameters),
      })),
      prompt: parts.flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n"),
      toolResults: parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify(functionResponse)]
      ),
    };
  },
  encode(answer, model, ids) {
    const id = ids("resp");
    if (answer.kind === "call") {
      const part = { functionCall: { name: answer.name, args: answer.args } };
      return [{ data: frame([part], model, id, "STOP") }];
    }
    const pieces = inPieces(answer.text);
    return [
      ...pieces.map((text) => ({ data: frame([{ text }], model, id) })),
      { data: frame([{ text: "" }], model, id, "STOP") },
    ];
  },
  encodeWhole(answer, model, ids) {
    const part = answer.kind === "call"
      ? { functionCall: { name: answer.name, args: answer.args } }
      : { text: answer.text };
    return frame([part], model, ids("resp"), "STOP");
  },
  encodeError: ({ status, message }) => ({
    error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" },
  }),
  overflow: {
    status: 400,
    code: "",
    message:
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
};

function frame(
  parts: readonly Json[],
  model: string,
  responseId: string,
  finishReason?: string,
): Json {
  return {
    candidates: [{
      index: 0,
      content: { role: "model", parts },
      ...(finishReason === undefined ? {} : { finishReason }),
    }],
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      cachedContentTokenCount: TOKENS.cached,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    },
    modelVersion: model,
    responseId,
  };
}
