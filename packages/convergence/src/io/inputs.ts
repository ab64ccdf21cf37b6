import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { formatJson } from "@okstra/manifest-io/json-text";
import { dirname, join } from "@std/path";
import { digestIfPossible } from "../digests.ts";
import { isKeptInput, keptInputName } from "../round-names.ts";
import { readRaw, writeText } from "./documents.ts";
import type { FileName, Place, Source } from "./place.ts";

/**
 * Keeps an input that is about to be applied, so that the convergence can be gone through again: a run that does not have it
 * under its own name gets a copy that its digest names.
 *
 * Nothing is kept without a run: all documents are then the caller's.
 */
export function keepInput(place: Place, name: FileName, value: unknown, round?: number): void {
  const own = place.own(name, round), digest = digestIfPossible(value);
  if (own === null || own === place.file(name, round) || digest === null) return;
  if (digestFile(own) === digest) return;
  writeText(keptPath(place, digest)!, formatJson(value));
}

/**
 * Returns what finds an input by its digest, among a run's own documents, the copies that it kept, and what the caller names.
 *
 * @param rounds how many rounds may have had inputs
 * @throws {OkstraError} if a named one cannot be read
 */
export function openInputs(
  place: Place,
  named: readonly Source[],
  rounds: number,
): (digest: string) => unknown {
  const numbers = Array.from({ length: rounds }, (_, i) => i + 1);
  const own = [
    place.own("groups"),
    place.own("coverage"),
    ...numbers.flatMap((round) => [place.own("plan", round), place.own("results", round)]),
    ...listKept(place),
  ];
  const known = new Map<string, unknown>();
  const remember = (value: unknown): void => {
    const digest = value === undefined ? null : digestIfPossible(value);
    if (digest !== null) known.set(digest, value);
  };
  const groups = place.isNamed("groups") ? [place.source("groups")] : [];
  for (const source of [...named, ...groups]) remember(readRaw("input", source, null));
  const waiting = own.filter((path) => path !== null);
  return (digest) => {
    // Files are read until the one that is looked for turns up.
    while (!known.has(digest) && waiting.length > 0) remember(readIfThere(waiting.shift()!));
    return known.get(digest);
  };
}

function digestFile(path: string): string | null {
  const value = readIfThere(path);
  return value === undefined ? null : digestIfPossible(value);
}

function readIfThere(path: string): unknown {
  if (stat(path)?.kind !== "file") return undefined;
  try {
    return readRaw("input", { path, bytes: null }, null);
  } catch (error) {
    // What is no document was not applied either.
    if (error instanceof OkstraError && error.exitCode === 2) return undefined;
    throw error;
  }
}

function keptPath({ run }: Place, digest: string): string | null {
  return run === null ? null : run.at(keptInputName(run, digest));
}

function listKept(place: Place): readonly string[] {
  const { run } = place;
  if (run === null) return [];
  const folder = dirname(run.at(keptInputName(run, "sha256:")));
  if (stat(folder)?.kind !== "directory") return [];
  const kept = readDir(folder).filter(({ name }) => isKeptInput(run, name));
  return kept.map(({ name }) => join(folder, name));
}
