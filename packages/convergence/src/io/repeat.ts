import { completeCommands } from "@okstra/kit/command-line";
import { readDocument } from "@okstra/manifest-io/io/document";
import { teamState } from "@okstra/manifest-io/schemas/team-state";
import { formatAgain, type RepeatableText, withAgain } from "../again.ts";
import type { InvalidText } from "../collect-results.ts";
import type { Place } from "./place.ts";

/** Tells how each worker whose text does not parse is asked once more. */
export function readRepeatable(
  { run }: Place,
  kind: string,
  texts: readonly InvalidText[],
): readonly RepeatableText[] {
  if (run === null || texts.length === 0) return texts.map((text) => ({ ...text, again: null }));
  const team = readDocument(teamState, run.at(run.manifest.teamStatePath));
  return withAgain(team, kind, texts).map(({ again, ...text }) => ({
    ...text,
    again: again && {
      ...again,
      reject: completeCommands(again.reject, () => ["--run-manifest", run.manifestPath]),
    },
  }));
}

/**
 * Says what helps workers whose text does not parse: a further attempt, or to go on without.
 *
 * @param after commands that follow the further attempt
 * @param without how to go on without them
 */
export function tellRepeat(
  place: Place,
  kind: string,
  texts: readonly InvalidText[],
  after: readonly string[],
  without: string,
): string {
  const again = formatAgain(readRepeatable(place, kind, texts));
  if (again === null) return `go on without: ${without}`;
  return `have it tried again: ${[again, ...after].join(" && ")}; or go on without: ${without}`;
}
