import { stat } from "@okstra/kit/host";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, isOwnSidecar } from "@okstra/manifest-io/identity";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { type AwaitedFilter, invocationKey, selectAwaited } from "../awaited.ts";
import { type Examined, examineRow } from "./examine.ts";
import { hintStart } from "./ready-batches.ts";
import type { Session } from "./session.ts";
import type { Changes } from "./watch.ts";

/** What is known about an awaited row that nobody has to settle. */
export interface BoardEntry {
  readonly row: DispatchRow;
  readonly isOpen: boolean;
  readonly rule: string;
  readonly evidence: readonly string[];
  readonly lastActivityAt: string | null;
}

/** What a look found. */
export interface Look {
  readonly entries: readonly BoardEntry[];
  /** Rows that have ended and are still to be settled. */
  readonly ended: readonly Examined[];
}

/** Which rows of a run are awaited, and how they stand; reads again only what has changed. */
export class Board {
  readonly #session: Session;
  readonly #filter: AwaitedFilter;
  readonly #statePath: string;
  #version = "";
  #state: TeamState = { workers: [] };
  #awaited: readonly AwaitedRow[] = [];
  /** By invocation: how a row stood, and the facts of the row that this was found for. */
  readonly #known = new Map<string, { readonly facts: string; readonly entry: BoardEntry }>();

  constructor(session: Session, filter: AwaitedFilter) {
    this.#session = session;
    this.#filter = filter;
    this.#statePath = teamStatePath(session.run);
  }

  /** All dispatch rows of the run, as of the last look. */
  get all(): readonly DispatchRow[] {
    return this.#state.workerDispatches ?? [];
  }

  /** The team state, as of the last look. */
  get state(): TeamState {
    return this.#state;
  }

  /**
   * Looks at the awaited rows.
   *
   * @param changes files that may have changed
   * @param isFull also look at what no change of a file would tell: processes
   */
  async look(changes: Changes, isFull: boolean): Promise<Look> {
    const entries: BoardEntry[] = [], ended: Examined[] = [];
    this.#readRows();
    for (const { row, key, facts, sidecar } of this.#awaited) {
      const known = this.#known.get(key);
      if (known?.facts === facts && !changes.isAny && (!isFull || row.status === "completed")) {
        const isSame = !changes.paths.has(sidecar);
        const entry = !isSame
          ? this.#renew(row, known.entry)
          : known.entry.row === row
          ? known.entry
          : { ...known.entry, row };
        if (entry !== null) {
          entries.push(entry);
          this.#known.set(key, { facts, entry });
          continue;
        }
      }
      const seen = await this.#examine(row);
      if ("entry" in seen) {
        entries.push(seen.entry);
        this.#known.set(key, { facts, entry: seen.entry });
      } else {
        ended.push(seen);
        this.#known.delete(key);
      }
    }
    return { entries, ended };
  }

  /** A sign of life is most of what is written to a status: it changes nothing. `null`: it may have changed more. */
  #renew(row: DispatchRow, entry: BoardEntry): BoardEntry | null {
    const sidecar = this.#session.readSidecar(this.#session.run.at(row.promptPath ?? ""));
    const isAlive = sidecar !== null && !sidecar.isTerminal && isOwnSidecar(row, sidecar);
    if (!isAlive || !entry.isOpen) return null;
    return { ...entry, row, lastActivityAt: sidecar.lastActivityAt };
  }

  async #examine(row: DispatchRow): Promise<Examined | { readonly entry: BoardEntry }> {
    try {
      const seen = await examineRow(this.#session, row), { judgement, lastActivityAt } = seen;
      if (judgement.kind === "settle") return seen;
      const { rule, evidence } = judgement;
      return { entry: { row, isOpen: judgement.kind === "open", rule, evidence, lastActivityAt } };
    } catch (error) {
      // One defective row must neither keep the others from being settled nor be waited for.
      if (!(error instanceof OkstraError)) throw error;
      const evidence = [error.message];
      return {
        entry: { row, isOpen: false, rule: "defective-row", evidence, lastActivityAt: null },
      };
    }
  }

  /** Reads the rows again if they have changed. */
  #readRows(): void {
    const info = stat(this.#statePath);
    const version = info === null ? "" : [info.ino, info.mtimeMs, info.sizeBytes].join(" ");
    if (version !== "" && version === this.#version) return;
    const { run } = this.#session;
    this.#state = readTeamState(run);
    this.#awaited = this.#select().map((row) => ({
      row,
      key: invocationKey(row),
      facts: factsOf(row),
      sidecar: sidecarPath(run.at(row.promptPath ?? "")),
    }));
    this.#version = version;
  }

  #select(): readonly DispatchRow[] {
    const filter = this.#filter;
    const hint = (workers: readonly string[], kind: string | undefined) =>
      hintStart(this.#session.run, this.all, workers, kind);
    if (filter.invocations === null) return selectAwaited(this.all, filter, hint);
    const known = new Set(this.all.map(invocationKey));
    const invocations = filter.invocations.filter((key) => known.has(key));
    return invocations.length === 0
      ? []
      : selectAwaited(this.all, { ...filter, invocations }, hint);
  }
}

/** A row with what is needed of it at every look. */
interface AwaitedRow {
  readonly row: DispatchRow;
  readonly key: string;
  readonly facts: string;
  /** Path of its status. */
  readonly sidecar: string;
}

/** What of a row decides how it is judged. */
function factsOf(row: DispatchRow): string {
  return JSON.stringify([attemptOf(row), row.status, row.reason, row["wrapper"], row.promptPath]);
}
