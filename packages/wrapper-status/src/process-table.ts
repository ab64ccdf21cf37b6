/** One process as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** State letter; `Z` is a zombie. */
  readonly state: string;
  readonly startTime: string;
}

/** All processes of a moment, by number. */
export type ProcessTable = ReadonlyMap<number, ProcessRow>;

/** Reads the text of `/proc/<pid>/stat`; `null` if it is not one. */
export function parseStat(text: string): ProcessRow | null {
  // The name stands in parentheses and may hold anything, parentheses and line feeds included.
  const open = text.indexOf("("), close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  if (open < 0 || close < open || fields.length < 20) return null;
  return {
    pid: Number(text.slice(0, open)),
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startTime: fields[19]!,
  };
}

/** Reads the output of `ps -axo pid=,ppid=,pgid=,state=,lstart=`, as macOS prints it. */
export function parsePs(text: string): ProcessTable {
  const rows = text.split("\n").flatMap((line) => {
    const parts = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*\S)\s*$/s.exec(line);
    if (!parts) return [];
    const [, pid, parent, group, state, startTime] = parts as unknown as string[];
    return [{
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      state: state![0]!,
      startTime: startTime!,
    }];
  });
  return new Map(rows.map((row) => [row.pid, row]));
}

/**
 * Remembers every process that came from a child, also after its parent has gone.
 *
 * A process is known by number and start time, so that a number which another process got later is not taken for it.
 */
export class DescendantTracker {
  readonly #child: number;
  readonly #known = new Map<number, string>();

  /** Tracks the descendants and the process group of a child that leads its own group. */
  constructor(child: number) {
    this.#child = child;
  }

  /** The child and all that is recorded, by number. */
  get pids(): readonly number[] {
    return [this.#child, ...this.#known.keys()];
  }

  /** Records the descendants that a table shows; a number that now belongs to another process is forgotten. */
  note(table: ProcessTable): void {
    if (table.size === 0) return; // a look that failed
    for (const [pid, startTime] of this.#known) {
      if (table.get(pid)?.startTime !== startTime) this.#known.delete(pid);
    }
    const byParent = groupByParent(table);
    const open = [this.#child, ...this.#aliveNumbers(table)];
    for (const row of table.values()) if (row.group === this.#child) open.push(row.pid);
    const seen = new Set<number>();
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      if (seen.has(pid)) continue;
      seen.add(pid);
      this.add(table.get(pid));
      for (const row of byParent.get(pid) ?? []) open.push(row.pid);
    }
  }

  /** Records one process. */
  add(row: ProcessRow | undefined): void {
    if (row && row.pid !== this.#child) this.#known.set(row.pid, row.startTime);
  }

  /** Returns the recorded processes that a table still shows, zombies left out, sorted by number. */
  alive(table: ProcessTable): readonly ProcessRow[] {
    return this.#aliveNumbers(table).map((pid) => table.get(pid)!)
      .filter(isRunning)
      .sort((a, b) => a.pid - b.pid);
  }

  #aliveNumbers(table: ProcessTable): readonly number[] {
    return [...this.#known].filter(([pid, startTime]) => table.get(pid)?.startTime === startTime)
      .map(([pid]) => pid);
  }
}

/** Tells whether a process has not ended; a zombie has. */
export function isRunning(row: ProcessRow): boolean {
  return row.state !== "Z" && row.state !== "X";
}

/** Lists the children of every process of a table. */
export function groupByParent(table: ProcessTable): ReadonlyMap<number, readonly ProcessRow[]> {
  const byParent = new Map<number, ProcessRow[]>();
  for (const row of table.values()) {
    const rows = byParent.get(row.parent);
    if (rows) rows.push(row);
    else byParent.set(row.parent, [row]);
  }
  return byParent;
}
