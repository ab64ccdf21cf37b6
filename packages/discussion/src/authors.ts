import { OkstraError } from "@okstra/manifest-io/errors";
import type { Context } from "./context.ts";
import type { Draft } from "./draft.ts";

/** Lists the workers that take or took part in a discussion, those of the current run included. */
export function listParticipants(draft: Draft, context: Context): readonly string[] {
  const rosters = draft.cycles.map(({ openedRoster }) => openedRoster);
  const all = [...rosters, context.run?.participants ?? []].flat();
  return [...new Set(all.map(({ worker }) => worker))];
}

/**
 * Refuses a name that may not stand where a person or worker is named.
 *
 * @param what what the name is for, for the message
 * @param reserved the reserved names that are allowed there
 * @throws {OkstraError} `unknown-author`; the hint lists the names that are known.
 */
export function requireAuthor(
  name: string,
  what: string,
  reserved: readonly string[],
  draft: Draft,
  context: Context,
): string {
  const known = [...reserved, ...listParticipants(draft, context)];
  if (known.includes(name)) return name;
  throw new OkstraError(
    "unknown-author",
    `Cannot use ${JSON.stringify(name)} as ${what}: nobody of that name takes part`,
    { hint: `use one of ${known.join(", ")}` },
  );
}
