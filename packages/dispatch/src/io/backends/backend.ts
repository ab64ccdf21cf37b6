import type { BackendCheck } from "@okstra/manifest-io/io/detect-backend";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { Backend } from "@okstra/manifest-io/vocabulary";
import type { ProcessFacts } from "../process-identity.ts";

/** How long the program of a pane backend has for one answer. */
export const ANSWER_LIMIT_MS = 5_000;
/** How far apart looks at something are that is about to happen. */
export const LOOK_MS = 20;

/** Returns what a row says about its place under a name; empty: nothing. */
export function placeFact(row: DispatchRow, name: "paneServer" | "paneUuid"): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

/** One attempt as it is to be started. */
export interface Launch {
  readonly workerId: string;
  readonly attempt: number;
  /** What the place of this attempt carries, so that it can be found and is never taken for another one's. */
  readonly tag: string;
  /** The words that claim the attempt and become its wrapper. */
  readonly command: readonly string[];
  readonly claimPath: string;
  /** Variables on top of those of the place; `null` takes one away. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** Where the wrapper runs; absolute. */
  readonly directory: string;
  readonly promptPath: string;
}

/** What a start left, as it goes into the dispatch row. */
export interface Handle {
  readonly process: ProcessFacts;
  /** Pane or surface; empty: none. */
  readonly paneId: string;
  /** More that is needed to find the pane again. */
  readonly paneFacts: Readonly<Record<string, string>>;
}

/** What is known about the place of an attempt. */
export interface PlaceView {
  readonly state: "none" | "open" | "dead" | "foreign" | "unknown";
  /** A sentence for people; empty: nothing is known. */
  readonly evidence: string;
}

/** A place that a row does not name, with what closing it needs. */
export interface FoundPlace {
  readonly paneId: string;
  readonly paneFacts: Readonly<Record<string, string>>;
}

/** What came of closing a place. */
export interface CloseResult {
  readonly isClosed: boolean;
  readonly why: string;
}

/**
 * Something that starts workers.
 *
 * The worker's own state is never read from a place: `observe` only adds what the place alone knows, such as the exit
 * status of a wrapper that left none.
 */
export interface BackendDriver {
  readonly backend: Backend;
  /** Whether it can be used from here. */
  check(): Promise<BackendCheck>;
  /** What a row is to say of its place before there is one, so that it is found if nobody comes to write it down. */
  facts(): Readonly<Record<string, string>>;
  /** @throws {Error} if nothing was started, or if that is not known */
  start(launch: Launch): Promise<Handle>;
  observe(row: DispatchRow): Promise<PlaceView>;
  /** Finds the places of a row whose dispatcher was killed before it wrote them down. */
  find(row: DispatchRow): Promise<readonly FoundPlace[]>;
  /** Closes one place of a row, if it is proven to be that row's. */
  close(row: DispatchRow, paneId: string): Promise<CloseResult>;
}
