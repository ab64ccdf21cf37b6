// model.ts FOLDER NAME…: the scripted model for the demo. Starts the server, fills a home for the agents in FOLDER,
// and writes what they need to FOLDER/env, one `NAME=value` a line. Ends when the script that started it has ended.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { equipAgents } from "../../test/agents/command-lines.ts";
import { startModelServer } from "../../test/agents/model/server.ts";

const [folder, ...agents] = process.argv.slice(2);
const parent = process.ppid;
const server = await startModelServer();
const env = equipAgents({
  agents,
  origin: server.origin,
  scenario: "work",
  folder: folder!,
  path: process.env.PATH!,
});
const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
writeFileSync(join(folder!, "env.draft"), lines.join(""));
renameSync(join(folder!, "env.draft"), join(folder!, "env"));

let told = 0;
const watch = setInterval(() => {
  for (; told < server.requests.length; told++) {
    const { wire, tools, toolResults } = server.requests[told]!;
    process.stdout.write(
      `  the model is asked (${wire}, ${tools.length} tools, ${toolResults.length} of them used)\n`,
    );
  }
  if (process.ppid === parent) return;
  clearInterval(watch);
  void server.close();
}, 200);
