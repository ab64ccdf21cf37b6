import { formatCommand } from "@okstra/kit/command-line";
import { parseOrigin } from "@okstra/manifest-io/dispatch-origin";
import { attemptOf, dispatchId, workerKey } from "@okstra/manifest-io/identity";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { supersederOf } from "@okstra/manifest-io/superseder";
import type { InvalidText } from "./collect-results.ts";
import { count } from "./count.ts";

/** What has to be done so that a worker answers once more. */
export interface Again {
  /** Command that gives its answer up in favour of the next attempt. */
  readonly reject: string;
  /** The batch that starts that attempt. */
  readonly batchPath: string;
}

/** A worker whose text does not parse, and how it is asked again; `again` is null if no batch of ours asked it. */
export interface RepeatableText extends InvalidText {
  readonly again: Again | null;
}

/** Adds to texts that do not parse how each worker is asked again. */
export function withAgain(
  team: TeamState,
  kind: string,
  texts: readonly InvalidText[],
): readonly RepeatableText[] {
  return texts.map((text) => ({ ...text, again: findAgain(team, kind, text) }));
}

/** Returns what makes workers answer again, as one command line; `null`: nothing is known that does for all of them. */
export function formatAgain(texts: readonly RepeatableText[]): string | null {
  const commands = texts.flatMap(({ worker, again }) => {
    if (again === null) return [null];
    const words = ["--batch", again.batchPath, "--worker", worker];
    return [again.reject, formatCommand(["okstra-dispatch", "run", ...words])];
  });
  return commands.includes(null) ? null : commands.join(" && ");
}

function findAgain(team: TeamState, kind: string, text: InvalidText): Again | null {
  const { worker, problems } = text;
  const rows = (team.workerDispatches ?? []).filter((row) =>
    row.kind === kind && workerKey(row) === worker
  );
  const row = rows.findLast(({ status }) => status === "completed");
  const id = row?.dispatchId?.trim(), invocation = row?.invocationId?.trim();
  const origin = parseOrigin(row?.["origin"]);
  if (!id || !invocation || origin?.option !== "batch" || origin.path === "-") return null;
  if (supersederOf(team.agentResultLinks, id) !== null) return null;
  const attempts = rows.filter((other) => other.invocationId?.trim() === invocation)
    .map(attemptOf);
  const next = dispatchId(invocation, Math.max(...attempts) + 1);
  const line = problems[0]?.line ?? null;
  const reason = `its text does not parse: ${count(problems.length, "problem")}` +
    (line === null ? "" : `, the first in line ${line}`);
  const words = ["--dispatch-id", id, "--superseded-by", next, "--reason", reason];
  const reject = formatCommand(["okstra-team-state", "result", "reject", ...words]);
  return { reject, batchPath: origin.path };
}
