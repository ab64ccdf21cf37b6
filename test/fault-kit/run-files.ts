// deno-lint-ignore-file no-explicit-any
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What `okstra-manifest-io prepare` prints. */
interface Prepared {
  readonly runManifestPath: string;
  readonly paths: Readonly<Record<string, string>>;
}

/** The files of a run, read and damaged as somebody does who uses no tool for it. */
export class RunFiles {
  readonly manifestPath: string;
  readonly paths: Readonly<Record<string, string>>;

  constructor({ runManifestPath, paths }: Prepared) {
    this.manifestPath = runManifestPath;
    this.paths = paths;
  }

  /** A file of the run's directory. */
  at(name: string): string {
    return join(this.paths["runDirectory"]!, name);
  }

  manifest(): any {
    return readJson(this.manifestPath);
  }

  state(): any {
    return readJson(this.paths["teamState"]!);
  }

  /** `worker status` of every worker row. */
  workers(): string[] {
    return this.state().workers.map((row: any) => `${row.workerId} ${row.status}`);
  }

  /** The dispatch rows of a worker, in their order. */
  rows(worker: string): any[] {
    return (this.state().workerDispatches ?? [])
      .filter((row: any) => row.assignmentRef === `initial/${worker}`);
  }

  /** `attempt status` of the dispatch rows of a worker. */
  attempts(worker: string): string[] {
    return this.rows(worker).map((row) => `${row.attempt} ${row.status}`);
  }

  promptPath(worker: string): string {
    return this.at(`prompts/${worker}-worker-prompt-discussion-001.md`);
  }

  resultPath(worker: string): string {
    return this.at(`worker-results/${worker}-worker-discussion-001.md`);
  }

  sidecarPath(worker: string): string {
    return `${this.promptPath(worker)}.status.json`;
  }

  /** The status beside a worker's prompt; `null`: there is none. */
  sidecar(worker: string): any {
    const path = this.sidecarPath(worker);
    return existsSync(path) ? readJson(path) : null;
  }

  /** Tells whether the status beside a worker's prompt says so. */
  isStage(worker: string, stage: string): boolean {
    return this.sidecar(worker)?.stage === stage;
  }

  /** Writes something else into the status beside a worker's prompt. */
  changeSidecar(worker: string, change: Readonly<Record<string, unknown>>): void {
    writeJson(this.sidecarPath(worker), { ...this.sidecar(worker), ...change });
  }

  /** Writes something else into a worker's last dispatch row. */
  changeRow(worker: string, change: Readonly<Record<string, unknown>>): void {
    const state = this.state(), last = this.rows(worker).at(-1).dispatchId;
    writeJson(this.paths["teamState"]!, {
      ...state,
      workerDispatches: state.workerDispatches.map((row: any) =>
        row.dispatchId === last ? { ...row, ...change } : row
      ),
    });
  }
}

/** Reads a JSON document. */
export function readJson(path: string): any {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Writes a JSON document in the common form. */
export function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Writes a time as documents have it. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
