import { OkstraError } from "@okstra/manifest-io/errors";
import type { Outcome } from "../context.ts";
import type { Ledger } from "../ledger.ts";
import { completeHint } from "../next-command.ts";
import type { RecordBook } from "../record-book.ts";
import { type OpenOptions, openStore } from "./open-store.ts";
import { refuseCut, tellStore } from "./run-anchor.ts";
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
  const committed = commitChange(task, options, operate);
  if (committed.anchor !== null) tellStore(task, options.lockTimeoutMs);
  return printable(task, committed);
}

/** Changes a discussion by one operation. */
export function commitChange<P extends object>(
  task: Task,
  options: ChangeOptions,
  operate: (ledger: Ledger) => Outcome<P>,
): Committed<P> {
  const { storeDirectory, projectRoot } = task;
  return withHints(task, () =>
    transact({ storeDirectory, projectRoot, ...options }, (ledger) => {
      refuseCut(task, ledger.book);
      return operate(ledger);
    }));
}

/** Reads something of a discussion. */
export function readBook<T>(
  task: Task,
  read: (book: RecordBook) => T,
  options: OpenOptions = {},
): T {
  return withHints(task, () => {
    const { book } = openStore(task.storeDirectory, options);
    refuseCut(task, book);
    return read(book);
  });
}

/** Runs what may refuse, with the words in the commands of its hint that name this discussion. */
export function withHints<T>({ context }: Task, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof OkstraError) || error.hint === undefined) throw error;
    const { code, message, exitCode, issues } = error, hint = completeHint(context, error.hint);
    throw new OkstraError(code, message, { exitCode, issues, hint, cause: error });
  }
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
