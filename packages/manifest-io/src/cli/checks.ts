import { command, runOptions, UsageError } from "@okstra/kit/cli";
import { openRunOf } from "./options.ts";

/** Commands that look at a run or task as a whole. */
export const commands = {
  "context-cost": command({
    summary: "Measure what a task's files cost those who read them, by phase",
    options: {
      ...runOptions,
      "project-root": {
        type: "string",
        value: "DIR",
        help: "Project (default: nearest parent with .okstra, else the current directory)",
      },
      "task-key": { type: "string", value: "KEY", help: "Task; its newest run is measured" },
    },
    example: "okstra-manifest-io context-cost --task-key demo/review/src",
    reads: ["the task manifest", "sizes of the files below the task"],
    run: async (call) => {
      const [{ findProjectRoot }, { measureContextCost }] = await Promise.all([
        import("../io/project-root.ts"),
        import("../io/context-cost.ts"),
      ]);
      const { "task-key": taskKey, "project-root": root } = call.values;
      const given = root === undefined ? undefined : findProjectRoot(call.path(root), "/");
      if (taskKey !== undefined && call.values["run-manifest"] === undefined) {
        const projectRoot = given ?? findProjectRoot(undefined, call.io.cwd());
        return call.json(measureContextCost({ projectRoot, taskKey, run: null }));
      }
      const run = await openRunOf(call);
      const { isSameTask } = await import("../task-key.ts");
      if (taskKey !== undefined && !isSameTask(taskKey, run.taskKey)) {
        throw new UsageError(`--task-key ${taskKey} is not the run's task, ${run.taskKey}`);
      }
      if (given !== undefined && given !== run.projectRoot) {
        throw new UsageError(`--project-root ${root} is not the run's project, ${run.projectRoot}`);
      }
      call.json(measureContextCost({ ...run, run }));
    },
  }),
  "validate-run": command({
    summary: "Check that the documents of a run agree with each other and with their files",
    options: { ...runOptions },
    example: "okstra-manifest-io validate-run --run-manifest RUN.json",
    exits: { 1: "there is at least one problem" },
    reads: ["the run manifest", "team state", "execution manifest", "prompts and their metadata"],
    run: async (call) => {
      const run = await openRunOf(call);
      const { validateRun } = await import("../io/validate-run.ts");
      const issues = validateRun(run);
      call.json({ runManifestPath: run.manifestPath, valid: issues.length === 0, issues });
      return issues.length === 0 ? 0 : 1;
    },
  }),
};
