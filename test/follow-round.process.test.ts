// What the tools propose, given as it stands: from a result that does not parse to the end of the cycle.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCRIPT_ONCE } from "./hosts-lines.ts";
import {
  ROOT,
  runProgram,
  RUNTIME,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
} from "./support.ts";

const WORKER = join(ROOT, "test", "testdata", "host-worker.mjs");
const ONCE = { skip: RUNTIME === "node" ? false : SCRIPT_ONCE };
const TASK = "--task-key my/review/parser";

describe("the commands that the tools propose", () => {
  it(
    "lead from nonsense in a result and in votes to the end of the cycle",
    ONCE,
    () =>
      withScratch((scratch) => {
        const project = join(scratch, "my project"), control = join(scratch, "control");
        const provider = (name: string) => ({ argv: [WORKER, name, control] });
        const providers = { alpha: provider("alpha"), beta: provider("beta") };
        mkdirSync(control);
        writeFiles(project, {
          "brief.md": "Look at src.\n",
          "src/a.txt": "one\ntwo\nthree\n",
          "src/b.txt": "one\ntwo\nthree\n",
          ".okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
        });
        const env = toolEnv(toolFolder(scratch));
        const give = (line: string) => runProgram(["sh", "-c", line], { cwd: project, env });
        const ask = (line: string) => {
          const { status, stdout, stderr } = give(line);
          assertEquals(status, 0, `${line}\n${stderr}`);
          return JSON.parse(stdout);
        };
        const breakNext = (name: string) => writeFileSync(join(control, `broken-${name}`), "");
        /** Gives a line; where it is refused, the first line that its hint names, and the line again. */
        const insist = (line: string): void => {
          const { status, stderr } = give(line);
          if (status === 0) return;
          assertEquals(status, 2, `${line}\n${stderr}`);
          const [, hint] = /hint: have it tried again: (.*?); or go on without: /.exec(stderr) ??
            [];
          assert(hint !== undefined, `${line}\n${stderr}`);
          assertEquals(give(hint).status, 0, hint);
          ask(line);
        };

        const { runManifestPath } = ask(
          `okstra-manifest-io prepare ${TASK} --task-type discussion --brief brief.md ` +
            "--backend cli-wrapper --worker alpha --worker beta",
        );
        const run = `--run-manifest '${runManifestPath}'`;
        ask(`okstra-discussion confirm-subject ${run} --subject src --question 'What is wrong?'`);
        const { batchPath } = ask(`okstra-discussion cycle-open ${run}`);
        breakNext("beta");
        ask(`okstra-dispatch run ${run} --batch '${batchPath}'`);
        for (const line of ask(`okstra-discussion settle ${run}`).nextCommands) insist(line);

        const discussion = `okstra-discussion status ${run}`;
        const [status] = ask(discussion).nextCommands;
        assertMatch(status, /^okstra-convergence status /);
        const lines: string[] = [];
        for (let next = ask(status).next; next !== null; next = ask(status).next) {
          lines.push(next.replace(/ --(?:run-manifest|batch) '[^']*'/g, ""));
          assert(lines.length < 20, lines.join("\n"));
          if (next.includes("--mode adversarial") && next.includes("prompts")) breakNext("alpha");
          insist(next);
        }
        const round = (number: number, mode: string) => [
          "okstra-convergence plan-round",
          `okstra-convergence prompts --mode ${mode}`,
          "okstra-dispatch run --timeout 90",
          `okstra-dispatch await --dispatch-kind reverify-r${number} | ` +
          `okstra-convergence collect-results --mode ${mode} --await -`,
          "okstra-convergence apply-round",
        ];
        assertEquals(lines, [
          "okstra-convergence seed",
          ...round(1, "adversarial"),
          ...round(2, "collaborative"),
          "okstra-convergence finalize",
        ]);
        assertEquals(existsSync(join(control, "broken-alpha")), false);
        for (const line of ask(discussion).nextCommands) ask(line);
        const { cycles } = ask(discussion);
        assertEquals(cycles.map((cycle: { status: string }) => cycle.status), ["closed"]);
        assertEquals(ask(`okstra-manifest-io validate-run ${run}`).issues, []);
      }),
  );
});
