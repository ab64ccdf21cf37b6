// A model server on this machine: the formats of three providers, and one scenario for each beginning of the path.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { messagesWire } from "./anthropic-messages.ts";
import { geminiWire } from "./gemini.ts";
import { chatWire } from "./openai-chat.ts";
import { responsesWire } from "./openai-responses.ts";
import { type Ending, type Reaction, SCENARIOS } from "./scenarios.ts";
import { formatEvent, type Json, type ModelRequest, type Wire } from "./wire.ts";

const WIRES: readonly Wire[] = [responsesWire, chatWire, messagesWire, geminiWire];

/** A request that the server has got. */
export interface LoggedRequest extends ModelRequest {
  readonly scenario: string;
  readonly wire: string;
}

/** A running server. */
export interface ModelServer {
  /** `http://127.0.0.1:PORT`; the address of a scenario is this and `/SCENARIO`. */
  readonly origin: string;
  /** Requests to the model so far. */
  readonly requests: readonly LoggedRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: LoggedRequest[] = [];
  let lastId = 0;
  const ids = (prefix: string) => `${prefix}_${++lastId}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, scenario = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
    const body = await readBody(request);
    if (!Object.hasOwn(SCENARIOS, scenario)) {
      return sendJson(response, 404, { error: { message: `no scenario is called "${scenario}"` } });
    }
    const wire = WIRES.find((each) => each.matches(path));
    if (wire === undefined) return sendJson(response, ...answerAside(path));
    const asked = wire.read(body, path);
    const before = requests.filter((each) => each.scenario === scenario).length;
    requests.push({ ...asked, scenario, wire: wire.name });
    await react(response, wire, asked, SCENARIOS[scenario]!(asked, before));
  }

  async function react(
    response: ServerResponse,
    wire: Wire,
    asked: ModelRequest,
    reaction: Reaction,
  ): Promise<void> {
    if (reaction.kind === "nothing") return;
    if (reaction.kind === "error") {
      const error = reaction.error === "overflow" ? wire.overflow : reaction.error;
      return sendJson(response, error.status, wire.encodeError(error), reaction.headers);
    }
    if (!asked.isStreamed) return answerWhole(response, wire, asked, reaction);
    const events = wire.encode(reaction.answer, asked.model, ids).map(formatEvent);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    await sendEvents(response, events, reaction.ending);
  }

  /** An answer in one piece has no middle: it comes, or it does not. */
  function answerWhole(
    response: ServerResponse,
    wire: Wire,
    asked: ModelRequest,
    { answer, ending }: Reaction & { kind: "answer" },
  ): void {
    if (ending === "cut") response.destroy();
    if (ending !== "complete" && ending !== "early") return;
    sendJson(response, 200, wire.encodeWhole(answer, asked.model, ids));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return text.trimStart().startsWith("{") ? JSON.parse(text) as Json : {};
}

/** What agents ask beside the model. */
function answerAside(path: string): [status: number, body: Json] {
  if (path.endsWith("/models")) {
    return [200, {
      object: "list",
      data: [{ id: "scripted", object: "model", owned_by: "okstra" }],
      models: [],
    }];
  }
  if (path.endsWith("/count_tokens")) return [200, { input_tokens: 100 }];
  if (path.endsWith(":countTokens")) return [200, { totalTokens: 100 }];
  return [404, { error: { message: `nothing is at ${path}` } }];
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function sendEvents(
  response: ServerResponse,
  events: readonly string[],
  ending: Ending,
): Promise<void> {
  if (ending === "complete") return void response.end(events.join(""));
  for (const event of events.slice(0, Math.ceil(events.length / 2))) response.write(event);
  if (ending === "early") return void response.end();
  if (ending === "cut") {
    // What was written has to arrive before the connection ends.
    await sleep(50);
    return void response.destroy();
  }
  while (ending === "comments" && !response.destroyed) {
    response.write(": still here\n\n");
    await sleep(200);
  }
}
