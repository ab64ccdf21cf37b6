import type { CrashPoint } from "../crash-points.ts";

/** What a command gives the code below it beside the run. */
export interface Surroundings {
  /** The time that artifacts carry; fixed by `SOURCE_DATE_EPOCH`. */
  now(): Date;
  env(name: string): string | undefined;
  /** All variables, for the processes of workers. */
  environment(): Readonly<Record<string, string>>;
  /** Tells the person at the terminal one line. */
  say(line: string): void;
  /** How long to wait for the lock of a document, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** The terminal that a person watches; `null`: standard error is none. */
  readonly screen: Screen | null;
  /** Called at each step of an attempt; for programs that stop there. */
  readonly reach?: ((point: CrashPoint) => void) | undefined;
}

/** A terminal whose lines can be drawn anew. */
export interface Screen {
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
}
