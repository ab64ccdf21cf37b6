import { command, mutationOptions, stripControl } from "@okstra/kit/cli";
import { lockTimeoutMs } from "./options.ts";

/** Commands about the finished stages of a plan. */
export const commands = {
  "carry backfill": command({
    summary: "Add the done rows that are missing beside finished stages",
    options: {
      "plan-run-root": {
        type: "string",
        value: "DIR",
        required: true,
        help: "Run directory of the plan, TASK/runs/implementation-planning",
      },
      "task-key": {
        type: "string",
        value: "KEY",
        default: "",
        help: "Task of rows whose carry names none",
      },
      "lock-timeout": mutationOptions["lock-timeout"],
    },
    example:
      "okstra-manifest-io carry backfill --plan-run-root .okstra/tasks/a/b/c/runs/implementation-planning",
    reads: ["consumers.jsonl of the plan", "../implementation/carry/stage-N.json"],
    writes: ["consumers.jsonl of the plan, the missing lines"],
    run: async (call) => {
      const { backfillDoneRows } = await import("../io/carry.ts");
      const { values } = call;
      const root = call.path(values["plan-run-root"]);
      const result = backfillDoneRows(root, values["task-key"], lockTimeoutMs(values));
      for (const { reason } of result.skipped) {
        call.io.err(`okstra-manifest-io: warning: ${stripControl(reason)}\n`);
      }
      call.json(result);
    },
  }),
  "carry covered": command({
    summary: "List the stages of a plan that a pull request covers",
    options: {
      "plan-run-root": {
        type: "string",
        value: "DIR",
        required: true,
        help: "Run directory of the plan",
      },
    },
    example:
      "okstra-manifest-io carry covered --plan-run-root .okstra/tasks/a/b/c/runs/implementation-planning",
    reads: ["consumers.jsonl of the plan"],
    run: async (call) => {
      const { readCoveredStages } = await import("../io/carry.ts");
      call.json({ stages: readCoveredStages(call.path(call.values["plan-run-root"])) });
    },
  }),
};
