import type { Participant } from "./fold-research.ts";
import type { Draft } from "./draft.ts";
import type { Appended } from "./ledger.ts";
import type { Look } from "./look.ts";
import type { Phase } from "./phase.ts";
import { suggest, type Suggestion } from "./suggest-commands.ts";

/** What a run contributes to an operation. */
export interface RunFacts {
  /** Project-relative path of the manifest: the name of the run in the records. */
  readonly manifest: string;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** Number of the run as it stands in file names. */
  readonly seq: string;
  /** Project-relative path of the run directory. */
  readonly directory: string;
  /** Project-relative or absolute paths of the run's team state and final convergence state. */
  readonly teamStatePath: string;
  readonly convergenceStatePath: string;
  /** The run's analysers, in the order of the manifest. */
  readonly participants: readonly Participant[];
}

/** Where an operation takes place. */
export interface Context {
  readonly taskKey: string;
  /** Absolute path of the project. */
  readonly projectRoot: string;
  /** Where the record is kept, if not at its own place. */
  readonly store: string | null;
  /** The run from which it is called, if any. */
  readonly run: RunFacts | null;
  /** How the runs of the discussion stand; without it what comes next is told from the record alone. */
  readonly look?: Look;
}

/** A context with a run. */
export interface RunContext extends Context {
  readonly run: RunFacts;
}

/** A file that is written before the records that name it. */
export interface OutputFile {
  /** Absolute, or relative to the project root. */
  readonly path: string;
  readonly content: string;
}

/** What an operation answers, and the files that have to be on disk before its records. */
export interface Outcome<P> {
  readonly payload: P;
  readonly files: readonly OutputFile[];
}

/** What every command answers that makes a record. */
export interface RecordPayload extends Suggestion {
  /** The record, whether this call made it or it was there. */
  readonly record: Appended["record"];
  /** Whether this call made it. */
  readonly created: boolean;
  readonly phase: Phase;
}

/** The outcome of an operation that makes a record and answers these fields of the draft beside it. */
export type RecordOutcome<K extends keyof Draft> = Outcome<RecordPayload & Pick<Draft, K>>;

/** Returns the name of the run of a context as records carry it; empty outside a run. */
export function sourceRunOf(context: Context): string {
  return context.run?.manifest ?? "";
}

/** Answers with a record, what can be done next, and further fields, without any file. */
export function answerRecord<const F extends object>(
  { record, created }: Appended,
  draft: Draft,
  context: Context,
  fields: F,
): Outcome<RecordPayload & F> {
  const told = suggest(draft, context);
  return { payload: { record, created, phase: draft.phase, ...told, ...fields }, files: [] };
}
