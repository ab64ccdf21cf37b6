import { type Call, readInput, resolveRunPath, stripControl, UsageError } from "@okstra/kit/cli";
import type { Context, Outcome } from "../context.ts";
import type { Ledger } from "../ledger.ts";

type TaskValues = {
  readonly "run-manifest"?: string | undefined;
  readonly "project-root"?: string | undefined;
  readonly "task-key"?: string | undefined;
  readonly store?: string | undefined;
};
type ChangeValues = {
  readonly "if-revision": number | undefined;
  readonly "lock-timeout": number;
};
type TextValues = { readonly text: string | undefined; readonly "text-file": string | undefined };

/** Finds the discussion that a command is about: by its run, else by project and task key. */
export async function findTask(call: Call<TaskValues>) {
  const { values, io } = call, taskKey = values["task-key"];
  const hasRun = values["run-manifest"] !== undefined || Boolean(io.env("OKSTRA_RUN"));
  if (!hasRun && taskKey === undefined && (call.stdin || io.stdinKind() !== "pipe")) {
    throw new UsageError("Cannot find the discussion: neither a run nor a task key is given", {
      hint: "Give --task-key PROJECT/GROUP/TASK or --run-manifest PATH, or set OKSTRA_RUN",
    });
  }
  const runManifestPath = hasRun || taskKey === undefined ? await resolveRunPath(call) : undefined;
  const { openTask } = await import("../io/task.ts");
  const task = openTask({ runManifestPath, ...placeOptions(call) });
  sayRemark(call, task.run);
  return task;
}

/** Finds the discussion of a run, for commands that need the run. */
export async function findRunTask(call: Call<TaskValues>) {
  const path = await resolveRunPath(call);
  const { openRunTask } = await import("../io/task.ts");
  const task = openRunTask(path, placeOptions(call));
  sayRemark(call, task.run);
  return task;
}

function sayRemark({ io }: Pick<Call, "io">, run: { readonly remark: string | null } | null): void {
  const remark = run?.remark ?? null;
  if (remark !== null) io.err(`okstra-discussion: note: ${stripControl(remark)}\n`);
}

function placeOptions({ values, path, io }: Call<TaskValues>) {
  const absolute = (given: string | undefined) => given === undefined ? undefined : path(given);
  return {
    projectRoot: absolute(values["project-root"]),
    taskKey: values["task-key"],
    store: absolute(values.store),
    cwd: io.cwd(),
  };
}

/** Returns what every change of the record takes: the time, the revision it is meant for, and how long it waits. */
export async function changeOptions({ values, io }: Call<ChangeValues>) {
  const { formatTime } = await import("@okstra/manifest-io/time");
  return {
    now: formatTime(io.now()),
    ifRevision: values["if-revision"],
    lockTimeoutMs: values["lock-timeout"] * 1000,
  };
}

/** Runs a change that needs nothing but the record, and prints its answer. */
export async function change(
  call: Call<TaskValues & ChangeValues>,
  operate: (ledger: Ledger, context: Context) => Outcome<object>,
) {
  const task = await findTask(call), options = await changeOptions(call);
  const { changeTask } = await import("../io/change.ts");
  call.json(changeTask(task, options, (ledger) => operate(ledger, task.context)));
}

/** Reads the text that `--text` or `--text-file` gives; line ends after the last line are cut. */
export function readText(call: Call<TextValues>): string {
  const { text, "text-file": file } = call.values;
  if ((text === undefined) === (file === undefined)) {
    throw new UsageError("Give either --text or --text-file");
  }
  if (file === undefined) return text ?? "";
  try {
    return cutLineEnds(new TextDecoder("utf-8", { fatal: true }).decode(readInput(call, file)));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`Cannot read ${JSON.stringify(file)} as text: it is not UTF-8`, { cause });
  }
}

function cutLineEnds(content: string): string {
  let end = content.length;
  while (content[end - 1] === "\n") end -= content[end - 2] === "\r" ? 2 : 1;
  return content.slice(0, end);
}
