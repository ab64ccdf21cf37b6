import { checkFinalState } from "@okstra/convergence/validate";
import { digestBytes } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocumentBytes } from "@okstra/manifest-io/io/document";
import { looseConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { closeCycle, type CloseCyclePayload, type StateRead } from "../close-cycle.ts";
import { type Answer, type ChangeOptions, commitChange, printable } from "./change.ts";
import { anchorRun } from "./run-anchor.ts";
import type { RunTask } from "./task.ts";

/** Records the outcome of a run's convergence and closes its cycle. */
export function closeRunCycle(task: RunTask, options: ChangeOptions): Answer<CloseCyclePayload> {
  const facts = {
    readState: () => readState(task.run.at(task.context.run.convergenceStatePath)),
    validateState: checkFinalState,
    recordPath: task.recordPath,
  };
  const committed = commitChange(
    task,
    options,
    (ledger) => closeCycle(ledger, task.context, facts),
  );
  const { payload, book, anchor } = committed;
  if (anchor !== null) {
    const needed = book.placeOf(payload.close.recordId) + 1;
    anchorRun(task, anchor, needed, options.lockTimeoutMs);
  }
  return printable(task, committed);
}

function readState(path: string): StateRead {
  try {
    const { value, bytes } = readDocumentBytes(looseConvergenceState, path);
    return { value, digest: digestBytes(bytes) };
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    const { code, message, exitCode, issues } = error;
    const hint = "finish with: okstra-convergence finalize; see what comes before it: " +
      "okstra-convergence status";
    throw new OkstraError(code, message, { exitCode, issues, hint, cause: error });
  }
}
