import { compareText } from "@okstra/manifest-io/json-text";
import type { ConvergenceGroup } from "@okstra/manifest-io/schemas/convergence-groups";
import { plainWord } from "./markdown-lines.ts";

/** Findings of several workers that cite one place in one category, so that they may be the same. */
export interface NearPlace {
  readonly path: string;
  /** `line` or `line-line` that the findings cover together; `null` if they name no lines. */
  readonly locator: string | null;
  readonly category: string;
  readonly findingIds: readonly string[];
  /** Value for `--join` that makes them one; `null` if it is not known where they came from. */
  readonly join: string | null;
}

interface Citation {
  readonly group: ConvergenceGroup;
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the places that findings of different workers cite in the same category: overlapping lines of one path, or one
 * path without lines.
 */
export function findNearPlaces(groups: readonly ConvergenceGroup[]): readonly NearPlace[] {
  const places: NearPlace[] = [];
  for (const citations of groupCitations(groups).values()) {
    citations.sort((a, b) => a.from - b.from);
    let cluster: Citation[] = [], end = -1;
    for (const citation of citations) {
      if (citation.from > end) {
        addPlace(places, cluster);
        cluster = [];
      }
      cluster.push(citation);
      end = Math.max(end, citation.to);
    }
    addPlace(places, cluster);
  }
  return places.sort((a, b) => comparePlaces(a, b));
}

// Citations that can overlap at all, in finding order. A citation without lines stands at line 0.
function groupCitations(groups: readonly ConvergenceGroup[]): ReadonlyMap<string, Citation[]> {
  const byPlace = new Map<string, Citation[]>();
  for (const group of groups) {
    for (const { path: written, locator } of group.evidenceArtifacts) {
      const path = written.replace(/^(?:\.\/)+/, ""), given = (locator ?? "").trim();
      const lines = /^L?(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(given);
      const from = Number(lines?.[1] ?? 0), to = Number(lines?.[2] ?? from);
      const key = JSON.stringify([path, plainWord(group.category), lines ? "" : given]);
      const citations = byPlace.get(key) ?? [];
      citations.push({ group, path, from, to });
      byPlace.set(key, citations);
    }
  }
  return byPlace;
}

function addPlace(places: NearPlace[], cluster: readonly Citation[]): void {
  const found = [...new Set(cluster.map(({ group }) => group))];
  const workers = new Set(found.flatMap(({ discoveredBy }) => discoveredBy));
  const first = cluster[0];
  if (first === undefined || found.length < 2 || workers.size < 2) return;
  const to = cluster.reduce((last, citation) => Math.max(last, citation.to), 0);
  found.sort((a, b) => compareText(a.findingId, b.findingId));
  const locator = first.from === to ? `${to}` : `${first.from}-${to}`;
  const sources = found.flatMap((group) => group.sources ?? []);
  places.push({
    path: first.path,
    locator: to === 0 ? null : locator,
    category: found[0]!.category,
    findingIds: found.map(({ findingId }) => findingId),
    join: found.every((group) => (group.sources ?? []).length > 0)
      ? sources.map(({ worker, localId }) => `${worker}:${localId}`).join(",")
      : null,
  });
}

function comparePlaces(a: NearPlace, b: NearPlace): number {
  return compareText(a.findingIds.join(), b.findingIds.join()) || compareText(a.path, b.path) ||
    compareText(a.locator ?? "", b.locator ?? "");
}
