// Appends rows one by one, as one of several processes that share a run: RUN NAME COUNT
import { openRun } from "@okstra/manifest-io/io/run";
import { argv } from "@okstra/kit/host";
import { appendDispatch } from "../src/io/team-state.ts";

const [manifest, name, count] = argv() as [string, string, string];
const run = openRun(manifest);
for (let n = 1; n <= Number(count); n++) {
  const dispatchId = `${name}:attempt-${n}`, promptPath = `prompts/${name}.md`;
  appendDispatch(run, [{
    workerId: "alpha",
    dispatchId,
    promptPath,
    attempt: n,
    status: "running",
  }]);
}
