import type { Outcome } from "../context.ts";
import type { Ledger } from "../ledger.ts";
import { type Committed, transact } from "./store.ts";
import type { Task } from "./task.ts";

/** How a command changes a discussion. */
export interface ChangeOptions {
  readonly now: string;
  readonly ifRevision?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

/** What a command of one run or task prints around its own answer. */
export type Answer<P> = P & {
  /** Absolute; only where there is a run. */
  readonly runManifestPath?: string;
  /** Number of records after it; what `--if-revision` compares with. */
  readonly revision: number;
};

/** Changes a discussion by one operation and returns what the command prints. */
export function changeTask<P extends object>(
  task: Task,
  options: ChangeOptions,
  operate: (ledger: Ledger) => Outcome<P>,
): Answer<P> {
  return printable(task, commitChange(task, options, operate));
}

/** Changes a discussion by one operation. */
export function commitChange<P extends object>(
  { storeDirectory, projectRoot }: Task,
  options: ChangeOptions,
  operate: (ledger: Ledger) => Outcome<P>,
): Committed<P> {
  return transact({ storeDirectory, projectRoot, ...options }, operate);
}

/** Puts the run and the revision around an answer. */
export function printable<P extends object>(task: Task, committed: Committed<P>): Answer<P> {
  return withRun(task, { ...committed.payload, revision: committed.book.length });
}

/** Puts the path of the run before an answer, if there is a run. */
export function withRun<P extends object>(
  { run }: Pick<Task, "run">,
  answer: P,
): P & { readonly runManifestPath?: string } {
  return run === null ? answer : { runManifestPath: run.manifestPath, ...answer };
}
