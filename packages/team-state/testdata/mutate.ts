// Runs commands of every sort one after the other, as one of several processes that share a run, and prints a line for
// each that ended with 0: RUN NAME WORKER COUNT
import { runApp, testIo } from "@okstra/kit/cli";
import { argv, writeOut } from "@okstra/kit/host";
import { app } from "../src/cli.ts";

const [manifest, name, worker, count] = argv() as [string, string, string, string];
const prompt = `/prompts/${name}.md`;

function commandOf(n: number): { words: string[]; stdin?: string } {
  const mark = `${name} ${n}`;
  switch (n % 4) {
    case 1: {
      const row = { workerId: worker, dispatchId: mark, promptPath: prompt, attempt: n };
      const stdin = JSON.stringify({ ...row, status: "running" });
      return { words: ["dispatch", "append"], stdin };
    }
    case 2: {
      const attempt = ["--prompt", prompt, "--attempt", String(n - 1)];
      return { words: ["dispatch", "settle", ...attempt, "--status", "error", "--reason", mark] };
    }
    default: {
      const status = n % 4 === 3 ? "error" : "completed";
      return { words: ["worker", "set", "--worker", worker, "--status", status, "--reason", mark] };
    }
  }
}

for (let n = 1; n <= Number(count); n++) {
  const { words, ...input } = commandOf(n);
  const io = testIo({ env: { OKSTRA_RUN: manifest }, ...input });
  const status = await runApp(app, [...words, "--lock-timeout", "600"], io);
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}: ${io.stderr}`);
  writeOut(`${name} ${n}\n`);
}
