// Runs a command on a run and is killed before it puts a file in its place: RUN FILE COMMAND…
import { runApp, testIo } from "@okstra/kit/cli";
import { app } from "../src/cli.ts";
import { watchRenames } from "./renames.ts";

const [run = "", file = "", ...words] = process.argv.slice(2);
watchRenames((target) => {
  if (target.endsWith(`/${file}`)) process.kill(process.pid, "SIGKILL");
});
await runApp(app, words, testIo({ env: { OKSTRA_RUN: run } }));
