import { describe, it } from "node:test";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { type ModelServer, startModelServer } from "./server.ts";

/** How each format asks: the path below a scenario, and a body with one tool and the text of a user. */
const FORMATS: Readonly<Record<string, (text: string) => readonly [path: string, body: object]>> = {
  responses: (text) => ["/v1/responses", {
    model: "m",
    stream: true,
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
    tools: [{ type: "function", name: "exec_command", parameters: { properties: { cmd: {} } } }],
  }],
  chat: (text) => ["/v1/chat/completions", {
    model: "m",
    stream: true,
    messages: [{ role: "system", content: "s" }, { role: "user", content: text }],
    tools: [{
      type: "function",
      function: { name: "write", parameters: { properties: { path: {}, content: {} } } },
    }],
  }],
  messages: (text) => ["/v1/messages", {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: text }],
    tools: [{ name: "Write", input_schema: { properties: { file_path: {}, content: {} } } }],
  }],
  gemini: (text) => ["/v1beta/models/m:streamGenerateContent?alt=sse", {
    contents: [{ role: "user", parts: [{ text }] }],
    tools: [{
      functionDeclarations: [{
        name: "write_file",
        parametersJsonSchema: { properties: { file_path: {}, content: {} } },
      }],
    }],
  }],
};
const LAST: Readonly<Record<string, string>> = {
  responses: '"type":"response.completed"',
  chat: "data: [DONE]",
  messages: '"type":"message_stop"',
  gemini: '"finishReason":"STOP"',
};
const PROMPT = "# codex-worker: analysis\n**Worker Result Path:** /p/result.md\n";

async function withServer(body: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer();
  try {
    await body(server);
  } finally {
    await server.close();
  }
}

function ask(server: ModelServer, scenario: string, format: string, text = PROMPT) {
  const [path, body] = FORMATS[format]!(text);
  return fetch(`${server.origin}/${scenario}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
}

describe("startModelServer()", () => {
  for (const format of Object.keys(FORMATS)) {
    it(`calls a tool that writes the result, in the format ${format}`, () =>
      withServer(async (server) => {
        const response = await ask(server, "work", format), text = await response.text();
        assertEquals(response.status, 200);
        assertEquals(response.headers.get("content-type"), "text/event-stream");
        assertStringIncludes(text, "/p/result.md");
        assertStringIncludes(text, "An empty cart");
        assertStringIncludes(text, LAST[format]!);
        const [asked, ...more] = server.requests;
        assertEquals([asked!.wire, asked!.model, more.length], [format, "m", 0]);
        assertEquals([asked!.prompt, asked!.toolResults], [PROMPT, []]);
      }));

    it(`leaves the end away if the stream ends early, in the format ${format}`, () =>
      withServer(async (server) => {
        const text = await (await ask(server, "ended-early", format)).text();
        assertStringIncludes(text, "I look at");
        assert(!text.includes(LAST[format]!), text);
      }));

    it(`cuts the connection in the stream, in the format ${format}`, () =>
      withServer(async (server) => {
        const response = await ask(server, "cut", format);
        await assertRejects(() => response.text());
      }));

    it(`refuses with the status, the words and the header of the scenario, in the format ${format}`, () =>
      withServer(async (server) => {
        const limited = await ask(server, "429-retry-after", format);
        assertEquals([limited.status, limited.headers.get("retry-after")], [429, "2"]);
        assertStringIncludes(await limited.text(), "Rate limit reached");
        const full = await ask(server, "overflow", format);
        assertEquals(full.status, 400);
        assertMatch(await full.text(), /context|too long|token count/);
      }));
  }

  it("answers words once a tool has returned, and where no tool is offered", () =>
    withServer(async (server) => {
      const [path, body] = FORMATS.chat!(PROMPT) as [
        string,
        { messages: object[]; tools: object[] },
      ];
      const post = async (more: object) => {
        const response = await fetch(`${server.origin}/work${path}`, {
          method: "POST",
          body: JSON.stringify({ ...body, stream: false, ...more }),
        });
        return (await response.json() as { choices: { message: { content: string } }[] })
          .choices[0]!.message.content;
      };
      const tool = { role: "tool", tool_call_id: "c", content: "written" };
      assertStringIncludes(await post({ messages: [...body.messages, tool] }), "written");
      assertEquals(await post({ tools: [] }), "A title");
    }));

  it("says which scenario it does not know", () =>
    withServer(async (server) => {
      const response = await ask(server, "none-such", "chat");
      assertEquals(response.status, 404);
      assertStringIncludes(await response.text(), "none-such");
      assertEquals(server.requests, []);
    }));
});
