// The checks of this repository, by name, in the order in which they are run.
import { findImportProblems } from "./imports.ts";
import { findManifestProblems } from "./manifests.ts";
import { findPathProblems } from "./paths.ts";
import { findRequirementProblems } from "./requirements.ts";
import { findSchemaProblems } from "./schemas.ts";
import { readSourceFacts, type SourceFacts } from "./source-facts.ts";

/** One rule: returns what breaks it, one text for each place. */
export interface Check {
  readonly name: string;
  readonly about: string;
  find(root: string, fix: boolean): string[] | Promise<string[]>;
}

const facts = new Map<string, SourceFacts[]>();

function factsOf(root: string): SourceFacts[] {
  let found = facts.get(root);
  if (found === undefined) facts.set(root, found = readSourceFacts(root));
  return found;
}

export const CHECKS: readonly Check[] = [
  {
    name: "imports",
    about: "packages and layers import along the arrows only",
    find: (root) => findImportProblems(root, factsOf(root)),
  },
  {
    name: "manifests",
    about: "deno.json and package.json say the same (--fix)",
    find: (root, fix) => findManifestProblems(root, fix),
  },
  {
    name: "schemas",
    about: "schemas agree with their snapshots, released ones never change (--fix)",
    find: (root, fix) => findSchemaProblems(root, fix),
  },
  {
    name: "requirements",
    about: "listed numbers are tested where the row says, tested numbers are listed",
    find: (root) => findRequirementProblems(root, factsOf(root)),
  },
  {
    name: "paths",
    about: "nothing names this machine",
    find: (root) => findPathProblems(root),
  },
];
